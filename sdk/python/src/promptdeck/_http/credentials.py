"""The token, and its removal from texts."""

from __future__ import annotations

from .._errors import Invalid


class Credentials:
    """The token of a client. `generation` counts its replacements."""

    def __init__(self, token: str | None) -> None:
        self._token = _checked(token)
        self.generation = 0

    @property
    def token(self) -> str | None:
        """The current token, or None."""
        return self._token

    def replace(self, token: str | None) -> None:
        """Replace the token. Raises `Invalid` for one that a header cannot contain."""
        self._token = _checked(token)
        self.generation += 1

    def redact(self, text: str) -> str:
        """Return a foreign text with the token removed."""
        return text.replace(self._token, "[token]") if self._token else text


def _checked(token: str | None) -> str | None:
    if token is None:
        return None
    if isinstance(token, str):
        # Files end with a line break.
        token = token.strip()
    if not isinstance(token, str) or not token or not all("!" <= character <= "~" for character in token):
        raise Invalid("The token must consist of visible ASCII characters without spaces, as the service created it.")
    return token
