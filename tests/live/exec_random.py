#!/usr/bin/env python3
"""Random schemas, rows and statements, run by `esse sql` and by a live server, which must agree.

usage: exec_random.py ESSE postgresql SOCKETDIR PORT [--statements N] [--seed N] [--routines | --constraints]

Each round is a script: tables with constraints, rows, changes, queries, transactions with
savepoints.  What every statement returned is compared: rows (in order where ORDER BY fixes it),
counts, SQLSTATEs.  The first difference of a round is shrunk by leaving statements out, and printed
as a script.  A statement that esse refuses by name (0A000) is counted, not compared, and its round
ends if it changed something.
"""
import argparse, json, random, subprocess, sys, tempfile, os, collections
import routine_random

SEPARATOR = "\x1f"


class Column:
    def __init__(self, name, type_, kind):
        self.name, self.type, self.kind = name, type_, kind


class Table:
    def __init__(self, name, columns, key):
        self.name, self.columns, self.key = name, columns, key


TYPES = [("smallint", "int"), ("int", "int"), ("bigint", "int"), ("numeric(8,2)", "num"), ("numeric", "num"),
         ("double precision", "real"), ("boolean", "bool"), ("text", "text"), ("varchar(6)", "text"),
         ("char(4)", "text"), ("date", "date"), ("timestamp", "time"), ("real", "real")]


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.tables = []

    def pick(self, *items):
        return self.r.choice(items)

    def chance(self, p):
        return self.r.random() < p

    # ---- values ----

    def literal(self, kind):
        r = self.r
        if self.chance(0.08):
            return "NULL"
        if kind == "int":
            return str(r.choice([0, 1, 2, 3, 4, 5, -1, -2, 7, 10, 100, r.randint(-20, 20)] +
                                ([32767, 2147483647, -32768, 40000, 9223372036854775807, 3000000000] if self.chance(0.06) else [])))
        if kind == "num":
            return r.choice(["0", "1.5", "2.25", "-3.10", "10", "0.01", "100.00", "7.125", "-0.5", "3", "1e3",
                             "99999.99", "999999.995" if self.chance(0.2) else "4.4"])
        if kind == "real":
            return r.choice(["0::float8", "1.5::float8", "-2.25::float8", "1e10::float8", "0.1::float8", "3::float8", "1e-7::float8", "123456789::float8"])
        if kind == "bool":
            return r.choice(["TRUE", "FALSE"])
        if kind == "text":
            return r.choice(["''", "'a'", "'b'", "'ab'", "'abc'", "'A'", "'a '", "' b'", "'xyz'", "'b_c'", "'a%'", "'é'", "'10'"] +
                            (["'toolongtext'"] if self.chance(0.1) else []))
        if kind == "date":
            return r.choice(["DATE '2024-01-05'", "DATE '2024-02-29'", "DATE '1999-12-31'", "'2024-01-06'::date", "DATE '2023-07-01'"])
        return r.choice(["TIMESTAMP '2024-01-05 10:20:30'", "TIMESTAMP '2024-01-05 00:00:00'", "TIMESTAMP '1999-12-31 23:59:59.5'"])

    # ---- expressions ----

    def column(self, scope, kind):
        found = [name for name, k in scope if k == kind]
        return self.r.choice(found) if found else None

    def expr(self, scope, kind, depth=2):
        r = self.r
        if depth <= 0 or self.chance(0.25):
            column = self.column(scope, kind)
            return column if column and self.chance(0.75) else self.literal(kind)
        d = depth - 1
        e = lambda k: self.expr(scope, k, d)
        general = [lambda: f"COALESCE({e(kind)}, {e(kind)})", lambda: f"CASE WHEN {e('bool')} THEN {e(kind)} ELSE {e(kind)} END",
                   lambda: f"CASE {e('int')} WHEN {e('int')} THEN {e(kind)} WHEN {e('int')} THEN {e(kind)} END",
                   lambda: f"NULLIF({e(kind)}, {e(kind)})"]
        if kind not in ("bool",):
            general += [lambda: f"{self.pick('GREATEST', 'LEAST')}({e(kind)}, {e(kind)})"]
        if self.subs and self.chance(0.12):
            return self.scalar(scope, kind, d)
        if kind == "int":
            mine = [lambda: f"({e('int')} {self.pick('+', '-', '*')} {e('int')})"] * 3 + [
                lambda: f"({e('int')} {self.pick('/', '%')} {e('int')})", lambda: f"(- {e('int')})", lambda: f"abs({e('int')})",
                lambda: f"length({e('text')})", lambda: f"position({e('text')} IN {e('text')})", lambda: f"mod({e('int')}, {e('int')})",
                lambda: f"({e('int')} {self.pick('&', '|', '#')} {e('int')})", lambda: f"(~ {e('int')})",
                lambda: f"({e('int')} {self.pick('<<', '>>')} {r.randint(0, 5)})", lambda: f"({e('date')} - {e('date')})",
                lambda: f"CAST({e('num')} AS int)", lambda: f"CAST({e('int')} AS {self.pick('smallint', 'int', 'bigint')})",
                lambda: f"CAST({e('real')} AS bigint)", lambda: f"CAST({e('bool')} AS int)"]
        elif kind == "num":
            mine = [lambda: f"({e('num')} {self.pick('+', '-', '*')} {e('num')})"] * 2 + [
                lambda: f"({e('num')} {self.pick('/', '%')} {e('num')})", lambda: f"({e('int')} {self.pick('+', '-', '*', '/')} {e('num')})",
                lambda: f"round({e('num')}, {r.randint(-1, 3)})", lambda: f"{self.pick('round', 'ceil', 'floor', 'trunc', 'abs', 'sign')}({e('num')})",
                lambda: f"CAST({e('int')} AS numeric)", lambda: f"CAST({e('num')} AS numeric(6,{r.randint(0, 3)}))", lambda: f"(- {e('num')})"]
        elif kind == "real":
            mine = [lambda: f"({e('real')} {self.pick('+', '-', '*', '/')} {e('real')})", lambda: f"({e('int')} + {e('real')})",
                    lambda: f"CAST({e('num')} AS double precision)", lambda: f"{self.pick('floor', 'ceil', 'round', 'abs')}({e('real')})",
                    lambda: f"({e('num')} * {e('real')})", lambda: f"round({e('int')})"]
        elif kind == "text":
            mine = [lambda: f"({e('text')} || {e('text')})", lambda: f"({e('int')} || {e('text')})", lambda: f"upper({e('text')})", lambda: f"lower({e('text')})",
                    lambda: f"substring({e('text')} FROM {r.randint(-1, 4)} FOR {r.randint(0, 3)})", lambda: f"substring({e('text')}, {r.randint(0, 4)})",
                    lambda: f"trim({self.pick('', 'BOTH FROM ', 'LEADING FROM ', 'TRAILING FROM ')}{e('text')})", lambda: f"replace({e('text')}, {e('text')}, {e('text')})",
                    lambda: f"concat({e('text')}, {e('int')}, {e('text')})", lambda: f"CAST({e(self.pick('int', 'num', 'bool', 'date', 'real', 'time'))} AS text)",
                    lambda: f"CAST({e('text')} AS varchar({r.randint(1, 4)}))", lambda: f"CAST({e('text')} AS char({r.randint(1, 5)}))",
                    lambda: f"left({e('text')}, {r.randint(-2, 3)})", lambda: f"lpad({e('text')}, {r.randint(0, 6)}, {e('text')})", lambda: f"repeat({e('text')}, {r.randint(0, 3)})"]
        elif kind == "date":
            mine = [lambda: f"({e('date')} {self.pick('+', '-')} {r.randint(-40, 400)})", lambda: f"CAST({e('time')} AS date)"]
        elif kind == "time":
            mine = [lambda: f"CAST({e('date')} AS timestamp)"]
        else:
            return self.condition(scope, d)
        return r.choice(mine + general)() if not self.chance(0.2) else r.choice(general)()

    def condition(self, scope, depth=2):
        r = self.r
        d = depth - 1
        if depth <= 0:
            column = self.column(scope, "bool")
            if column and self.chance(0.3):
                return column
            kind = self.pick("int", "int", "text", "num")
            return f"({self.expr(scope, kind, 0)} {self.pick('=', '<>', '<', '<=', '>', '>=')} {self.expr(scope, kind, 0)})"
        e = lambda k: self.expr(scope, k, d)
        b = lambda: self.condition(scope, d)
        kind = self.pick("int", "int", "text", "num", "real", "date", "time", "bool")
        op = self.pick("=", "<>", "<", "<=", ">", ">=", "=")
        mine = [lambda: f"({e(kind)} {op} {e(kind)})"] * 5 + [
            lambda: f"({e('int')} {op} {e(self.pick('num', 'real'))})", lambda: f"({b()} {self.pick('AND', 'OR')} {b()})",
            lambda: f"({b()} {self.pick('AND', 'OR')} {b()})", lambda: f"(NOT {b()})", lambda: f"({e(kind)} IS {self.pick('', 'NOT ')}NULL)",
            lambda: f"({e(kind)} {self.pick('', 'NOT ')}IN ({e(kind)}, {e(kind)}, {e(kind)}))",
            lambda: f"({e(kind)} {self.pick('', 'NOT ')}BETWEEN {self.pick('', 'SYMMETRIC ')}{e(kind)} AND {e(kind)})",
            lambda: f"({e('text')} {self.pick('', 'NOT ')}LIKE {self.pick(chr(39) + 'a%' + chr(39), chr(39) + '%b' + chr(39), chr(39) + '_' + chr(39), chr(39) + '%' + chr(39), e('text'))})",
            lambda: f"({e(kind)} IS {self.pick('', 'NOT ')}DISTINCT FROM {e(kind)})", lambda: f"({b()} IS {self.pick('', 'NOT ')}{self.pick('TRUE', 'FALSE', 'UNKNOWN')})",
            lambda: f"(({e('int')}, {e('text')}) {self.pick('=', '<>', '<', '>=')} ({e('int')}, {e('text')}))"]
        if self.subs and self.chance(0.25):
            table = r.choice(self.tables)
            alias = self.alias()
            inner = [(f"{alias}.{c.name}", c.kind) for c in table.columns]
            wider = inner + scope
            column = r.choice(inner)
            where = self.condition(wider, 1)
            return r.choice([lambda: f"({self.pick('', 'NOT ')}EXISTS (SELECT 1 FROM {table.name} {alias} WHERE {where}))",
                             lambda: f"({self.expr(scope, column[1], 0)} {self.pick('', 'NOT ')}IN (SELECT {column[0]} FROM {table.name} {alias} WHERE {where}))",
                             lambda: f"({self.expr(scope, column[1], 0)} {op} {self.pick('ANY', 'ALL')} (SELECT {column[0]} FROM {table.name} {alias} WHERE {where}))"])()
        return r.choice(mine)()

    def scalar(self, scope, kind, depth):
        table = self.r.choice(self.tables)
        alias = self.alias()
        inner = [(f"{alias}.{c.name}", c.kind) for c in table.columns]
        where = self.condition(inner + scope, 1)
        if kind == "int":
            return f"(SELECT {self.pick('count(*)', 'CAST(count(DISTINCT ' + self.r.choice(inner)[0] + ') AS int)')} FROM {table.name} {alias} WHERE {where})"
        column = self.column(inner, kind)
        if not column or kind == "bool":
            return self.literal(kind)
        return f"(SELECT {self.pick('min', 'max')}({column}) FROM {table.name} {alias} WHERE {where})"

    def alias(self):
        self.aliases += 1
        return f"s{self.aliases}"

    # ---- queries ----

    def source(self, depth):
        r = self.r
        if depth and self.chance(0.15):
            alias = self.alias()
            text, outputs = self.select(depth - 1, plain=True)
            return f"({text}) {alias}", [(f"{alias}.{name}", kind) for name, kind in outputs]
        table = r.choice(self.tables)
        alias = self.alias()
        return f"{table.name} AS {alias}", [(f"{alias}.{c.name}", c.kind) for c in table.columns]

    def froms(self, depth):
        text, scope = self.source(depth)
        while self.chance(0.35) and text.count("JOIN") < 2:
            other, more = self.source(depth)
            kind = self.pick("JOIN", "LEFT JOIN", "RIGHT JOIN", "CROSS JOIN", ",", "FULL JOIN")
            if kind == "CROSS JOIN":
                text += f" CROSS JOIN {other}"
            elif kind == "," and "JOIN" not in text:
                text += f", {other}"
            else:
                kind = "JOIN" if kind == "," else kind
                ints = [n for n, k in scope if k == "int"], [n for n, k in more if k == "int"]
                on = f"{self.r.choice(ints[0])} = {self.r.choice(ints[1])}" if ints[0] and ints[1] else "TRUE"
                if self.chance(0.4) and kind != "FULL JOIN":
                    on += f" AND {self.condition(scope + more, 1)}"
                text += f" {kind} {other} ON {on}"
            scope = scope + more
        return text, scope

    def select(self, depth=1, plain=False):
        r = self.r
        text, scope = self.froms(depth)
        where = f" WHERE {self.condition(scope, 2)}" if self.chance(0.65) else ""
        count = r.randint(1, 4)
        outputs, items = [], []
        if self.chance(0.3):
            groups = r.sample(scope, min(len(scope), r.randint(0, 2)))
            for name, kind in groups:
                items.append((name, kind))
            for _ in range(r.randint(1, 3)):
                kind = self.pick("int", "num", "text", "date")
                of = self.expr(scope, kind, 1)
                fn = self.pick("count", "min", "max", "sum", "avg") if kind in ("int", "num") else self.pick("count", "min", "max")
                distinct = "DISTINCT " if self.chance(0.2) else ""
                filter_ = f" FILTER (WHERE {self.condition(scope, 1)})" if self.chance(0.15) else ""
                out = "int" if fn == "count" else "num" if fn in ("sum", "avg") else kind
                items.append((f"{fn}({distinct}{of}){filter_}" if not self.chance(0.2) else f"count(*){filter_}", out if not self.chance(0) else kind))
            # count(*) is an integer whatever was planned
            items = [(t, "int" if t.startswith("count") else k) for t, k in items]
            tail = (" GROUP BY " + ", ".join(n for n, _ in groups) if groups else "")
            if self.chance(0.3):
                tail += f" HAVING {self.pick('count(*) > 0', 'count(*) < 3', 'min(1) = 1')}"
        else:
            for _ in range(count):
                kind = self.pick("int", "text", "num", "date", "bool", "real", "int", "time")
                items.append((self.expr(scope, kind, 2), kind))
            tail = ""
        named = []
        for i, (item, kind) in enumerate(items):
            named.append(f"{item} AS c{i}")
            outputs.append((f"c{i}", kind))
        distinct = "DISTINCT " if self.chance(0.12) else ""
        query = f"SELECT {distinct}{', '.join(named)} FROM {text}{where}{tail}"
        if plain:
            return query, outputs
        if self.chance(0.15):
            columns = ", ".join(self.expr([], kind, 0) if kind != "int" else str(r.randint(0, 5)) for _, kind in outputs)
            op = self.pick("UNION", "UNION ALL", "EXCEPT", "INTERSECT", "EXCEPT ALL", "INTERSECT ALL")
            if all(kind in ("int", "num", "text", "date", "bool") for _, kind in outputs):
                query = f"{query} {op} SELECT {columns}"
        if self.chance(0.5):
            query += " ORDER BY " + ", ".join(f"{i + 1}{self.pick('', ' DESC', ' ASC', ' NULLS FIRST', ' DESC NULLS LAST')}" for i in range(len(outputs)))
            if self.chance(0.4):
                query += f" LIMIT {r.randint(0, 4)}"
                if self.chance(0.5):
                    query += f" OFFSET {r.randint(0, 3)}"
        if self.chance(0.08):
            query = f"WITH w AS ({query}) SELECT * FROM w"
        return query, outputs

    # ---- changes ----

    def insert(self):
        r = self.r
        table = r.choice(self.tables)
        columns = [c for c in table.columns if c.name == table.key or self.chance(0.85)]
        rows = []
        for _ in range(r.randint(1, 3)):
            rows.append("(" + ", ".join(str(r.randint(1, 12)) if c.name == table.key or c.name.startswith("r") else
                                        ("DEFAULT" if self.chance(0.06) else self.literal(c.kind) if not self.chance(0.15) else self.expr([], c.kind, 1))
                                        for c in columns) + ")")
        if self.chance(0.15):
            source, outs = self.froms(0)
            items = ", ".join(self.expr(outs, c.kind, 1) if c.name != table.key else self.pick("20", "21", "22", self.column(outs, "int") or "23") for c in columns)
            body = f"SELECT {items} FROM {source} WHERE {self.condition(outs, 1)}"
        else:
            body = "VALUES " + ", ".join(rows)
        text = f"INSERT INTO {table.name} ({', '.join(c.name for c in columns)}) {body}"
        if self.chance(0.25) and table.key and body.startswith("VALUES"):
            if self.chance(0.5):
                text += f" ON CONFLICT {self.pick('', '(' + table.key + ') ')}DO NOTHING"
            else:
                self.subs = False
                text += f" ON CONFLICT ({table.key}) DO UPDATE SET {self.sets(table, [(table.name + '.' + c.name, c.kind) for c in table.columns] + [('excluded.' + c.name, c.kind) for c in table.columns])}"
                self.subs = True
        return text + self.returning(table)

    def sets(self, table, scope):
        columns = [c for c in table.columns if c.name != table.key and not c.name.startswith("g")]
        chosen = self.r.sample(columns, min(len(columns), self.r.randint(1, 2)))
        return ", ".join(f"{c.name} = {self.expr(scope, c.kind, 2) if not self.chance(0.05) else 'DEFAULT'}" for c in chosen)

    def returning(self, table):
        if not self.chance(0.3):
            return ""
        return " RETURNING " + self.pick("*", ", ".join(f"{table.name}.{c.name}" for c in table.columns))

    def update(self):
        table = self.r.choice(self.tables)
        scope = [(f"{table.name}.{c.name}", c.kind) for c in table.columns]
        text = f"UPDATE {table.name} SET {self.sets(table, scope)}"
        if self.chance(0.75):
            text += f" WHERE {self.condition(scope, 2) if self.chance(0.5) else self.keyed(table)}"
        return text + self.returning(table)

    def keyed(self, table):
        return f"{table.name}.{table.key or table.columns[0].name} {self.pick('=', '=', '<', '>=')} {self.r.randint(1, 12)}"

    def delete(self):
        table = self.r.choice(self.tables)
        scope = [(f"{table.name}.{c.name}", c.kind) for c in table.columns]
        if self.chance(0.2):
            other = self.r.choice(self.tables)
            alias = self.alias()
            return f"DELETE FROM {table.name} USING {other.name} {alias} WHERE {table.name}.{table.columns[0].name} = {alias}.{other.columns[0].name} AND {self.keyed(table)}"
        return f"DELETE FROM {table.name} WHERE {self.keyed(table) if self.chance(0.7) else self.condition(scope, 2)}" + self.returning(table)

    # ---- a round ----

    def schema(self):
        r = self.r
        out = []
        for number in range(r.randint(1, 3)):
            name = f"t{number}"
            key = "id" if self.chance(0.85) else None
            columns = [Column("id", self.pick("int", "bigint", "smallint"), "int")]
            lines = [f"id {columns[0].type}" + (" PRIMARY KEY" if key else "")]
            for i in range(r.randint(2, 5)):
                type_, kind = r.choice(TYPES)
                column = Column(f"c{number}{i}", type_, kind)
                line = f"{column.name} {type_}"
                if self.chance(0.12):
                    line += " NOT NULL"
                if self.chance(0.2):
                    self.subs = False
                    line += f" DEFAULT {self.literal(kind)}"
                    self.subs = True
                if self.chance(0.08):
                    line += " UNIQUE"
                if self.chance(0.12):
                    self.subs = False
                    line += f" CHECK ({self.condition([(column.name, kind)], 1)})"
                    self.subs = True
                columns.append(column)
                lines.append(line)
            if number and self.tables[0].key and self.chance(0.6):
                column = Column(f"r{number}", self.tables[0].columns[0].type, "int")
                action = self.pick("", " ON DELETE CASCADE", " ON DELETE SET NULL", " ON UPDATE CASCADE", " ON DELETE RESTRICT", " DEFERRABLE INITIALLY DEFERRED")
                lines.append(f"{column.name} {column.type} REFERENCES t0{action}")
                columns.append(column)
            out.append(f"CREATE TABLE {name} ({', '.join(lines)})")
            self.tables.append(Table(name, columns, key))
        return out

    # ---- constraints ----

    def keyed_schema(self):
        """Tables whose keys have two columns, and that refer to one another and to themselves in every way."""
        actions = ["", " ON DELETE CASCADE", " ON DELETE SET NULL", " ON UPDATE CASCADE", " ON DELETE RESTRICT", " ON DELETE SET DEFAULT",
                   " ON DELETE CASCADE ON UPDATE CASCADE", " ON UPDATE SET NULL ON DELETE CASCADE", " DEFERRABLE INITIALLY DEFERRED",
                   " ON UPDATE RESTRICT", " ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"]
        int_ = lambda *names: [Column(n, "int", "int") for n in names]
        self.tables = [Table("p", int_("a", "b", "v"), "a"), Table("c", int_("id", "a", "b", "w"), "id"), Table("e", int_("id", "up", "g"), "id")]
        key = self.pick("PRIMARY KEY (a, b)", "PRIMARY KEY (b, a)", "UNIQUE (a, b)", "UNIQUE (a, b), UNIQUE (v)")
        check = self.pick("", f", CHECK (v {self.pick('<', '>=')} {self.r.randint(0, 9)})", ", CONSTRAINT k CHECK (a <= b OR v IS NULL)")
        two = f", FOREIGN KEY (a, b) REFERENCES p (a, b){self.r.choice(actions)}"
        unique = self.pick("", ", UNIQUE (a, w)", ", UNIQUE (w) DEFERRABLE INITIALLY DEFERRED", ", UNIQUE (b, w) DEFERRABLE")
        default = self.pick("", " DEFAULT 1", " DEFAULT 2")
        generated = self.pick("g int", "g int GENERATED ALWAYS AS (id * 2 + up) STORED", "g int GENERATED ALWAYS AS (coalesce(up, 0)) STORED UNIQUE",
                              "g int NOT NULL GENERATED ALWAYS AS (id % 3) STORED")
        self.generated = "GENERATED" in generated
        return [f"CREATE TABLE p (a int, b int, v int{self.pick('', ' NOT NULL', ' DEFAULT 3')}, {key}{check})",
                f"CREATE TABLE c (id int PRIMARY KEY, a int{default}, b int{default}, w int{two}{unique})",
                f"CREATE TABLE e (id int PRIMARY KEY, up int REFERENCES e{self.r.choice(actions)}, {generated})"]

    def keyed_change(self):
        n = lambda: self.pick("1", "2", "3", "1", "2", "4", "NULL" if self.chance(0.3) else "5")
        table = self.r.choice(self.tables)
        columns = [c.name for c in table.columns if not (c.name == "g" and self.generated)]
        x = self.r.random()
        where = " AND ".join(f"{c} {self.pick('=', '=', '>', '<')} {n()}" for c in self.r.sample(columns, self.r.randint(1, 2)))
        if x < 0.45:
            rows = ", ".join("(" + ", ".join(n() for _ in columns) + ")" for _ in range(self.r.randint(1, 3)))
            return f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES {rows}{self.pick('', '', ' ON CONFLICT DO NOTHING')}"
        if x < 0.78:
            chosen = self.r.sample(columns, self.r.randint(1, 2))
            sets = ", ".join(f"{c} = {self.pick(n(), 'DEFAULT' if self.chance(0.3) else n(), self.r.choice(columns))}" for c in chosen)
            return f"UPDATE {table.name} SET {sets} WHERE {where}"
        return f"DELETE FROM {table.name} WHERE {where}"

    def keyed_round(self, count):
        self.subs, self.aliases = True, 0
        script = self.keyed_schema()
        while len(script) < count:
            if self.chance(0.75):
                script.append(self.keyed_change())
            else:
                script += ["BEGIN", self.pick("SET CONSTRAINTS ALL DEFERRED", "SET CONSTRAINTS ALL IMMEDIATE", self.keyed_change()), self.keyed_change(),
                           self.pick("SAVEPOINT a", self.keyed_change()), self.keyed_change(), self.pick("COMMIT", "COMMIT", "ROLLBACK")]
            if self.chance(0.5):
                script.append(f"SELECT * FROM {self.r.choice(self.tables).name}")
        return script + [f"SELECT * FROM {t.name}" for t in self.tables]

    def routines(self, count):
        """Tables, rows, and then routines with calls of them."""
        self.subs, self.aliases = True, 0
        script = self.schema()
        script += [self.insert() for _ in range(6)]
        script += routine_random.Routines(self).round(count - len(script))
        return script + [f"SELECT * FROM {t.name}" for t in self.tables]

    def round(self, count):
        self.subs, self.aliases = True, 0
        script = self.schema()
        script += [self.insert() for _ in range(6)]
        while len(script) < count:
            x = self.r.random()
            if x < 0.62:
                script.append(self.select()[0])
            elif x < 0.74:
                script.append(self.insert())
            elif x < 0.86:
                script.append(self.update())
            elif x < 0.92:
                script.append(self.delete())
            elif x < 0.97:
                block = ["BEGIN"] + [self.r.choice([self.insert, self.update, self.delete])() for _ in range(2)]
                if self.chance(0.5):
                    block += ["SAVEPOINT a", self.update(), self.pick("ROLLBACK TO a", "RELEASE a")]
                script += block + [self.select()[0], self.pick("COMMIT", "ROLLBACK")]
            else:
                script.append(f"TRUNCATE {self.r.choice(self.tables).name}")
        return script + [f"SELECT * FROM {t.name}" for t in self.tables]


# ---- running ----

def run_esse(esse, script, dialect):
    text = ";\n".join(script) + ";\n"
    done = subprocess.run([esse, "sql", "--json", "--keep-going", "--dialect", dialect, "-"], input=text.encode(), capture_output=True)
    if done.returncode not in (0, 65):
        text = done.stderr.decode(errors="replace").splitlines()
        return None, "\n".join(line for line in text if "ERROR" in line or "error" in line or "    #" in line)[:1200]
    out = []
    for line in done.stdout.decode().splitlines():
        one = json.loads(line)
        if "error" in one:
            out.append(("error", one["error"], one["message"], one["supported"]))
        elif "rows" in one:
            out.append(("rows", [["\\N" if v is None else ("t" if v else "f") if isinstance(v, bool) else str(v) for v in row] for row in one["rows"]]))
        else:
            out.append(("count", one["count"]))
    return out, None


def run_psql(where, script):
    lines = ["\\set VERBOSITY sqlstate", "DROP SCHEMA IF EXISTS x CASCADE; CREATE SCHEMA x; SET search_path = x;"]
    for statement in script:
        lines += ["\\echo @@@begin", statement + ";", "\\echo @@@end :SQLSTATE :ROW_COUNT"]
    done = subprocess.run(["psql", "-XqAt", "-F", SEPARATOR, "-P", "null=\\N", "-h", where[0], "-p", where[1], "-U", "postgres", "postgres"],
                          input="\n".join(lines).encode(), capture_output=True)
    out, rows = [], []
    for line in done.stdout.decode().split("\n"):
        if line == "@@@begin":
            rows = []
        elif line.startswith("@@@end "):
            _, state, count = line.split(" ")
            most = len(rows) if script[len(out)].startswith("CALL") else int(count)
            out.append(("error", state) if state != "00000" else ("rows", rows[:most], most))
        else:
            rows.append(line.split(SEPARATOR))
    return out


def has_rows(statement):
    return statement.startswith(("SELECT", "WITH", "CALL")) or " RETURNING " in statement


def differs(statement, ours, theirs):
    if ours[0] == "error":
        return None if theirs[0] == "error" and theirs[1] == ours[1] else f"esse: {ours[1]} {ours[2]}"
    if theirs[0] == "error":
        return "esse: no error"
    if has_rows(statement):
        mine = ours[1] if ours[0] == "rows" else []
        yours = theirs[1]
        if not (statement.startswith("SELECT") and " ORDER BY " in statement):
            mine, yours = sorted(mine), sorted(yours)
        return None if mine == yours else f"esse: {mine}"
    if statement.startswith(("INSERT", "UPDATE", "DELETE")) and ours[1] != theirs[2]:
        return f"esse: count {ours[1]}"
    return None


def plain(rows):
    return sorted([v.rstrip("0").rstrip(".") if v.replace(".", "").replace("-", "").isdigit() and "." in v else v for v in row] for row in rows)


# Of 0 and 0.00, which are equal, either may stand for both, or come first; rows may be gone over in
# another order, and then a unique column be in the way or not.
# PostgreSQL raises errors of constants when it plans, whether or not a row comes to them; EXPLAIN
# does nothing else.  And its plan may leave out what the result does not need, or ask a condition
# of rows that another join leaves out before; so in statements of several conditions or queries an
# error of evaluation may come up on one side only.
def is_known(server, script, i, ours, theirs, counts):
    statement = script[i]
    if ours[0] == "rows" and theirs[0] == "rows" and plain(ours[1]) == plain(theirs[1]):
        if counts is not None:
            counts["equals"] += 1
        return True
    broken = [x[0] == "error" and x[1].startswith("23") for x in (ours, theirs)]
    if statement.startswith("UPDATE") and any(broken) or "SELECT" in statement and all(broken):
        if counts is not None:
            counts["order"] += 1
        return True
    if theirs[0] == "error" and theirs[1].startswith("22"):
        again = server(script[:i] + ["EXPLAIN " + statement])
        if again[i] == theirs:
            if counts is not None:
                counts["constants"] += 1
            return True
    if (ours[0] == "error" and ours[1].startswith("22")) != (theirs[0] == "error" and theirs[1].startswith("22")):
        many = statement.count("SELECT") + statement.count("JOIN") + statement.count(" AND ") + statement.count(" OR ")
        if many > 1 or "NULLIF(NULL" in statement:
            if counts is not None:
                counts["lazy"] += 1
            return True
    return False


def compare(esse, server, script, counts=None):
    ours, crash = run_esse(esse, script, "postgresql")
    if ours is None:
        return len(script) - 1, "esse ended: " + crash, None
    theirs = server(script)
    if len(theirs) != len(script):
        return 0, f"the server answered {len(theirs)} of {len(script)}", None
    for i, statement in enumerate(script):
        if i >= len(ours):
            return i, "esse gave no answer", theirs[i]
        if ours[i][0] == "error" and not ours[i][3]:
            if counts is not None:
                counts["refused"] += 1
                counts["refused: " + ours[i][2]] += 1
            if not statement.startswith(("SELECT", "WITH")) and theirs[i][0] != "error":
                return None, None, None
            if any(s == "BEGIN" for s in script[:i]) and script[:i].count("BEGIN") > sum(s in ("COMMIT", "ROLLBACK") for s in script[:i]):
                return None, None, None
            continue
        if counts is not None:
            counts["compared"] += 1
            counts["errors"] += ours[i][0] == "error"
        why = differs(statement, ours[i], theirs[i])
        if why and is_known(server, script, i, ours[i], theirs[i], counts):
            if not statement.startswith(("SELECT", "WITH")) or "BEGIN" in script[:i]:
                return None, None, None  # what follows differs too
            continue
        if why:
            return i, why, theirs[i]
    return None, None, None


def shrink(esse, server, script, at):
    script = script[:at + 1]
    i = len(script) - 2
    while i >= 0:
        less = script[:i] + script[i + 1:]
        if compare(esse, server, less)[0] == len(less) - 1:
            script = less
        i -= 1
    return script


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("esse")
    parser.add_argument("dialect")
    parser.add_argument("where", nargs="*")
    parser.add_argument("--statements", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--routines", action="store_true")
    parser.add_argument("--constraints", action="store_true")
    parser.add_argument("--most", type=int, default=5, help="differences after which to stop")
    args = parser.parse_args()
    server = lambda script: run_psql(args.where, script)
    counts = collections.Counter()
    found, seed = 0, args.seed
    while counts["compared"] < args.statements and found < args.most:
        gen = Gen(seed)
        script = gen.routines(24) if args.routines else gen.keyed_round(40) if args.constraints else gen.round(40)
        at, why, theirs = compare(args.esse, server, script, counts)
        if at is not None:
            found += 1
            small = shrink(args.esse, server, script, at)
            at, why, theirs = compare(args.esse, server, small)
            print(f"-- seed {seed}: {why}\n--   server: {theirs}\n" + ";\n".join(small) + ";\n", flush=True)
        seed += 1
    refused = sorted((k for k in counts if k.startswith("refused: ")), key=lambda k: -counts[k])
    print(f"{counts['compared']} statements compared ({counts['errors']} errors), {counts['refused']} refused, {counts['constants']} errors of constants, {counts['lazy']} errors that a plan left out, {counts['equals']} of equal numbers, {counts['order']} by the order of rows, {found} differences, seeds {args.seed} to {seed - 1}")
    for name in refused[:12]:
        print(f"  {counts[name]} {name}")
    sys.exit(1 if found else 0)


main()
