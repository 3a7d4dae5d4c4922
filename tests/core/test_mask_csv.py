"""Masks as files: there and back, what is tolerated, and hostile files."""

import contextlib
import csv

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import mask_csv, patterns
from attention_core.mask_csv import (
    MAX_CSV_BYTES,
    MaskFileError,
    as_csv,
    read_mask_csv,
    read_nearest_mask,
    write_mask_csv,
)
from attention_core.patterns import MAX_SIDE, PATTERNS

TRIANGLE = [[1, 0], [1, 1]]


def bits(allowed):
    return allowed.int().tolist()


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(sorted(PATTERNS)), n=st.integers(0, 6), m=st.integers(0, 6), as_bytes=st.booleans()
)
def test_a_mask_comes_back_from_its_file(name, n, m, as_bytes):
    allowed = PATTERNS[name].make().build(n, m)
    text = write_mask_csv(allowed)
    assert torch.equal(read_mask_csv(text.encode() if as_bytes else text, n, m), allowed)


@pytest.mark.parametrize(
    "data",
    [
        "1,0\n1,1\n",
        "1,0\n1,1",
        "1,0\r\n1,1\r\n",
        "1,0\r1,1\r",
        "\ufeff1,0\n1,1\n",
        b"\xef\xbb\xbf1,0\r\n1,1\r\n",
        "true,false\nTRUE,True\n",
        '"1","0"\n"true","1"\n',
        " 1 , 0\n\t1,1 \n",
        "\n1,0\n\n1,1\n,\n\n",
        "the,cat\n1,0\n1,1\n",
        "true,cat\n1,0\n1,1\n",
        ",the,1\nthe,1,0\ncat,1,1\n",
        "the,1,0\ncat,1,1\n",
        '"a ""b"", c",d\n1,0\n1,1\n',
        '"two\nlines",d\n1,0\n1,1\n',
        "爱,猫\n1,0\n1,1\n".encode(),
        "0,1\n1,0\n1,1\n",
        ",0,1\n0,1,0\n1,1,1\n",
        '"","V1","V2"\n"1",1,0\n"2",1,1\n',
    ],
)
def test_line_ends_marks_words_spaces_headers_and_labels_are_tolerated(data):
    assert bits(read_mask_csv(data, 2, 2)) == TRIANGLE


def refusal(data, n=2, m=2):
    with pytest.raises(MaskFileError) as caught:
        read_mask_csv(data, n, m)
    return caught.value


def test_a_larger_mask_is_not_taken_for_one_with_header_and_labels():
    error = refusal(write_mask_csv(patterns.causal().build(3)))
    assert (error.kind, error.values) == ("wrong_shape", (3, 3, 2, 2))
    no_empty_corner = refusal("1,0,1\n0,1,0\n1,1,1\n")
    assert (no_empty_corner.kind, no_empty_corner.values) == ("wrong_shape", (3, 3, 2, 2))
    for data in ("1,0\n1,0\n1,1\n", "1,2\n1,0\n1,1\n1,0", "1,1\n1,0\n1,1\n"):
        assert refusal(data).kind == "wrong_shape", "a first row that does not count is a row"
    assert bits(read_mask_csv("0\n1\n", 1, 1)) == [[1]]
    assert refusal("1\n1\n", 1, 1).kind == "wrong_shape"
    assert str(error) == "the mask has 2 rows and 2 columns, the file 3 rows and 3 columns"


@pytest.mark.parametrize(
    ("data", "values"),
    [
        ("1,0\n", (1, 2, 2, 2)),
        ("1,0\n1,1\n1,1\n", (3, 2, 2, 2)),
        ("1,0,0\n1,1,0\n", (2, 3, 2, 2)),
        ("1\n1\n", (2, 1, 2, 2)),
        ("1,0\n1\n", (2, -1, 2, 2)),
        ("1;0\n1;1\n", (2, 1, 2, 2)),
        ("a,b\nc,d\n1,0\n1,1\n", (4, 2, 2, 2)),
    ],
)
def test_another_shape_is_refused_with_both_shapes(data, values):
    error = refusal(data)
    assert (error.kind, error.values) == ("wrong_shape", values)


@pytest.mark.parametrize(
    ("data", "values"),
    [
        ("1,0\n1,2\n", (2, 2, "2")),
        ("1,0\n\n,1\n", (3, 1, "")),
        ("1,0\n1,nan\n", (2, 2, "nan")),
        ("1,0\n1,NaN\n", (2, 2, "NaN")),
        ("the,1,0\ncat,1,TRUe1\n", (2, 3, "TRUe1")),
        ("1,0\n1,1.0\n", (2, 2, "1.0")),
        ("1,0\n1,yes\n", (2, 2, "yes")),
        ("1,0\n1,\x00\n", (2, 2, "\x00")),
        ("1,0\n1,=cmd()\n", (2, 2, "=cmd()")),
        ("1,0\n1,１\n", (2, 2, "１")),
        ("1,0\n1,\ud800\n", (2, 2, "\ud800")),
        ("h,i\n1,0\n1,x\n", (3, 2, "x")),
        ("a,b\n1,0\n", (1, 1, "a")),
        ("the,1,0\ncat,1,x\n", (2, 3, "x")),
        ("1,0\n1," + "9" * 5000, (2, 2, "9" * 20)),
    ],
)
def test_a_cell_that_is_neither_is_refused_with_its_place_in_the_file(data, values):
    error = refusal(data)
    assert (error.kind, error.values) == ("wrong_cell", values)
    assert f"line {values[0]}, column {values[1]}" in str(error)


@pytest.mark.parametrize("data", ["", "\n\n", ",\n , \n", b"", "\ufeff"])
def test_a_file_without_a_cell_is_said_to_be_empty(data):
    error = refusal(data)
    assert (error.kind, error.values) == ("empty", (2, 2))
    assert "holds no cell" in str(error)
    assert read_mask_csv(data, 0, 2).shape == (0, 2)


@pytest.mark.parametrize(
    "typed",
    [
        "10\n11",
        "10/11",
        "1 0\r\n1 1\r\n",
        "1;0\n1;1",
        "1\t0\n1\t1",
        "[[1, 0], [1, 1]]",
        "[[ True, False],\n        [ True, True]]",
        "true false/true true",
        "1,0\n11",
        "\tthe\t1\nthe\t1\t0\ncat\t1\t1",
        '"the, cat",b\n1,0\n1,1',
        "\n10\n\n11\n",
    ],
)
def test_a_table_is_read_however_it_is_typed(typed):
    assert bits(read_mask_csv(as_csv(typed), 2, 2)) == TRIANGLE


def test_a_typed_cell_is_refused_with_the_line_and_column_where_it_stands():
    for typed, values in {
        "10\n\n1x": (3, 2, "x"),
        "1 0\n1 2": (2, 2, "2"),
        "[[1, 0], [1, 7]]": (2, 2, "7"),
    }.items():
        error = refusal(as_csv(typed))
        assert (error.kind, error.values) == ("wrong_cell", values)


@pytest.mark.parametrize(
    ("data", "nearest"),
    [
        ("0,x\n0,0,1", [[0, 1], [0, 0]]),
        ("", [[1, 1], [1, 1]]),
        ("the,0,1\ncat,0,x", [[0, 1], [0, 1]]),
        ("h,i\n0,1\n0,", [[0, 1], [0, 1]]),
        ("0\n0\n0\n0", [[0, 1], [0, 1]]),
    ],
)
def test_what_can_be_read_is_kept_and_the_rest_is_as_it_was(data, nearest):
    otherwise = torch.ones(2, 2, dtype=torch.bool)
    assert bits(read_nearest_mask(data, otherwise)) == nearest
    assert otherwise.all(), "the mask that was given is not changed"


def test_the_largest_mask_fits_into_the_limit_with_line_ends_a_mark_and_a_header():
    largest = 2 * MAX_SIDE**2 + MAX_SIDE + 3
    header = len(",".join(map(str, range(MAX_SIDE)))) + 2
    assert largest + header <= MAX_CSV_BYTES < 10_000_000


@pytest.mark.parametrize("data", [b"1," * 5_000_000, "1," * 5_000_000])
def test_10_megabytes_are_refused_before_they_are_read(data, monkeypatch):
    def must_not_be_called(*_):
        raise AssertionError("the file was parsed")

    monkeypatch.setattr(csv, "reader", must_not_be_called)
    monkeypatch.setattr(mask_csv, "_rows", must_not_be_called)
    error = refusal(data)
    assert (error.kind, error.values) == ("too_large", (10_000_000, MAX_CSV_BYTES))
    assert f"MAX_CSV_BYTES={MAX_CSV_BYTES}" in str(error)


def test_a_mask_too_large_is_refused_before_the_file_is_read():
    with pytest.raises(ValueError, match=f"MAX_SIDE={MAX_SIDE}"):
        read_mask_csv("1", MAX_SIDE + 1, 1)
    with pytest.raises(ValueError, match="n_queries=-1"):
        read_mask_csv("1", -1, 1)
    with pytest.raises(ValueError, match=f"MAX_SIDE={MAX_SIDE}"):
        write_mask_csv(torch.ones(1, MAX_SIDE + 1, dtype=torch.bool))


def test_bytes_that_are_no_utf8_are_refused_with_their_place():
    error = refusal(b"1,0\n\xff,1\n")
    assert (error.kind, error.values) == ("not_utf8", (4,))
    assert refusal("1,0\n1,1\n".encode("utf-16")).kind == "not_utf8"


def test_a_cell_without_end_is_refused():
    error = refusal('1,0\n1,"' + "1" * 200_000)
    assert error.kind == "not_csv"
    assert error.values[0] >= 2


@settings(max_examples=150, deadline=None)
@given(
    data=st.one_of(st.binary(max_size=60), st.text(alphabet='01,\n\r"truefals\ufeff;= x[]/\t', max_size=60))
)
def test_any_file_is_a_mask_or_refused_as_one(data):
    with contextlib.suppress(MaskFileError):
        assert read_mask_csv(data, 2, 2).shape == (2, 2)
    if isinstance(data, str):
        with contextlib.suppress(MaskFileError):
            assert read_nearest_mask(as_csv(data), torch.ones(2, 2, dtype=torch.bool)).shape == (2, 2)
