"""Native SQLite with durable writes, for comparison: the sqlite3 module of Python.

Reads one JSON request per line: {"journal", "writers", "rows", "seconds"}. Prints one JSON reply per line: rows per
second. Each writer is a thread with its own connection, like the clients of one database file.
"""

import json
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
import time

COLUMNS = ("id, created_at, source, provider, model, app, status, latency_ms, tokens_in, tokens_out, cost, trace, error").split(", ")
TYPES = ["INTEGER PRIMARY KEY"] + ["INTEGER"] * 10 + ["TEXT"] * 2
INSERT = f"INSERT INTO bench_runs ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"


def connect(path, journal):
    db = sqlite3.connect(path, timeout=60, isolation_level=None)
    db.execute(f"PRAGMA journal_mode = {journal}")
    db.execute("PRAGMA synchronous = FULL")
    return db


def row(n):
    return (None, 1_700_000_000_000 + n, n % 3, n % 7, n % 23, n % 40, int(n % 20 == 0), n % 4000, n % 3000, n % 900, n % 100, f"trace-{n % 5000}", None)


def write(path, journal, rows, until, counts, index):
    db = connect(path, journal)
    while time.monotonic() < until:
        db.execute("BEGIN IMMEDIATE")
        db.executemany(INSERT, [row(counts[index] + n) for n in range(rows)])
        db.execute("COMMIT")
        counts[index] += rows
    db.close()


def measure(folder, journal, writers, rows, seconds):
    path = os.path.join(folder, journal)
    db = connect(path, journal)
    fields = ", ".join(f"{name} {kind}" for name, kind in zip(COLUMNS, TYPES))
    db.execute(f"CREATE TABLE IF NOT EXISTS bench_runs ({fields})")
    for column in ("provider", "model", "app"):
        db.execute(f"CREATE INDEX IF NOT EXISTS bench_runs_{column} ON bench_runs ({column}, id)")
    counts = [0] * writers
    failures = []

    def run(*arguments):
        try:
            write(*arguments)
        except sqlite3.Error as error:
            failures.append(error)

    started = time.monotonic()
    arguments = [(path, journal, rows, started + seconds, counts, index) for index in range(writers)]
    threads = [threading.Thread(target=run, args=each) for each in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    db.close()
    if failures:
        raise failures[0]
    return sum(counts) / (time.monotonic() - started)


folder = tempfile.mkdtemp(prefix="bench-sqlite-")
try:
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"perSecond": measure(folder, **request)}), flush=True)
finally:
    shutil.rmtree(folder)
