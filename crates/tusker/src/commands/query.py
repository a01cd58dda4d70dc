"""Asks DuckDB's Python module: reads {"setup": SQL, "query": SQL, "json": bool} from stdin, and
writes the answer to stdout as the program `duckdb` prints it. Exit codes: 1 if the query is
wrong, 97 if there is no such module.
"""

import csv
import json
import sys

try:
    import duckdb
except ImportError:
    sys.exit(97)

# a line of CSV ends as on any machine, and nothing is translated
out = open(sys.stdout.fileno(), "w", encoding="utf-8", newline="")
asked = json.loads(sys.stdin.buffer.read())
try:
    database = duckdb.connect()
    database.execute(asked["setup"])
    database.execute(asked["query"])
    names = [column[0] for column in database.description or []]
    rows = database.fetchall() if names else []
except duckdb.Error as error:
    sys.exit(str(error))


def plain(value):
    """Bytes as DuckDB writes them: \\xAA."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        return value
    return "".join(chr(b) if 32 <= b <= 126 and b not in b"\\'\"" else f"\\x{b:02X}" for b in bytes(value))


if asked["json"]:
    lines = [
        json.dumps(dict(zip(names, row)), default=lambda value: str(plain(value)), ensure_ascii=False) for row in rows
    ]
    out.write("[" + ",\n".join(lines) + "]\n")
else:
    text = {True: "true", False: "false", None: ""}
    cells = [[text[v] if v is None or isinstance(v, bool) else plain(v) for v in row] for row in rows]
    csv.writer(out, lineterminator="\n").writerows([names, *cells])
out.flush()
