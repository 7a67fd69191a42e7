"""Runs statements in native SQLite. Prints the number of changed rows and the state of all tables after each
statement.
"""

import base64
import hashlib
import json
import sqlite3
import struct
import sys


def value_of(encoded):
    return base64.b64decode(encoded["blob"]) if isinstance(encoded, dict) else encoded


def format_value(value):
    if isinstance(value, bytes):
        return f"b:{value.hex()}"
    if isinstance(value, float):
        return f"f:{struct.pack('>d', value).hex()}"
    if value is None:
        return "n:"
    return f"{'s' if isinstance(value, str) else 'i'}:{value}"


db = sqlite3.connect(":memory:", isolation_level=None)
tables: list[str] = []
for line in sys.stdin:
    sql, parameters = json.loads(line)
    before = db.total_changes
    db.execute(sql, [value_of(parameter) for parameter in parameters])
    if sql.startswith("CREATE TABLE"):
        tables.append(sql.split()[2])
    digest = hashlib.sha256()
    for table in tables:
        for row in db.execute(f"SELECT * FROM {table} ORDER BY id"):
            digest.update(("|".join(format_value(value) for value in row) + "\n").encode("utf-8"))
    print(json.dumps([db.total_changes - before, digest.hexdigest()]), flush=True)
