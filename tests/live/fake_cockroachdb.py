#!/usr/bin/env python3
"""What CockroachDB's documentation says that a server answers, for tests/live/test_cockroachdb.sh.  No server was at hand: the
exchanges are written from the documents that docs/design/live-cockroachdb-tidb.md names, not recorded.

usage: fake_cockroachdb.py PORT [stale|order|refuse|old|cut|lose|crash]
  stale   some reads are of the version before the one that is visible
  order   the changefeed tells two successive versions of a row the wrong way round
  refuse  the user may not change settings of the cluster
  old     CREATE CHANGEFEED without a sink is not known, only EXPERIMENTAL CHANGEFEED
  cut     the changefeed's connection is lost now and then
  lose    some clients are hung up on after their COMMIT was done and before it is answered
  crash   the same, and a proxy between the two says FATAL in place of all answers to COMMIT and to what was sent along with it"""
import json
import random
import re
import socketserver
import struct
import sys
import threading

from fake_store import Refused, Store, Transaction, define, operate, wait_a_little

LIE = sys.argv[2] if len(sys.argv) > 2 else None
STORE = Store(1700000000 * 10**9 * 2, LIE)
ENABLED = threading.Event()
DUPLICATE = Refused("23505", "duplicate key value violates unique constraint")
RETRY = Refused("40001", "restart transaction: TransactionRetryWithProtoRefreshError: ReadWithinUncertaintyIntervalError")


def hlc(stamp):
    """Nanoseconds and a counter: two of the store's times share their nanoseconds."""
    return f"{stamp // 2}.{stamp % 2:010d}"


def from_hlc(text):
    high, low = text.split(".")
    return int(high) * 2 + int(low)


class Session(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    txn, failed, level = None, False, "serializable"

    # ---- messages ----

    def send(self, kind, body=b""):
        self.wfile.write(kind + struct.pack("!I", len(body) + 4) + body)

    def ready(self):
        self.send(b"Z", b"E" if self.failed else b"T" if self.txn else b"I")
        self.wfile.flush()

    def send_columns(self, names):
        body = struct.pack("!H", len(names))
        for name in names:
            body += name.encode() + b"\0" + struct.pack("!IHIhIH", 0, 0, 25, -1, 0xFFFFFFFF, 0)
        self.send(b"T", body)

    def send_row(self, row):
        body = struct.pack("!H", len(row))
        for value in row:
            text = None if value is None else str(value).encode()
            body += struct.pack("!i", -1) if text is None else struct.pack("!I", len(text)) + text
        self.send(b"D", body)

    def send_error(self, error, severity="ERROR"):
        self.failed = self.txn is not None
        fields = {"S": severity, "V": severity, "C": error.code, "M": error.text}
        self.send(b"E", b"".join(k.encode() + v.encode() + b"\0" for k, v in fields.items()) + b"\0")

    # ---- statements ----

    def columns_of(self, sql):
        if "CHANGEFEED" in sql:
            return ["table", "key", "value"]
        if sql.startswith(("SELECT NULL", "UPDATE")):
            return ["?column?", "?column?", "k", "v"]
        return ["v"] if sql.startswith(("SELECT", "SHOW")) else []

    def run(self, sql):
        """(rows, tag)"""
        if sql in ("COMMIT", "ROLLBACK"):
            return self.finish_transaction(sql)
        if self.failed:
            raise Refused("25P02", "current transaction is aborted, commands ignored until end of transaction block")
        if found := re.match(r"BEGIN ISOLATION LEVEL (serializable|read committed)", sql, re.I):
            self.txn, self.level = Transaction(STORE), found[1].lower()
            return [], "BEGIN"
        if define(STORE, sql):
            return [], sql.split()[0]
        answer = self.ask(sql)
        if answer is not None:
            return [(answer,)], "SELECT 1"
        if sql.startswith("SET CLUSTER SETTING kv.rangefeed.enabled"):
            if LIE == "refuse":
                raise Refused("42501", "only users with the MODIFYCLUSTERSETTING privilege are allowed to set cluster settings")
            ENABLED.set() if sql.endswith("true") else ENABLED.clear()
            return [], "SET CLUSTER SETTING"
        return self.rows(sql)

    def crash(self):
        """What comes after the question for the time is COMMIT: it is done, and no answer comes."""
        txn, self.txn = self.txn, None
        txn.commit(True, RETRY)
        self.send_error(Refused("08P01", "server conn crashed?"), "FATAL")
        self.wfile.flush()
        raise ConnectionError

    def ask(self, sql):
        if sql == "SELECT cluster_logical_timestamp()":
            if LIE == "crash" and self.txn and self.txn.written and self.txn.start % 40 == 0:
                self.crash()
            if self.level != "serializable":
                raise Refused("0A000", "unsupported in READ COMMITTED isolation")
            return hlc(self.txn.tell_time() if self.txn else STORE.tick())
        return {"SHOW transaction_isolation": self.level, "SELECT 1": 1,
                "SELECT version()": "CockroachDB CCL v23.1.0 (a fake)",
                "SHOW CLUSTER SETTING kv.rangefeed.enabled": "true" if ENABLED.is_set() else "false"}.get(sql)

    def finish_transaction(self, sql):
        txn, failed = self.txn, self.failed
        self.txn, self.failed = None, False
        if txn and (sql == "ROLLBACK" or failed):
            txn.end()
            return [], "ROLLBACK"
        if txn:
            txn.commit(self.level == "serializable", RETRY)
        if LIE == "lose" and txn and txn.written and txn.start % 40 == 0:
            raise ConnectionError
        return [], "COMMIT"

    def rows(self, sql):
        txn = self.txn or Transaction(STORE)
        with STORE.lock:
            done = operate(txn, sql, DUPLICATE, (None, None))
        if done is None:
            raise Refused("42601", "the fake does not know: " + sql)
        if not self.txn:
            txn.commit(True, RETRY)
        rows, changed = done
        verb = sql.split()[0]
        return rows or [], f"INSERT 0 {changed}" if verb == "INSERT" else f"{verb} {len(rows) if rows is not None else changed}"

    # ---- the changefeed ----

    def feed(self, sql):
        if LIE == "old" and sql.startswith("CREATE"):
            raise Refused("42601", 'at or near "changefeed": syntax error')
        if not ENABLED.is_set():
            raise Refused("55C02", "rangefeeds require the kv.rangefeed.enabled setting")
        for option in ("updated", "resolved = '1s'", "envelope = 'wrapped'"):
            if option not in sql:
                raise Refused("22023", "the fake expects " + option)
        tables = set(re.findall(r"\besse_\w+", sql))
        resolved = from_hlc(re.search(r"cursor = '([0-9.]+)'", sql)[1])
        at, shaky = 0, random.Random(1)
        while True:
            with STORE.lock:
                for _ in range(4):  # time goes on, also if nothing happens
                    STORE.tick()
                until = min([STORE.now, *(stamp - 1 for stamp in STORE.pinned.values())])
                news = [entry for entry in STORE.log[at:] if entry[0] > resolved and entry[1] in tables]
                at = len(STORE.log)
            for entry in self.shuffled(news, shaky):
                self.send_change(*entry)
            self.send_row((None, None, json.dumps({"resolved": hlc(until)})))
            self.wfile.flush()
            if LIE == "cut" and at > 50 and shaky.random() < 0.2:
                raise ConnectionError
            wait_a_little()

    def shuffled(self, news, shaky):
        """At least once; only the versions of one row are in order, if all is true."""
        rows = {}
        for entry in news:
            rows.setdefault(entry[1:3], []).append(entry)
        keys = list(rows)
        shaky.shuffle(keys)
        for key in keys:
            entries = rows[key]
            if LIE == "order":
                entries = [(later[0], *entry[1:]) for entry, later in zip(entries, entries[1:] + entries[:1])]
            yield from entries
            if shaky.random() < 0.3:
                yield from entries[-2:]

    def send_change(self, stamp, table, k, row):
        after = None if row is None else {"k": k, "o": row[1], "v": int(row[0]) if row[0].lstrip("-").isdigit() else row[0]}
        self.send_row((table, json.dumps([k]), json.dumps({"after": after, "updated": hlc(stamp)})))

    # ---- the protocol ----

    def answer(self, sql, with_columns):
        if "CHANGEFEED" in sql:
            if with_columns:
                self.send_columns(self.columns_of(sql))
            self.feed(sql)
        rows, tag = self.run(sql)
        if with_columns and self.columns_of(sql):
            self.send_columns(self.columns_of(sql))
        for row in rows:
            self.send_row(row)
        self.send(b"C", tag.encode() + b"\0")

    def startup(self):
        while True:
            length, code = struct.unpack("!II", self.rfile.read(8))
            self.rfile.read(length - 8)
            if code >> 16 != 1234:
                break
            self.wfile.write(b"N")  # neither TLS nor GSSAPI
            self.wfile.flush()
        self.send(b"R", struct.pack("!I", 0))
        for name, value in (("server_version", "13.0.0"), ("client_encoding", "UTF8"), ("standard_conforming_strings", "on")):
            self.send(b"S", name.encode() + b"\0" + value.encode() + b"\0")
        self.send(b"K", struct.pack("!II", 1, 1))
        self.ready()

    def handle(self):
        try:
            self.startup()
            self.serve()
        except (ConnectionError, struct.error):
            pass
        finally:
            if self.txn:
                self.txn.end()

    def serve(self):
        statements, skipping = {}, False
        while kind := self.rfile.read(1):
            body = self.rfile.read(struct.unpack("!I", self.rfile.read(4))[0] - 4)
            try:
                if kind == b"X":
                    return
                if kind == b"S":
                    skipping = False
                    self.ready()
                elif kind == b"Q":
                    self.simple(body[:-1].decode())
                elif not skipping:
                    self.extended(kind, body, statements)
            except Refused as error:
                self.send_error(error)
                skipping = kind != b"Q"
                if kind == b"Q":
                    self.ready()

    def simple(self, text):
        for sql in filter(None, map(str.strip, text.split(";"))):
            self.answer(sql, True)
        self.ready()

    def extended(self, kind, body, statements):
        if kind == b"P":
            name, sql = body.split(b"\0")[:2]
            statements[name] = sql.decode()
            self.send(b"1")
        elif kind == b"B":
            self.portal = self.bind(body, statements)
            self.send(b"2")
        elif kind == b"D":
            columns = self.columns_of(self.portal)
            self.send_columns(columns) if columns else self.send(b"n")
        elif kind == b"E":
            self.answer(self.portal, False)
        elif kind == b"H":
            self.wfile.flush()

    def bind(self, body, statements):
        _, name, rest = body.split(b"\0", 2)
        formats = struct.unpack("!H", rest[:2])[0]
        rest = rest[2 + 2 * formats:]
        count, rest = struct.unpack("!H", rest[:2])[0], rest[2:]
        sql = statements[name]
        for i in range(count):
            length = struct.unpack("!I", rest[:4])[0]
            sql = sql.replace(f"${i + 1}", rest[4:4 + length].decode())
            rest = rest[4 + length:]
        return sql


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


if __name__ == "__main__":
    Server(("127.0.0.1", int(sys.argv[1])), Session).serve_forever()
