"""The token, and keeping it out of every text."""

from __future__ import annotations

from ._errors import Invalid


class Credentials:
    """The token of a client. `generation` counts how often it was replaced."""

    def __init__(self, token: str | None) -> None:
        self._token = _checked(token)
        self.generation = 0

    @property
    def token(self) -> str | None:
        """The token in force; None when the app gave none."""
        return self._token

    def replace(self, token: str | None) -> None:
        """Use another token from now on. Raises `Invalid` for one that no header can carry."""
        self._token = _checked(token)
        self.generation += 1

    def redact(self, text: str) -> str:
        """The text of somebody else, without our token, should it repeat it."""
        return text.replace(self._token, "[token]") if self._token else text


def _checked(token: str | None) -> str | None:
    if token is None or token == "":
        return None
    if not isinstance(token, str) or not all("!" <= character <= "~" for character in token):
        raise Invalid("The token must be visible ASCII characters without spaces, as the service made it.")
    return token
