"""Charts are compiled once, take any frame, and keep repeated words apart."""

import copy

import pytest

from attention_core.cost import VARIANTS
from attention_core.experiments.timed_kernels import KERNELS
from dashboard.charts import costs
from dashboard.charts.bars import bars_frame, weight_bars
from dashboard.charts.costs import cost_lines, cost_table, spans_widely
from dashboard.charts.decoding import spreads_widely, times_frame, token_times
from dashboard.charts.depths import DepthLine, depth_lines, depth_table
from dashboard.charts.dressed import arrows_table, dressed_arrows, paths_table, square_around, word_paths
from dashboard.charts.errors import error_frame, error_lines
from dashboard.charts.histogram import histogram, histogram_frame
from dashboard.charts.layers import layer_frame, layer_lines
from dashboard.charts.measured import DASHES, SHAPES, measured_frame, measured_points
from dashboard.charts.plane import arrows, arrows_frame
from dashboard.charts.recall import recall_lines, recall_table
from dashboard.charts.starts import start_lines
from dashboard.charts.sweep import sweep_frame, sweep_lines
from dashboard.charts.timings import timing_frame, timing_lines
from dashboard.charts.variance import variance_frame, variance_lines
from dashboard.roles import HUES
from dashboard.text.complexity_growth import PARTS

SPECS = {
    "bars": lambda: weight_bars("key", "weights", 5),
    "arrows": lambda: arrows("along q", "beside", "query Q", "key K", "#0072B2", "#B54F00"),
    "costs": lambda: cost_lines("N", "FLOPs", (("full", 0), ("fused", 3)), (16, 10**6), is_wide=True),
    "measured": lambda: measured_points(
        "N", "ms", "kernel", "formula", (("traced", 0), ("flash", 2)), (64, 2048), is_wide=True
    ),
    "depths": lambda: depth_lines(
        "layer", "cosine", ("chosen", "others"), top=1, hues=("#A3487C", "#5F6368")
    ),
    "one depth": lambda: depth_lines("layer", "distance", ("distance",)),
    "dressed": lambda: dressed_arrows(
        "first axis", "second axis", ("bare", "dressed"), ("#5F6368", "#A3487C")
    ),
    "paths": lambda: word_paths("first axis", "second axis", ("first", "second")),
    "layers": lambda: layer_lines("layer", "gradient", ("before", "now", "well"), "gone", is_share=False),
    "timings": lambda: timing_lines("tokens N", "time", "form", ("loop", "matmul")),
    "decoding": lambda: token_times("token t", "time", "way", ("without", "with"), 20, is_wide=False),
    "histogram": lambda: histogram("score", "share", "measured", "normal"),
    "starts": lambda: start_lines("d_model", "std of scores", ("nn.Linear", "rand"), is_share=False),
    "variance": lambda: variance_lines("d_k", "variance", "median", "theory"),
    "errors": lambda: error_lines("size", "error", "line", "yours", "zeros", (("window", 0), ("linear", 7))),
    "recall": lambda: recall_lines(
        "N", "share", "theory", ("attention", "fixed", "d = 8"), ("by attention", "from one vector"), 256
    ),
    "sweep": lambda: sweep_lines("d_k", "largest weight", "divisor", ("none", "√d_k"), "your guess", 1.0),
}


@pytest.mark.parametrize("make", SPECS.values(), ids=SPECS)
def test_a_spec_is_compiled_once_and_holds_no_data(make) -> None:
    spec = make()
    assert spec is make()
    assert not {"data", "datasets", "config"} & spec.keys()
    assert all("data" not in layer for layer in spec.get("layer", ()))


@pytest.mark.parametrize("make", SPECS.values(), ids=SPECS)
def test_no_legend_cuts_the_outline_of_a_shape_into_dashes(make) -> None:
    encodings = [layer.get("encoding", {}) for layer in make().get("layer", ())]
    fields = {
        name: {each[name]["field"] for each in encodings if name in each} for name in ("shape", "strokeDash")
    }
    assert not fields["shape"] & fields["strokeDash"], "Vega makes one legend of both"
    legends = [each["strokeDash"]["legend"] for each in encodings if "strokeDash" in each]
    assert all(legend is None or legend["symbolType"] == "stroke" for legend in legends)


def test_showing_a_chart_leaves_its_spec_as_it_was() -> None:
    from streamlit.testing.v1 import AppTest

    spec = SPECS["arrows"]()
    before = copy.deepcopy(spec)

    def page() -> None:
        import streamlit as st

        from dashboard.charts.plane import arrows, arrows_frame

        frame = arrows_frame([(1.0, 0.0)], ["q"], ["query Q"])
        st.vega_lite_chart(frame, arrows("along q", "beside", "query Q", "key K", "#0072B2", "#B54F00"))

    assert not AppTest.from_function(page).run().exception
    assert SPECS["arrows"]() == before


def test_repeated_words_keep_their_own_bar_in_the_order_of_the_sentence() -> None:
    frame = bars_frame(["the", "cat", "saw", "the", "dog"], [0.1, 0.2, 0.3, 0.15, 0.25])
    assert frame["key"].tolist() == ["1 the", "2 cat", "3 saw", "4 the", "5 dog"]
    assert SPECS["bars"]()["encoding"]["y"]["sort"] is None


def test_weights_are_drawn_on_a_fixed_scale_from_zero_to_one() -> None:
    assert SPECS["bars"]()["encoding"]["x"]["scale"]["domain"] == [0, 1]


def test_both_axes_of_the_plane_reach_equally_far_past_the_longest_arrow() -> None:
    frame = arrows_frame([(3.0, -1.0), (0.5, 2.0)], ["q", "k"], ["query", "key"])
    corners = frame[frame["part"] == "corner"]
    assert corners["x"].tolist() == corners["y"].tolist()
    assert corners["x"].max() == -corners["x"].min() > 3.0
    assert frame[frame["part"] == "tip"][["x", "y"]].values.tolist() == [[3.0, -1.0], [0.5, 2.0]]


def test_arrows_of_length_zero_leave_axes_that_have_a_length() -> None:
    frame = arrows_frame([(0.0, 0.0)], ["q"], ["query"])
    assert frame["x"].max() > 0


def test_times_stand_in_named_columns() -> None:
    frame = timing_frame([("loop", 8, 3.0, 2.0, 5.0)])
    assert frame.to_dict("records") == [
        {"form": "loop", "n": 8, "median_us": 3.0, "lowest_us": 2.0, "highest_us": 5.0}
    ]


def luminance(code: str) -> float:
    channels = [int(code[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("role", HUES)
def test_a_role_s_hue_can_be_read_as_text_on_its_theme(role: str, theme: str) -> None:
    page = {"light": "#FFFFFF", "dark": "#1F1F1F"}[theme]
    light, dark = sorted((luminance(HUES[role][theme]), luminance(page)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_a_unit_of_the_plane_is_as_long_across_as_up() -> None:
    spec = SPECS["arrows"]()
    assert spec["width"] == spec["height"]
    assert spec["autosize"]["type"] == "pad", (
        "titles and legend would else be taken from the sides, unequally"
    )


def test_names_on_the_plane_do_not_cover_each_other_and_the_query_keeps_its_own() -> None:
    tips = [(0.1, 0.0), (0.1, 0.01), (3.0, 3.0), (-3.0, 3.0), (2.99, 3.0)]
    names = ["q1 cat", "k1 the", "k2 cat", "k3 dog", "k4 ran"]
    frame = arrows_frame(tips, names, ["query", *["key"] * 4])
    tips_frame = frame[frame["part"] == "tip"]
    assert tips_frame["label"].tolist() == ["q1 cat", "", "k2 cat", "k3 dog", ""]
    assert tips_frame["name"].tolist() == names, "the table and the tooltips name all"


def test_a_histogram_stands_on_zero_and_its_normal_goes_through_the_middles() -> None:
    assert SPECS["histogram"]()["layer"][0]["encoding"]["y2"] == {"datum": 0}
    frame = histogram_frame([(0.0, 2.0, 0.25, 0.2), (2.0, 4.0, 0.75, 0.8)], "measured", "normal")
    assert frame["middle"].tolist() == [1.0, 3.0]


def test_a_density_that_jumps_is_drawn_as_steps_that_meet_at_the_edges_of_the_bars() -> None:
    ways = [
        histogram("score", "share", "measured", "theory", is_stepped=is_stepped)["layer"][1]["mark"][
            "interpolate"
        ]
        for is_stepped in (False, True)
    ]
    assert ways == ["linear", "step"]  # a step changes half-way between the middles of two bars


def test_a_variance_of_zero_has_no_place_on_a_logarithmic_axis() -> None:
    frame = variance_frame([(1, 0.0, 0.0, 0.5, 1.0), (2, None, None, None, 2.0)], "median", "theory")
    assert frame[["lowest", "median"]].isna().all().all()
    assert frame["highest"].tolist()[0] == 0.5
    assert frame["expected"].tolist() == [1.0, 2.0]


def test_a_guess_is_a_part_of_its_own_with_a_name_at_its_end() -> None:
    frame = sweep_frame([("none", 1, 0.2, 0.01), ("none", 2, None, None)], [(1, 0.2), (2, 1.0)])
    guess = frame[frame["part"] == "guess"]
    assert guess["value"].tolist() == [0.2, 1.0]
    assert guess["is_last"].tolist() == [False, True]
    measured = frame[frame["part"] == "measured"]
    assert measured["low"].tolist()[0] == pytest.approx(0.18)
    assert measured["value"].isna().tolist() == [False, True]


def test_lines_of_the_sweep_differ_by_more_than_colour() -> None:
    from dashboard.charts.sweep import DASHES, SHAPES

    looks = [(str(dash), shape) for dash, shape in zip(DASHES, SHAPES, strict=True)]
    assert len(set(looks)) == 5


def test_a_logarithmic_axis_leaves_out_zeros_and_an_even_one_keeps_them() -> None:
    lines = [("before", [0.5, 0.0]), ("now", [1.0, 2.0])]
    uneven, even = (layer_frame(lines, 1e-3, is_share=is_share) for is_share in (False, True))
    assert uneven["value"].isna().tolist() == [False, True, False, False]
    assert even["value"].tolist() == [0.5, 0.0, 1.0, 2.0]
    assert even["layer"].tolist() == [1, 2, 1, 2]
    assert even["threshold"].notna().tolist() == [True, False, False, False], "one rule, not one a point"
    assert layer_frame(lines, None, is_share=True)["threshold"].isna().all()


def test_lines_keep_their_colours_whatever_is_drawn_and_only_a_meter_with_a_threshold_names_it() -> None:
    spec = SPECS["layers"]()
    for layer in spec["layer"][:2]:
        assert layer["encoding"]["color"]["scale"]["domain"] == ["before", "now", "well"]
        assert layer["encoding"]["y"]["scale"] == {"type": "log"}
    assert "gone" in spec["title"]["text"]
    bare = layer_lines("layer", "weight", ("before", "now", "well"), "", is_share=True)
    assert "title" not in bare
    assert bare["layer"][0]["encoding"]["y"]["scale"]["domain"] == [0, 1]


def test_costs_of_0_have_no_place_and_rules_stand_on_the_side_with_room() -> None:
    lines = [("full", [(1, 3), (10, 300), (100, 30000)]), ("fused", [(1, 0), (10, 0), (100, 0)])]
    said = [f"point {place}" for place in range(6)]
    table = cost_table(lines, said, [("now", 2.0), ("cross", 50.0)])
    frame = table.to_pandas()
    assert frame["cost"].iloc[:3].tolist() == [3, 300, 30000]
    assert frame["cost"].iloc[3:].isna().all()
    assert frame["said"].dropna().tolist() == said
    marks = frame[frame["mark"].notna()]
    assert marks[["mark", "size"]].values.tolist() == [["now", 2.0], ["cross", 50.0]]
    assert marks["is_late"].tolist() == [False, True]
    near = cost_table(lines, said, [("now", 12.0), ("cross", 8.0)]).to_pandas()
    assert near["is_late"].dropna().tolist() == [False, True], "apart from each other"
    assert marks["height"].is_monotonic_increasing
    assert spans_widely(table)
    assert not spans_widely(cost_table([("full", [(1, 3), (2, 2999)])], ["3", "2,999"], []))
    assert not spans_widely(cost_table([], [], []))


def test_a_line_of_costs_keeps_its_look_whichever_others_are_drawn() -> None:
    def looks(*places: int) -> list:
        lines = tuple((str(place), place) for place in places)
        spec = cost_lines("N", "FLOPs", lines, (1, 1), is_wide=False)
        encoding = spec["layer"][0]["layer"][0]["encoding"]
        assert encoding["x"]["scale"]["domain"] == [0.5, 2]
        names = ("color", "strokeDash", "strokeWidth")
        return [encoding[name]["scale"]["range"][places.index(3)] for name in names]

    assert looks(0, 1, 3) == looks(3) == looks(3, 9)
    n_lines = len(VARIANTS) + len(PARTS)
    assert len({*costs.HUES}) == len(costs.HUES) == len(costs.DASHES) == len(costs.WIDTHS) == n_lines
    encoding = SPECS["costs"]()["layer"][0]["layer"][0]["encoding"]
    assert encoding["x"]["axis"]["values"] == [100, 1000, 10_000, 100_000, 1_000_000]
    assert encoding["x"]["scale"]["domain"] == [16, 10**6]
    assert encoding["x"]["scale"]["type"] == encoding["y"]["scale"]["type"] == "log"


def test_what_a_logarithmic_axis_has_no_place_for_is_left_out_of_the_points() -> None:
    rows = [("a", 8, 2.0, 1.0, 3.0, 1.5), ("a", 16, None, None, None, 6.0), ("b", 8, 0.0, 0.0, 1.0, 1.5)]
    frame = measured_frame(rows, [("2", "1.5"), ("–", "6"), ("0", "1.5")])
    assert frame["value"].isna().tolist() == [False, True, True]
    assert frame["formula"].tolist() == [1.5, 6.0, 1.5]
    assert frame["said"].tolist() == ["2", "–", "0"]


def test_a_kernel_keeps_its_look_whichever_others_are_measured() -> None:
    def looks(*places: int) -> list:
        kernels = tuple((str(place), place) for place in places)
        spec = measured_points("N", "ms", "kernel", "formula", kernels, (64, 64), is_wide=False)
        line, *_, point = (layer["encoding"] for layer in spec["layer"])
        scales = [line["color"], line["strokeDash"], line["strokeWidth"], point["shape"]]
        return [scale["scale"]["range"][places.index(3)] for scale in scales]

    assert looks(0, 1, 3) == looks(3) == looks(3, 7)
    alone = [looks(place, 3) for place in range(3)]
    assert all(one == alone[0] for one in alone)
    assert len({str(dash) for dash in DASHES}) == len(set(SHAPES)) == len(KERNELS)


def test_times_of_tokens_end_with_the_text_and_their_lines_differ_by_more_than_colour() -> None:
    encoding = SPECS["decoding"]()["layer"][1]["encoding"]
    assert encoding["x"]["scale"]["domain"] == [1, 20]
    assert encoding["x"]["axis"]["values"] == [1, 2, 4, 8, 16]
    for name in ("color", "strokeDash"):
        first, second = encoding[name]["scale"]["range"]
        assert first != second
    one = token_times("token t", "time", "way", ("without", "with"), 1, is_wide=False)
    assert one["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0.5, 2]
    frame = times_frame([("with", "2–3", 2.5, 4.0, 1.0, 9.0)])
    assert frame["place"].tolist() == [2.5]
    assert not spreads_widely(frame)
    assert spreads_widely(times_frame([("with", "2–3", 2.5, 4.0, 1.0, 200.0)]))


def test_errors_have_their_own_points_and_a_rule_where_zeros_lie() -> None:
    frame = error_frame([("window", 4, 0.5, 0.4, 0.6)], [("window", 2, 0.9)], "N = 6")
    assert frame.part.tolist() == ["drawn", "own", "zeros"]
    assert frame.error.tolist() == [0.5, 0.9, 1.0]
    assert (frame.low[0], frame.high[0], frame.own[1]) == (0.4, 0.6, "N = 6")


def test_whiskers_of_shares_end_at_0_and_1_and_a_sentences_marks_have_none() -> None:
    rows = [("fixed", 2, 0.99, 0.02, 0.97), ("fixed", 4, 0.01, 0.02, 0.1), ("attention", 2, 1.0, None, None)]
    table = recall_table(rows, [("fixed", "from one vector", 9, 0.25)]).to_pylist()
    assert [(row["low"], row["high"]) for row in table[:3]] == [(0.95, 1.0), (0.0, 0.05), (1.0, 1.0)]
    assert [row["mark"] for row in table] == [None, None, None, "from one vector"]
    assert (table[-1]["n"], table[-1]["value"], table[-1]["low"], table[-1]["expected"]) == (
        9,
        0.25,
        None,
        None,
    )


def test_lines_by_depth_keep_their_order_their_gaps_and_one_rule() -> None:
    lines = [
        DepthLine("others", [1.0, 0.5, None], width=1.5),
        DepthLine("chosen", [1.0, 0.2, 0.1], ends=[(1, 1), None, (0, 0.3)], said=["a", "b", "c"]),
    ]
    rows = depth_table(lines, open_depth=2).to_pylist()
    assert [row["kind"] for row in rows] == ["others"] * 3 + ["chosen"] * 3, "the chosen one lies on top"
    assert [row["depth"] for row in rows] == [0, 1, 2] * 2
    assert rows[2]["value"] is None
    assert [(row["low"], row["high"]) for row in rows[3:]] == [(1, 1), (None, None), (0, 0.3)]
    assert [row["said"] for row in rows] == [None] * 3 + ["a", "b", "c"]
    assert [row["open"] for row in rows if row["open"] is not None] == [2]
    assert depth_table(lines[:1]).column("open").null_count == 3
    assert depth_table([]).num_rows == 0


def test_arrows_of_repeated_words_stay_apart_and_the_chosen_one_keeps_its_name_on_top() -> None:
    bare, dressed = [(0.0, 0.0)] * 3, [(1.0, 1.0), (1.0, 1.01), (-1.0, 0.5)]
    names, kinds = ["1 the", "2 the", "3 cat"], ("bare", "dressed")
    table, unnamed = arrows_table(bare, dressed, names, kinds, 1, square_around([*bare, *dressed]))
    rows = table.to_pylist()
    tips = {row["arrow"]: row for row in rows if row["part"] == "tip"}
    assert {arrow: tip["label"] for arrow, tip in tips.items()} == {0: "", 1: "2 the", 2: "3 cat"}
    assert unnamed == 1
    assert [(tips[arrow]["x"], tips[arrow]["y"]) for arrow in range(3)] == dressed
    assert [row["arrow"] for row in rows if row["part"] != "corner"][-1] == 1
    assert tips[1]["strength"] == 1 > tips[0]["strength"]
    assert tips[2]["is_left"]
    assert not tips[0]["is_left"]


def test_paths_of_a_word_are_framed_by_a_square_that_holds_them() -> None:
    table = paths_table(
        [[(0.0, 0.0), (4.0, 1.0)], [(0.0, 0.0), (2.0, 3.0)]],
        ("first", "second"),
        [["0", "1"], ["", "1"]],
        [["a", "b"], ["c", "d"]],
    )
    rows = table.to_pylist()
    corners = [(row["x"], row["y"]) for row in rows if row["part"] == "corner"]
    (left, low), (right, high) = corners
    assert right - left == pytest.approx(high - low)
    assert left < 0
    assert right > 4
    assert [row["label"] for row in rows if row["part"] == "point"] == ["0", "1", "", "1"]
    assert [row["is_left"] for row in rows if row["part"] == "point"] == [True, False, True, False]
