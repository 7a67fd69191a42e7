"""Behaviour specific to Python: types without a JSON form, errors that are raised again."""

from __future__ import annotations

import datetime
import decimal
import enum
import pickle
from types import MappingProxyType

import pytest

from promptdeck import Dropped, Invalid, Message, NotFound, render_messages, render_template


class Colour(str, enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Colour.RED, "red"),
        (Level.HIGH, "3"),
        (True, "true"),
        ((1, 2.0, None), "[1,2,null]"),
        (MappingProxyType({"a": Colour.RED}), '{"a":"red"}'),
        ({2: "b", "1": "a", None: 0, 1.5: "c"}, '{"1":"a","2":"b","null":0,"1.5":"c"}'),
        (decimal.Decimal("10.50"), "10.50"),
        (datetime.date(2026, 11, 21), "2026-11-21"),
        ([datetime.date(2026, 11, 21)], '["2026-11-21"]'),
        (float("nan"), "NaN"),
        (10**400, "Infinity"),
        ([float("-inf"), 10**400], "[null,null]"),
        (["\ud83d\ude00", "\ude00"], '["\U0001f600","\\ude00"]'),
        (-1e-7, "-1e-7"),
        (1.5e300, "1.5e+300"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e21, "1e+21"),
    ],
)
def test_values_are_formatted(value: object, text: str) -> None:
    assert render_template("{{value}}", {"value": value}) == text


def test_a_value_that_contains_itself_is_rejected() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(Invalid, match="contains itself"):
        render_template("{{loop}}", {"loop": loop})


def test_errors_can_be_copied_and_pickled() -> None:
    error = NotFound("gone", status=404, request_id="r-1")
    for copy in (error.again(), pickle.loads(pickle.dumps(error))):  # noqa: S301
        assert (type(copy), str(copy), copy.status, copy.request_id) == (NotFound, "gone", 404, "r-1")
    dropped = pickle.loads(pickle.dumps(Dropped("lost", count=3)))  # noqa: S301
    assert (str(dropped), dropped.count) == ("lost", 3)


@pytest.mark.parametrize("history", ["Hello", {"role": "user", "content": "Hello"}, ["Hello"], 3])
def test_placeholder_takes_a_list_of_messages_only(history: object) -> None:
    with pytest.raises(Invalid, match="placeholder history"):
        render_messages([{"placeholder": "history"}], placeholders={"history": history})  # type: ignore[dict-item]


def test_messages_of_a_tuple_are_inserted() -> None:
    history: tuple[Message, ...] = ({"role": "user", "content": "{{name}}"},)
    assert render_messages([{"placeholder": "history"}], {"name": "Ada"}, placeholders={"history": history}) == [
        {"role": "user", "content": "{{name}}"}
    ]
