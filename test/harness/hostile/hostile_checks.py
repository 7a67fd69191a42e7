"""Hooks of the Schemathesis run: choose principals and existing objects, count requests, check permissions."""

import atexit
import json
import os
import threading
import zlib

import schemathesis

# {"viewer": {"token": "...", "allowed": ["GET /api/me", ...]}, ...}
PRINCIPALS = json.loads(os.environ["HOSTILE_PRINCIPALS"])
NAMES = sorted(PRINCIPALS)
ALLOWED = {name: set(principal["allowed"]) for name, principal in PRINCIPALS.items()}
# {"prompts": ["<id>", ...], ...}
OBJECTS = json.loads(os.environ["HOSTILE_OBJECTS"])
COUNT = os.environ["HOSTILE_COUNT"]
_lock = threading.Lock()
_seen = {name: {"requests": 0, "statuses": {}, "succeeded": []} for name in NAMES}


def _write() -> None:
    with open(COUNT, "w", encoding="utf-8") as file:
        json.dump(_seen, file)


atexit.register(_write)


def _number(value) -> int:
    """Return a hash, so that a repeated case gives the same choice."""
    return zlib.crc32(repr(value).encode("utf-8", "backslashreplace"))


def _name_of(case) -> str:
    return f"{case.operation.method.upper()} {case.operation.path}"


def _principal_of(case) -> str:
    return NAMES[_number([_name_of(case), case.path_parameters, case.query, case.body]) % len(NAMES)]


@schemathesis.hook
def before_load_schema(ctx, raw_schema):
    """Remove patterns with Unicode properties, which Python's regular expressions do not support."""
    _without_properties(raw_schema)


def _without_properties(value) -> None:
    if isinstance(value, dict):
        if "\\p{" in str(value.get("pattern", "")):
            del value["pattern"]
        for member in value.values():
            _without_properties(member)
    elif isinstance(value, list):
        for member in value:
            _without_properties(member)


@schemathesis.hook
def map_path_parameters(ctx, path_parameters):
    """Use an existing object in two of three requests: invented ids always give the same reply."""
    number = _number(path_parameters)
    noun = ctx.operation.path.split("/")[2] if ctx.operation.path.count("/") > 2 else ""
    known = OBJECTS.get(noun, [])
    if path_parameters is None or not known or number % 3 == 0:
        return path_parameters
    # Deletions use the second half, so that the first half remains for other requests.
    half = len(known) // 2
    candidates = known[half:] if ctx.operation.method.upper() == "DELETE" else known[:half]
    for name, value in (("id", candidates[number % len(candidates)]), ("key", "base"), ("version", "v1")):
        if name in path_parameters:
            path_parameters[name] = value
    return path_parameters


@schemathesis.hook
def before_call(ctx, case, kwargs):
    token = PRINCIPALS[_principal_of(case)]["token"]

    def signed(request):
        request.headers.pop("Authorization", None)
        if token is not None:
            request.headers["Authorization"] = f"Bearer {token}"
        return request

    kwargs["auth"] = signed


@schemathesis.check
def only_permitted_operations(ctx, response, case):
    name, principal = _name_of(case), _principal_of(case)
    status = str(response.status_code)
    with _lock:
        seen = _seen[principal]
        seen["requests"] += 1
        seen["statuses"][status] = seen["statuses"].get(status, 0) + 1
        if response.status_code < 400 and name not in seen["succeeded"]:
            seen["succeeded"].append(name)
    if response.status_code < 400 and name not in ALLOWED[principal]:
        raise AssertionError(f"{name} answered {status} to {principal}, who has no permission")
