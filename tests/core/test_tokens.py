"""The rules of tokenize(), one by one, and that no text breaks them."""

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core.tokens import (
    MAX_CHARACTERS,
    MAX_TOKENS,
    TextFault,
    check_text,
    ids,
    nearest_legal,
    tokenize,
)

# Letters, signs and invisible characters that meet each other badly.
HOSTILE = st.text(
    st.sampled_from("aé9我猫ね한ฉัא.,'’ -\n\t\u3000\u200b\u200d\u00ad\ufe0f\u20e3\u0301👍🏽🇩🇪👩\ud83d\x00#<&$")
)
ANY = st.one_of(HOSTILE, st.text(st.characters(codec=None)))
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("我爱注意力 attention!", ("我", "爱", "注", "意", "力", "attention", "!")),
        ("猫 追逐 老鼠", ("猫", "追逐", "老鼠")),
        ("猫\u3000追逐", ("猫", "追逐")),
        ("AI模型 很 好用。", ("AI", "模型", "很", "好用", "。")),
        ("小猫，它 cat 累了", ("小", "猫", "，", "它", "cat", "累", "了")),
        ("小猫， 它累了", ("小", "猫", "，", "它", "累", "了")),
        ("第一\n第二", ("第", "一", "第", "二")),
        ("二〇二六年、々", ("二", "〇", "二", "六", "年", "、", "々")),
    ],
)
def test_chinese_is_one_character_a_token_unless_a_space_stands_between_two_runs(text, tokens):
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("ラーメンが好き", ("ラ", "ー", "メ", "ン", "が", "好", "き")),
        ("ねこ が 好き", ("ねこ", "が", "好き")),
        ("ｶﾞｷﾞ", ("ｶﾞ", "ｷﾞ")),
        ("나는 고양이를 좋아한다", ("나는", "고양이를", "좋아한다")),
        ("ฉันรัก แมว", ("ฉั", "น", "รั", "ก", "แ", "ม", "ว")),
        ("मैं बिल्ली हूँ", ("मैं", "बिल्ली", "हूँ")),
        ("القطة تطارد", ("القطة", "تطارد")),
        ("می\u200cخواهم", ("می\u200cخواهم",)),
        ('צה"ל ג׳ירפה', ("צה", '"', "ל", "ג׳ירפה")),
        ("Кошка ловит", ("Кошка", "ловит")),
        ("Η γάτα", ("Η", "γάτα")),
    ],
)
def test_each_script_is_cut_by_its_own_rule(text, tokens):
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("don't l’été 'tis dogs'", ("don't", "l’été", "'", "tis", "dogs", "'")),
        ("3.14 1,000.5 v2.0 7. .5 a.b", ("3.14", "1,000.5", "v2.0", "7", ".", ".", "5", "a", ".", "b")),
        ("well-known $5 x² -1", ("well", "-", "known", "$", "5", "x²", "-", "1")),
        ("wait... ——", ("wait", ".", ".", ".", "—", "—")),
        ("co\u00adoperate \u200ethe\u200e cat", ("co\u00adoperate", "the", "cat")),
        ("<img src=x>", ("<", "img", "src", "=", "x", ">")),
    ],
)
def test_words_keep_apostrophes_and_decimal_points_and_lose_other_signs(text, tokens):
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    "cluster",
    [
        "👨\u200d👩\u200d👧\u200d👦",
        "👍🏽",
        "🇩🇪",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "1️⃣",
    ],
)
def test_an_emoji_of_many_code_points_is_one_token_even_between_words(cluster):
    assert tokenize(f"a{cluster}{cluster}7") == ("a", cluster, cluster, "7")


def test_a_combining_accent_stays_on_its_letter():
    assert tokenize("e\u0301a n\u0303") == ("e\u0301a", "n\u0303")
    assert tokenize("e\u0301")[0] != "e"


@pytest.mark.parametrize("text", ["", " ", "\u3000\t\r\n", "\x00\x1b", "\u200b\u200d\ufeff\u2060", "\u3164"])
def test_what_has_no_shape_is_no_token(text):
    assert tokenize(text) == ()
    assert check_text(text) == TextFault("empty", 0, 1)


def test_a_lone_surrogate_is_a_token_and_breaks_nothing():
    assert tokenize("a\ud83db") == ("a", "\ud83d", "b")


@PATIENT
@given(ANY)
def test_tokens_are_pieces_of_the_text_in_order_that_cut_no_cluster_and_lose_nothing_visible(text):
    boundaries = {0, *(cluster.end() for cluster in regex.finditer(r"\X", text))}
    position = 0
    skipped = []
    for token in tokenize(text):
        start = text.index(token, position)
        skipped.append(text[position:start])
        position = start + len(token)
        assert {start, position} <= boundaries
        assert token.strip()
    skipped.append(text[position:])
    assert regex.fullmatch(r"[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]*", "".join(skipped))


@PATIENT
@given(ANY, ANY)
def test_cutting_a_text_at_a_line_break_changes_no_token_when_no_chinese_words_are_marked(left, right):
    both = f"{left}\n{right}"
    if regex.search(r"\s", left + right) is None:
        assert tokenize(both) == tokenize(left) + tokenize(right)


def test_limits_are_reported_with_both_values_at_the_first_step_beyond():
    assert check_text("a" * MAX_CHARACTERS) is None
    assert check_text("a" * (MAX_CHARACTERS + 1)) == TextFault("too_many_characters", 513, 512)
    assert check_text("爱" * MAX_TOKENS) is None
    assert check_text("爱" * (MAX_TOKENS + 1)) == TextFault("too_many_tokens", 65, 64)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a b " * 40, "a b " * 32),
        ("a" * 600, "a" * 512),
        ("爱" * 70, "爱" * 64),
        ("a " * 63 + "爱爱 猫 b", "a " * 63 + "爱"),
        (" " * 600 + "a", ""),
        ("👨\u200d👩\u200d👧\u200d👦" * 90, "👨\u200d👩\u200d👧\u200d👦" * 64),
        ("e" + "\u0301" * 600, ""),
        ("a" * 511 + "e\u0301", "a" * 511),
    ],
)
def test_the_nearest_legal_text_is_the_longest_legal_beginning(text, kept):
    assert nearest_legal(text) == kept


@PATIENT
@given(st.one_of(ANY, st.lists(HOSTILE, max_size=90).map("".join)))
def test_the_nearest_legal_text_is_legal_and_no_longer_beginning_is(text):
    kept = nearest_legal(text)
    assert text.startswith(kept)
    assert kept == "" or check_text(kept) is None
    if check_text(text) is None:
        assert kept == text
    for cluster in regex.finditer(r"\X", text[:600]):
        end = cluster.end()
        if len(kept) < end < MAX_CHARACTERS and end < len(text):
            assert check_text(text[:end]) is not None


def test_ids_number_tokens_by_first_appearance():
    assert ids(("the", "cat", "saw", "the", "dog")) == (0, 1, 2, 0, 3)
    assert ids(()) == ()
