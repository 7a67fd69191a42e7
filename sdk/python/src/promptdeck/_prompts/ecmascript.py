"""Formats values as ECMAScript does, so that a rendered prompt is the same in all clients."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

WHITE_SPACE: Final = "\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
"""Characters that `\\s` matches in ECMAScript, for a character class. Python's own set differs in both directions."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ARRAY_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_LAST_ARRAY_INDEX: Final = 2**32 - 2


def number_text(value: float) -> str:
    """Return `String(value)` of a number. All numbers are doubles there, integers too."""
    try:
        double = float(value)
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"
    if double != double:
        return "NaN"
    if double in (float("inf"), float("-inf")):
        return "Infinity" if double > 0 else "-Infinity"
    if double == 0:
        return "0"
    # `repr` finds the shortest digits that parse to the number, as ECMAScript requires; only the layout differs.
    sign, digit_tuple, exponent = Decimal(repr(double)).as_tuple()
    digits = "".join(map(str, digit_tuple))
    point = len(digits) + int(exponent)
    digits = digits.rstrip("0")
    return ("-" if sign else "") + _format_digits(digits, point)


def _format_digits(digits: str, point: int) -> str:
    """Format digits with the decimal point after the first `point` of them (ECMA-262, Number::toString)."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


def array_index(name: str) -> int | None:
    """Return the array index of a property name, or None if the name is not the canonical form of one."""
    if _ARRAY_INDEX.fullmatch(name) is None or int(name) > _LAST_ARRAY_INDEX:
        return None
    return int(name)


def json_text(value: object) -> str:
    """Return `JSON.stringify(value)`; values without a JSON form are formatted by `str`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _json_string(str.__str__(value))
    if isinstance(value, (int, float)):
        text = number_text(value)
        return text if text[-1].isdigit() else "null"
    if isinstance(value, Mapping):
        members = _in_order({_name(name): member for name, member in value.items()})
        return "{" + ",".join(f"{_json_string(name)}:{json_text(member)}" for name, member in members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(json_text, value)) + "]"
    return _json_string(str(value))


def _in_order(members: Mapping[str, object]) -> list[tuple[str, object]]:
    """Order members as ECMAScript does: array indices ascending, then the rest in insertion order."""
    indexed = [(index, name) for name in members if (index := array_index(name)) is not None]
    if not indexed:
        return list(members.items())
    first = [name for _, name in sorted(indexed)]
    rest = [name for name in members if array_index(name) is None]
    return [(name, members[name]) for name in (*first, *rest)]


def _name(name: object) -> str:
    return name if isinstance(name, str) else text_of(name)


def _json_string(text: str) -> str:
    # Two adjacent halves of a surrogate pair are one character in UTF-16.
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(whole, ensure_ascii=False))


def text_of(value: object) -> str:
    """Return the text that a template shows for a value."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number_text(value)
    if value is None or isinstance(value, (bool, Mapping, list, tuple)):
        return json_text(value)
    return str(value)
