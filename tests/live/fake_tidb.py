#!/usr/bin/env python3
"""What TiDB's documentation says that a server answers, for tests/live/test_tidb.sh: SQL over MySQL's protocol on one port, the
HTTP API on another.  No server was at hand: the exchanges are written from the documents that
docs/design/live-cockroachdb-tidb.md names, not recorded.

usage: fake_tidb.py PORT STATUS_PORT [pessimistic|looked|stale|order|lose|gone|old]
  (nothing)    optimistic transactions: all look at start_ts, and of two that write a row the first to commit wins
  pessimistic  statements that write lock their rows and look at what is newest, at for_update_ts
  looked       the same, and for_update_ts is reported wrong
  stale        some reads are of the version before the one that is visible
  order        the HTTP API tells two successive versions of a row the wrong way round
  lose         some clients are hung up on after their COMMIT was done and before it is answered
  gone         the HTTP API does not know its rows any more
  old          as 2.1 answers: conflicts are 1105, there is no tidb_gc_life_time, and nothing tells times of commits"""
import http.server
import json
import re
import socketserver
import struct
import sys
import threading

from fake_store import Refused, Store, Transaction, condition_of, define, operate

MODE = sys.argv[3] if len(sys.argv) > 3 else None
IS_PESSIMISTIC = MODE in ("pessimistic", "looked")
STORE = Store(449000000000000000, MODE)
DUPLICATE = Refused(1062, "Duplicate entry for key 'PRIMARY'")
CONFLICT = (Refused(1105, "[try again later]: WriteConflict: startTS=1, conflictTS=2, key={tableID=3, handle=4}") if MODE == "old" else
            Refused(9007, "Write conflict, txnStartTS=1, reason=Optimistic [try again later]"))
DEADLOCK = Refused(1213, "Deadlock found when trying to get lock; try restarting transaction")


def lenenc(text):
    body = text.encode()
    if len(body) < 251:
        return bytes([len(body)]) + body
    return b"\xfc" + struct.pack("<H", len(body)) + body


class Session(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    txn, looked = None, 0
    last_txn, level = "", "REPEATABLE-READ"

    # ---- messages ----

    def send(self, body):
        self.wfile.write(struct.pack("<I", len(body))[:3] + bytes([self.number]) + body)
        self.number = (self.number + 1) % 256

    def receive(self):
        head = self.rfile.read(4)
        if len(head) < 4:
            raise ConnectionError
        self.number = head[3] + 1
        return self.rfile.read(head[0] | head[1] << 8 | head[2] << 16)

    def status(self):
        return struct.pack("<H", 3 if self.txn else 2)

    def send_done(self, changed=0):
        self.send(b"\0" + bytes([min(changed, 250), 0]) + self.status() + b"\0\0")

    def send_rows(self, columns, rows):
        self.send(bytes([columns]))
        for i in range(columns):
            column = b"".join(map(lenenc, ("def", "", "", "", f"c{i}", f"c{i}"))) + b"\x0c"
            self.send(column + struct.pack("<HIBHBH", 33, 1024, 253, 0, 0, 0))
        self.send(b"\xfe\0\0" + self.status())
        for row in rows:
            self.send(b"".join(b"\xfb" if value is None else lenenc(str(value)) for value in row))
        self.send(b"\xfe\0\0" + self.status())

    def send_error(self, error):
        self.send(b"\xff" + struct.pack("<H", error.code) + b"#HY000" + error.text.encode())

    # ---- statements ----

    VARIABLES = ({"version": "5.7.10-TiDB-v2.1.19"} if MODE == "old" else
                 {"version": "8.0.11-TiDB-v7.5.0", "tidb_gc_life_time": "10m0s"})

    def variable(self, name):
        name = name.removeprefix("session.")
        if name in ("tx_isolation", "transaction_isolation"):
            return self.level
        if name == "tidb_current_ts":
            return self.txn.start if self.txn else 0
        if name == "tidb_last_txn_info" and MODE != "old":
            return self.last_txn
        if name == "tidb_last_query_info" and MODE != "old":
            told = self.txn.start if MODE == "looked" and self.txn else self.looked
            return json.dumps({"txn_scope": "global", "start_ts": self.txn.start if self.txn else 0,
                               "for_update_ts": told, "ru_consumption": 0.5})
        if name not in self.VARIABLES:
            raise Refused(1193, f"Unknown system variable '{name}'")
        return self.VARIABLES[name]

    def answer(self, sql):
        if found := re.fullmatch(r"SELECT @@([\w.]+)", sql):
            return self.send_rows(1, [(self.variable(found[1]),)])
        if found := re.match(r"SET SESSION TRANSACTION ISOLATION LEVEL (.*)", sql):
            if found[1] == "SERIALIZABLE":
                raise Refused(8048, "The isolation level 'SERIALIZABLE' is not supported.")
            self.level = found[1].replace(" ", "-")
        elif sql == "START TRANSACTION":
            self.txn = Transaction(STORE)
        elif sql in ("COMMIT", "ROLLBACK"):
            self.finish_transaction(sql)
        elif sql == "SELECT 1":
            return self.send_rows(1, [(1,)])
        elif "mysql.tidb" in sql and MODE == "old":
            return self.send_rows(1, [("10m0s",)])
        elif found := re.fullmatch(r"SELECT count\(o\) FROM (\w+)", sql):
            return self.send_rows(1, [(0,)])
        elif not sql.startswith("SET ") and not define(STORE, sql):
            return self.rows(sql)
        return self.send_done()

    def finish_transaction(self, sql):
        txn, self.txn = self.txn, None
        if not txn or sql == "ROLLBACK":
            if txn:
                txn.end()
            return
        try:
            time = txn.commit(False, CONFLICT, not IS_PESSIMISTIC)
        except Refused:
            self.last_txn = json.dumps({"txn_scope": "global", "start_ts": txn.start, "commit_ts": 0, "error": CONFLICT.text})
            raise
        if time:
            self.last_txn = json.dumps({"txn_scope": "global", "start_ts": txn.start, "commit_ts": time, "txn_commit_mode": "1pc"})
        if MODE == "lose" and time and txn.start % 40 == 0:
            raise ConnectionError

    def lock_rows(self, sql):
        """What a statement that writes locks; a predicate those that match."""
        found = re.match(r"(?:INSERT INTO|DELETE FROM|UPDATE) (esse_\w+)", sql)
        if sql.startswith("UPDATE"):
            condition = condition_of(sql.split(" WHERE ")[1])
            keys = [k for k, _ in self.txn.rows(found[1], condition, STORE.now)]
        else:
            keys = [int(k) for k in re.findall(r"(?:k = |VALUES \()(-?\d+)", sql)]
        for k in keys:
            self.txn.lock(found[1], k, DEADLOCK)

    def rows(self, sql):
        txn = self.txn or Transaction(STORE)
        writes = not sql.startswith("SELECT")
        with STORE.lock:
            self.looked = STORE.tick() if IS_PESSIMISTIC and writes else txn.start
            if IS_PESSIMISTIC and writes and self.txn:
                try:
                    self.lock_rows(sql)
                except Refused:  # the server has rolled back
                    self.txn.end()
                    self.txn = None
                    raise
            done = operate(txn, sql, DUPLICATE, (), self.looked)
        if done is None:
            raise Refused(1064, "the fake does not know: " + sql)
        if not self.txn:
            txn.commit(False, CONFLICT)
        rows, changed = done
        if rows is None:
            return self.send_done(changed)
        return self.send_rows(2 if "SELECT k" in sql else 1, rows)

    # ---- the protocol ----

    def greet(self):
        self.number = 0
        low, high = 0xA20F, 0x0008  # 4.1, connect with a database, transactions, plug-ins
        self.send(b"\x0a" + self.VARIABLES["version"].encode() + b"\0" + struct.pack("<I", 1) + b"abcdefgh\0"
                  + struct.pack("<HBHHB", low, 33, 2, high, 21) + b"\0" * 10 + b"abcdefghijkl\0" + b"mysql_native_password\0")
        self.wfile.flush()
        self.receive()
        self.send_done()
        self.wfile.flush()

    def handle(self):
        try:
            self.greet()
            while (body := self.receive())[0] != 1:
                try:
                    self.answer(body[1:].decode()) if body[0] == 3 else self.send_done()
                except Refused as error:
                    self.send_error(error)
                self.wfile.flush()
        except ConnectionError:
            pass
        finally:
            if self.txn:
                self.txn.end()


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def do_GET(self):
        found = re.fullmatch(r"/mvcc/key/test/(esse_\w+)/(-?\d+)", self.path)
        if self.path == "/status":
            self.reply({"connections": 1, "version": Session.VARIABLES["version"], "git_hash": "fake"})
        elif found and MODE != "gone":
            self.reply({"key": "7480", "region_id": 4, "value": self.versions(found[1], int(found[2]))})
        else:
            self.reply({"error": "not found"}, 404)

    def versions(self, table, k):
        """The newest first; locks and rollbacks are among them."""
        with STORE.lock:
            versions = list(STORE.tables[table].get(k, ()))
        if not versions:
            return {}
        if MODE == "order":
            versions = [(later[0], *one[1:]) for one, later in zip(versions, versions[1:] + versions[:1])]
        writes = [{"start_ts": start, "commit_ts": time, "short_value": "gAACAAAA", **({} if row else {"type": 1})}
                  for time, row, start in versions]
        writes.append({"type": 3, "start_ts": writes[-1]["start_ts"] + 1, "commit_ts": writes[-1]["start_ts"] + 1})
        return {"info": {"writes": writes[::-1]}}

    def reply(self, what, code=200):
        body = json.dumps(what).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


if __name__ == "__main__":
    api = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Api)
    threading.Thread(target=api.serve_forever, daemon=True).start()
    Server(("127.0.0.1", int(sys.argv[1])), Session).serve_forever()
