"""A small store with versions, for servers that are not at hand: rows (k, v, o) of tables, transactions that look
at a snapshot, and the few statements that Esse's SQL drivers send.  It is not a copy of any server: it keeps the promises
that the documentation makes about times, and breaks one of them on demand.

Times are given out by one clock.  Every committed version has the time of its transaction."""
import re
import threading
import time


class Refused(Exception):
    """A statement or a commit that the server does not do: code and words."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code, self.text = code, text


class Store:
    def __init__(self, first_time, lie=None):
        self.lock = threading.RLock()
        self.now = first_time
        self.tables = {}  # name -> {k: [(time, (v, o) or None, start of its writer)]}, oldest first
        self.looked = {}  # (table, k) or table -> the latest time at which a transaction looked there
        self.pinned = {}  # transactions whose time is reported and that have not ended
        self.locks = {}  # (table, k) -> the transaction that has it locked
        self.log = []  # (time, table, k, (v, o) or None)
        self.lie = lie
        self.reads = 0

    def tick(self):
        with self.lock:
            self.now += 1
            return self.now

    def at(self, table, k, when):
        """The row that is seen at a time, None if there is none."""
        for stamp, row, _ in reversed(self.tables[table].get(k, ())):
            if stamp <= when:
                return row
        return None


class Transaction:
    def __init__(self, store):
        self.store = store
        self.start = store.tick()
        self.time = None  # of the commit, once it is reported
        self.read, self.written = set(), {}

    # ---- looking and writing ----

    def get(self, table, k, when=None):
        if (table, k) in self.written:
            return self.written[table, k]
        self.read.add((table, k))
        self.store.reads += 1
        when = self.start if when is None else when
        if self.store.lie == "stale" and self.store.reads % 7 == 0:
            versions = self.store.tables[table].get(k, ())
            if len(versions) > 1 and versions[-1][0] <= when:
                return versions[-2][1]
        return self.store.at(table, k, when)

    def rows(self, table, condition, when=None):
        """The rows of a condition on v, by k."""
        self.read.add(table)
        for k in sorted(set(self.store.tables[table]) | {k for t, k in self.written if t == table}):
            row = self.get(table, k, when)
            if row is not None and condition(row[0]):
                yield k, row

    def put(self, table, k, row):
        self.written[table, k] = row

    def lock(self, table, k, refusal):
        """No transaction waits here."""
        if self.store.locks.setdefault((table, k), self) is not self:
            raise refusal

    # ---- ending ----

    def tell_time(self):
        with self.store.lock:
            if self.time is None:
                self.time = self.store.tick()
                self.store.pinned[id(self)] = self.time
            return self.time

    def changed_since_start(self, table, k, until):
        return any(self.start < stamp <= until for stamp, _, _ in self.store.tables[table].get(k, ()))

    def commit(self, is_serializable, conflict, first_wins=True):
        """Without 'first_wins' the writer of a row has it locked."""
        store = self.store
        with store.lock:
            when = self.time or store.tick()
            self.end()
            if is_serializable:
                for what in self.read:
                    keys = [what] if isinstance(what, tuple) else [(what, k) for k in store.tables[what]]
                    if any(self.changed_since_start(t, k, when) for t, k in keys):
                        raise conflict
            for table, k in self.written:
                newest = store.tables[table].get(k, [(0, None, 0)])[-1][0]
                looked = max(store.looked.get((table, k), 0), store.looked.get(table, 0))
                if newest >= when or (is_serializable and looked >= when) or (not is_serializable and first_wins and newest > self.start):
                    raise conflict
            for what in self.read:
                store.looked[what] = max(store.looked.get(what, 0), when)
            for (table, k), row in self.written.items():
                store.tables[table].setdefault(k, []).append((when, row, self.start))
                store.log.append((when, table, k, row))
            return when if self.written else 0

    def end(self):
        with self.store.lock:
            self.store.pinned.pop(id(self), None)
            for what in [what for what, txn in self.store.locks.items() if txn is self]:
                del self.store.locks[what]


# ---- statements ----

RANGE = re.compile(r"v >= (-?\d+) AND v <= (-?\d+)")


def condition_of(text):
    """Of Esse's ranges only; a server would do any."""
    found = RANGE.fullmatch(text.strip())
    if not found:
        raise Refused("42601", "the fake has no condition " + text)
    low, high = int(found[1]), int(found[2])
    return lambda v: low <= int(v) <= high


def aggregate(what, values):
    if what == "count(*)":
        return len(values)
    return {"sum": sum, "min": min, "max": max}[what[:3]](values) if values else None


INSERT = re.compile(r"INSERT INTO (esse_\w+)\(k, v\) VALUES (.*?)( ON (?:CONFLICT|DUPLICATE) .*)?", re.S)
AGGREGATE = re.compile(r"SELECT (?:NULL, NULL, 0, )?(count\(\*\)|\w+\(v(?: \+ 0)?\)) FROM (esse_\w+) WHERE (.*)")


def insert(txn, found, duplicate, when):
    table, values, conflict = found.groups()
    for k, v in re.findall(r"\((-?\d+), ?(-?\d+)\)", values):
        k, v = int(k), int(v)
        appends = conflict and ("||" in conflict or "CONCAT" in conflict)
        old = txn.get(table, k, when) if appends or not conflict else None
        if not conflict and old is not None:
            raise duplicate
        txn.put(table, k, (f"{old[0]},{v}" if appends and old else str(v), old[1] if old else None))


def operate(txn, sql, duplicate, prefix, when=None):
    """A statement about rows inside of a transaction: (rows, how many it changed).  'when' is the time that statements which
    write look at, 'prefix' what stands before the columns of predicates."""
    if found := INSERT.fullmatch(sql):
        insert(txn, found, duplicate, when)
        return None, 1
    if found := re.fullmatch(r"SELECT v FROM (esse_\w+) WHERE k = (-?\d+)", sql):
        row = txn.get(found[1], int(found[2]))
        return ([(row[0],)] if row else []), 0
    if found := re.fullmatch(r"DELETE FROM (esse_\w+) WHERE k = (-?\d+)", sql):
        row = txn.get(found[1], int(found[2]), when)
        if row:
            txn.put(found[1], int(found[2]), None)
        return None, 1 if row else 0
    if found := AGGREGATE.fullmatch(sql):
        values = [int(row[0]) for _, row in txn.rows(found[2], condition_of(found[3]))]
        return [prefix + ((0,) if prefix else ()) + (aggregate(found[1], values),)], 0
    if found := re.fullmatch(r"SELECT (?:NULL, NULL, )?k, v FROM (esse_\w+) WHERE (.*)", sql):
        return [prefix + (k, row[0]) for k, row in txn.rows(found[1], condition_of(found[2]))], 0
    if found := re.fullmatch(r"SELECT k, o FROM (esse_\w+) WHERE v = (-?\d+)", sql):
        return [(k, row[1]) for k, row in txn.rows(found[1], lambda v: v == found[2])], 0
    if found := re.fullmatch(r"UPDATE (esse_\w+) SET o = v, v = (-?\d+) WHERE (.*?)( RETURNING .*)?", sql):
        changed = list(txn.rows(found[1], condition_of(found[3]), when))
        for k, row in changed:
            txn.put(found[1], k, (found[2], row[0]))
        return ([prefix + (k, row[0]) for k, row in changed] if found[4] else None), len(changed)
    return None


def define(store, sql):
    """A statement about tables; False if it is none."""
    with store.lock:
        if found := re.match(r"DROP TABLE IF EXISTS (\w+)", sql):
            store.tables.pop(found[1], None)
        elif found := re.match(r"CREATE TABLE (\w+)\(", sql):
            store.tables[found[1]] = {}
        elif not sql.startswith("CREATE INDEX"):
            return False
    return True


def wait_a_little():
    time.sleep(0.02)
