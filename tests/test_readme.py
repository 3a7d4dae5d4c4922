"""The two READMEs say the same, and what they say is so: commands, map, lessons, example, links."""

import contextlib
import io
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
READMES = ("README.md", "README.zh.md")
LANGUAGES = {"README.md": "en", "README.zh.md": "zh"}
SHELLS = ("sh", "powershell")
# What adding something touches; a package that is not built yet has no list yet.
ADDING = {
    "LESSONS": ("dashboard/catalog.py", ("dashboard/catalog.py", "dashboard/text/", "pages/")),
    "EXPERIMENTS": ("attention_core/experiments", ("attention_core/experiments/",)),
    "VARIANTS": ("attention_core/variants", ("attention_core/variants/", "attention_core/reference.py")),
}
NOT_MAPPED = {"__init__.py"}

both = pytest.mark.parametrize("name", READMES)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def fences(text: str, *languages: str) -> list[str]:
    """The contents of the fenced blocks in these languages, in order."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [content for language, content in blocks if language in languages]


def commands(text: str) -> list[str]:
    """Every line of a shell block that is no comment."""
    lines = [line.split(" #")[0].strip() for block in fences(text, *SHELLS) for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def headings(text: str) -> list[int]:
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return [len(marks) for marks in re.findall(r"^(#+) ", prose, flags=re.MULTILINE)]


def file_map(text: str) -> dict[str, str]:
    """Path → its line: a folder ends in a slash, its contents stand two spaces further in."""
    entries, folder = {}, ""
    for line in next(block for block in fences(text, "text") if "app.py" in block).splitlines():
        indented, path, said = re.fullmatch(r"(  )?(\S+)(?:\s{2,}(\S.*))?", line).groups()
        folder = folder if indented else path
        entries[folder + path if indented else path] = said or ""
    return entries


def tree() -> list[str]:
    """What git knows or would take, to the depth of the map: the root, and what stands in its folders."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    answer = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=False)
    if answer.returncode:
        pytest.skip(f"git does not list this folder: {answer.stderr.strip()}")
    found = set()
    for path in answer.stdout.splitlines():
        parts = path.split("/")
        if (ROOT / path).exists() and parts[-1] not in NOT_MAPPED:
            found |= {"/".join(parts[:depth]) + "/" for depth in (1, 2) if depth < len(parts)}
            found |= {path} if len(parts) <= 2 else set()
    return sorted(found)


def links(text: str) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", target):
            yield target


def test_both_give_the_same_commands_in_the_same_order() -> None:
    english, chinese = (commands(text_of(name)) for name in READMES)
    assert english == chinese
    assert {"./lab run", "./lab test"} <= set(english)


def test_both_have_the_same_parts_and_the_same_code() -> None:
    english, chinese = (text_of(name) for name in READMES)
    assert headings(english) == headings(chinese)
    assert fences(english, "python") == fences(chinese, "python")
    assert list(file_map(english)) == list(file_map(chinese))


@both
def test_the_map_is_the_tree(name: str) -> None:
    mapped = file_map(text_of(name))
    assert sorted(mapped) == tree()
    assert not [path for path, said in mapped.items() if not said]


@both
def test_every_file_a_command_names_exists(name: str) -> None:
    for command in commands(text_of(name)):
        for word in command.replace("\\", "/").split():
            module = re.fullmatch(r"benchmarks\.\w+", word)
            is_file = re.fullmatch(r"(?:\./)?[\w./-]+\.(?:py|txt)|\./lab|(?:tests|benchmarks)/\S+", word)
            if module or is_file:
                path = word.replace(".", "/") + ".py" if module else word
                assert (ROOT / path).exists(), command


def test_the_check_for_changes_runs_the_test_command() -> None:
    assert "\n./lab test\n" in text_of(".ci/run")
    assert all(os.access(ROOT / command, os.X_OK) for command in ("lab", ".ci/run"))


@both
def test_versions_are_those_of_the_requirements(name: str) -> None:
    pinned = set(text_of("requirements.txt").split() + text_of("requirements-dev.txt").split())
    quoted = set(re.findall(r"\b\w+==[\w.]+\w", text_of(name)))
    assert quoted <= pinned
    assert quoted, "the choice of PyTorch's build names its version"


@both
def test_every_lesson_is_listed_with_its_title_in_reading_order(name: str) -> None:
    from dashboard.catalog import LESSONS

    rows = re.findall(r"^\| `/(\w*)` \| ([^|]+?) \|", text_of(name), flags=re.MULTILINE)
    assert rows == [(lesson.slug, lesson.title.say(LANGUAGES[name])) for lesson in LESSONS]


@both
@pytest.mark.parametrize("table", ADDING)
def test_adding_things_is_described_for_all_that_is_there(name: str, table: str) -> None:
    package, places = ADDING[table]
    if not (ROOT / package).exists():
        pytest.skip(f"{package} is not built yet")
    rows = [line for line in text_of(name).splitlines() if line.startswith("|") and f"`{table}`" in line]
    assert len(rows) == 1
    assert not [place for place in places if place not in rows[0]]


@both
def test_the_example_prints_what_it_says(name: str) -> None:
    text = text_of(name)
    (program,) = fences(text, "python")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, name, "exec"), {})
    shown = fences(text.split(f"{program}```\n")[1], "text")[0]
    assert shown == printed.getvalue()


@both
def test_every_link_leads_to_a_file(name: str) -> None:
    assert not [target for target in links(text_of(name)) if not (ROOT / target.split("#")[0]).exists()]


def test_both_quote_the_same_figures() -> None:
    quoted = [
        re.search(r"<!-- benchmarks -->(.*)<!-- /benchmarks -->", text_of(n), re.DOTALL) for n in READMES
    ]
    assert all(quoted), "the figures stand between their two marks"
    english, chinese = (re.findall(r"\d[\d.–×]*", found.group(1)) for found in quoted)
    assert english == chinese
