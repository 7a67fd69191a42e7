"""The service to connect to: its address, the token and the trusted CA."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from .._errors import Invalid

_DEFAULT: Final = "http://127.0.0.1:4780"
_BEGINNING: Final = "-----BEGIN CERTIFICATE-----"


@dataclass(frozen=True)
class Target:
    """The service to connect to."""

    server: str
    """Without a trailing slash."""
    token: str | None
    ca: str | None
    """The only trusted CA certificates as PEM text; None: those of the system."""


@dataclass(frozen=True)
class _Stored:
    """A server in the file that `promptdeck pair` writes."""

    name: str
    address: str
    token: str
    ca: str


def resolve_target(
    *, server: str | None, token: str | None, ca: str | os.PathLike[str] | None, env: Mapping[str, str]
) -> Target:
    """Return the address in the arguments or the environment, else a stored server, else this machine.

    Raises `Invalid` for an invalid option.
    """
    token = token if token is not None else env.get("PROMPTDECK_TOKEN") or None
    ca = ca if ca is not None else env.get("PROMPTDECK_CA") or None
    name = env.get("PROMPTDECK_SERVER") or None
    address = server if server is not None else env.get("PROMPTDECK_URL") or None
    if address is None and name is not None and "://" in name:
        address = name
    stored: _Stored | None = None
    is_anything_given = token is not None or ca is not None
    if address is None and not (name is None and is_anything_given):
        stored = _stored_server(name, env)
    if stored is not None:
        address = stored.address
        token = token if token is not None else stored.token
    trusted = _read_ca(ca) if ca is not None else None if stored is None else stored.ca
    checked = _checked_address(address if address is not None else _DEFAULT)
    if trusted is not None and not checked.startswith("https:"):
        raise Invalid("ca is set, but the address of the service is not https. Use https, or remove ca.")
    return Target(checked, token, trusted)


def _checked_address(server: str) -> str:
    problem = "server must be the address of the service, such as http://127.0.0.1:4780 or https://prompts.example.com"
    if not isinstance(server, str):
        raise Invalid(f"{problem}.")
    try:
        url = httpx.URL(server.strip())
    except httpx.InvalidURL:
        raise Invalid(f"{problem}.") from None
    if url.scheme not in ("http", "https") or not url.host or (url.port or 0) > 65_535:
        raise Invalid(f"{problem}.")
    if url.userinfo or url.query or url.fragment:
        raise Invalid(f"{problem}, without user, query and fragment. Set the token with the option token.")
    return str(url).rstrip("/")


def _read_ca(text_or_path: str | os.PathLike[str]) -> str:
    """Return CA certificates as PEM text, given as text or as the path of a PEM file."""
    given = os.fspath(text_or_path)
    if not given.strip():
        raise Invalid("ca is empty. Set it to the CA certificate as PEM text, or to the path of a PEM file.")
    if _BEGINNING in given:
        return given
    try:
        text = Path(given).read_text("utf-8")
    except (OSError, ValueError) as error:
        raise Invalid(f"The CA certificate cannot be read: {error}. Check the path in ca or PROMPTDECK_CA.") from error
    if _BEGINNING not in text:
        raise Invalid(f"{given} contains no certificate. Set ca or PROMPTDECK_CA to a PEM file.")
    return text


def _stored_server(name: str | None, env: Mapping[str, str]) -> _Stored | None:
    """Return the stored server of that name; for None the chosen or only one."""
    current, servers = _read_servers(env)
    wanted = name if name is not None else current
    if wanted is None:
        return servers[0] if len(servers) == 1 else None
    for server in servers:
        if server.name.casefold() == wanted.casefold():
            return server
    if name is None:
        return None
    raise Invalid(
        "PROMPTDECK_SERVER is neither a URL nor the name of a stored server. "
        'Run "promptdeck servers list" to see the names.'
    )


def _read_servers(env: Mapping[str, str]) -> tuple[str | None, list[_Stored]]:
    folder = _config_folder(env)
    if folder is None:
        return None, []
    file = folder / "servers.json"
    try:
        content = json.loads(file.read_text("utf-8"))
        servers = [
            _Stored(*(_text(item[field]) for field in ("name", "address", "token", "ca")))
            for item in content["servers"]
        ]
        current = content.get("current")
    except FileNotFoundError:
        return None, []
    except OSError as error:
        raise Invalid(f"The stored servers cannot be read: {error}. Set server, or correct the file.") from error
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Invalid(
            f'{file} is damaged. Set server, or move the file away and run "promptdeck pair" again.'
        ) from None
    return current if isinstance(current, str) else None, servers


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("expected a string")
    return value


def _config_folder(env: Mapping[str, str]) -> Path | None:
    """Return the folder of `servers.json`, the same as that of the command `promptdeck`; None without a home."""
    if env.get("PROMPTDECK_CONFIG_DIR"):
        return Path(env["PROMPTDECK_CONFIG_DIR"])
    home = env.get("HOME") or os.path.expanduser("~")
    if os.name == "nt":
        roaming = env.get("APPDATA")
        return Path(roaming) / "promptdeck" / "Config" if roaming else None
    if not os.path.isabs(home):
        return None
    if os.uname().sysname == "Darwin":
        return Path(home) / "Library" / "Preferences" / "promptdeck"
    custom = env.get("XDG_CONFIG_HOME")
    return (Path(custom) if custom else Path(home) / ".config") / "promptdeck"
