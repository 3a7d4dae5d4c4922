"""Reads a page as a visitor does: its sentences, its tables, the numbers of its grids."""

import base64
import json
import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

from dashboard.grid.picture import HIDDEN

CHINESE = re.compile(r"[\u3400-\u9fff]")
SPEAKING = ("title", "header", "subheader", "markdown", "caption", "info", "warning", "error", "success")
LABELLED = (
    "button",
    "text_input",
    "slider",
    "select_slider",
    "toggle",
    "selectbox",
    "number_input",
    "button_group",
    "expander",
)


def drawings(at: AppTest) -> dict[str, dict]:
    """What our component draws, by key; the parts of a bench by their own names."""
    drawn = {}
    for element in at.get("bidi_component"):
        if element.proto.component_name != "attention_lab_grid":
            continue
        data = json.loads(element.proto.json)
        if data["kind"] == "bench":
            drawn |= {part["name"]: unpacked(part["data"], data["common"]) for part in data["parts"]}
        else:
            drawn[element.proto.id.split("-")[-1]] = data
    return drawn


def unpacked(data: dict, common: list) -> dict:
    """A part as the browser reads it: cells as lists, and what the bench says once for all where it belongs."""
    lists = {
        name: data[name].split("\n")
        for name in ("texts", "exact")
        if name in data and isinstance(data[name], str)
    }
    return data | lists | {name: common[data[name]] for name in ("words", "steps") if name in data}


def numbers(drawing: dict) -> np.ndarray:
    """The matrix that a grid holds, to the last bit."""
    return np.array([float(text) for text in drawing["exact"]]).reshape(drawing["sides"])


def charts(at: AppTest) -> list[tuple[pd.DataFrame, str]]:
    """The numbers that each chart draws, and its description."""
    protos = [element.proto for element in at.get("vega_lite_chart")]
    return [(convert_arrow_bytes_to_pandas_df(proto.data.data), proto.alt) for proto in protos]


def chart_of(at: AppTest, column: str) -> tuple[pd.DataFrame, str]:
    """The chart whose numbers have this column."""
    (found,) = [chart for chart in charts(at) if column in chart[0]]
    return found


def told(at: AppTest) -> list[str]:
    """The lines that our component says, each as one text."""
    lines = [line for drawing in drawings(at).values() for line in drawing.get("lines", ())]
    return ["".join(piece["text"] for piece in line["pieces"]) for line in lines]


def levels(drawing: dict) -> np.ndarray:
    """The step on the scale of each cell of a grid, or that it has no colour or is masked."""
    return np.frombuffer(base64.b64decode(drawing["levels"]), dtype=np.uint8).reshape(drawing["sides"])


def hidden(drawing: dict) -> np.ndarray:
    """Where a grid has the look of masked cells."""
    return levels(drawing) == HIDDEN


def sentences(at: AppTest) -> list[str]:
    """Everything that is said outside widgets, as Markdown."""
    return [element.value for kind in SPEAKING for element in getattr(at, kind)]


def labels(at: AppTest) -> list[str]:
    return [element.label for kind in LABELLED for element in getattr(at, kind)]


def read_printed(printed: str) -> dict[str, list]:
    """The rows by their name: it stands on a line of its own, the rows below it, one a line."""
    rows: dict[str, list] = {}
    name = ""
    for line in printed.splitlines():
        if line.startswith("    "):
            rows[name].append(json.loads(line.replace("inf", "Infinity").replace("nan", "NaN")))
        else:
            name = line
            assert name not in rows
            rows[name] = []
    return rows


def table_rows(markdown: str) -> list[list[str]]:
    """The cells of a Markdown table, head first, without the rule."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [row for place, row in enumerate(rows) if place != 1]


def outside_code(markdown: str) -> str:
    """A sentence without its code spans: what Markdown, LaTeX and HTML can act on."""
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", markdown, flags=re.DOTALL)


def dangers(at: AppTest) -> Iterator[str]:
    """Sentences and labels with a tag outside code, and elements that would let HTML through."""
    for text in [*sentences(at), *labels(at)]:
        if re.search(r"<\s*[A-Za-z/!]", outside_code(text)):
            yield text
    for element in at.markdown:
        if element.proto.allow_html:
            yield f"lets HTML through: {element.value}"


def wrong_language(at: AppTest, language: str) -> list[str]:
    """Messages that do not speak the reader's language."""
    said = [element.value for kind in ("error", "warning", "info") for element in getattr(at, kind)]
    is_chinese = [bool(CHINESE.search(outside_code(text))) for text in said]
    return [text for text, chinese in zip(said, is_chinese, strict=True) if chinese != (language == "zh")]
