"""Renders templates by the service's rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from .._errors import Invalid
from .ecmascript import WHITE_SPACE, array_index, text_of

_PLACEHOLDER: Final = re.compile(rf"\{{\{{[{WHITE_SPACE}]*([A-Za-z0-9_.]+)[{WHITE_SPACE}]*\}}\}}")


def render_template(
    content: str,
    variables: Mapping[str, Any] | None = None,
    declared: Iterable[Mapping[str, Any]] = (),
) -> str:
    """Replace `{{ name }}` by the value in `variables`, else by the default in `declared`.

    The full name is looked up first, then its segments (`customer.name`). Without a value and a default the
    placeholder remains. Placeholders inside values are not replaced. Numbers, lists and mappings are formatted as
    in JavaScript; values of other types by `str`. Raises `Invalid` for a value that contains itself.
    """
    values = {} if variables is None else variables
    defaults = {variable.get("name"): variable.get("default") for variable in declared}

    def fill(match: re.Match[str]) -> str:
        name = match[1]
        value = _look_up(values, name)
        if value is None:
            value = defaults.get(name)
        return match[0] if value is None else text_of(value)

    try:
        return _PLACEHOLDER.sub(fill, content)
    except RecursionError:
        raise Invalid("A variable contains itself, or is nested too deep for JSON.") from None


def _look_up(values: Mapping[str, Any], name: str) -> object:
    if name in values:
        return values[name]
    value: object = values
    for part in name.split("."):
        value = _member(value, part)
        if value is None:
            return None
    return value


def _member(value: object, name: str) -> object:
    """Return an own property as in ECMAScript: lists have their indices and `length`."""
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, (list, tuple)):
        if name == "length":
            return len(value)
        index = array_index(name)
        return value[index] if index is not None and index < len(value) else None
    return None
