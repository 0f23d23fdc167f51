"""Random procedures and functions in PL/pgSQL, for exec_random.py: bodies of assignments, branches, loops,
cursors, handlers and SQL on the tables of a round, and calls of them.

Expressions are plain: each has a variable or a column in it, so that PostgreSQL cannot evaluate it when it
plans, and no condition has more than one part that may fail.
"""

TYPES = [("int", "int"), ("smallint", "int"), ("bigint", "int"), ("numeric(6,2)", "num"), ("numeric", "num"), ("text", "text"),
         ("varchar(4)", "text"), ("boolean", "bool"), ("date", "date"), ("char(3)", "text"), ("double precision", "real")]
VALUES = {"int": ["0", "1", "2", "3", "-1", "7", "NULL", "40000"], "num": ["0", "1.5", "-2.25", "99.995", "NULL", "12345.6"],
          "text": ["''", "'a'", "'abc'", "'12'", "'toolong'", "NULL", "'t'"], "bool": ["TRUE", "FALSE", "NULL"],
          "date": ["DATE '2024-02-29'", "DATE '1999-12-31'", "NULL"], "real": ["0::float8", "1.5::float8", "-3::float8", "NULL"]}
STATES = ["division_by_zero", "unique_violation", "check_violation OR not_null_violation", "OTHERS", "OTHERS", "data_exception",
          "integrity_constraint_violation", "raise_exception", "no_data_found OR too_many_rows", "SQLSTATE '22003'", "foreign_key_violation"]
# What is assigned to them cannot fail.  Otherwise PostgreSQL may find the error when it plans, whether there is a
# row or not: a variable is a constant to its planner.
FREE = ["bigint", "numeric", "text", "date", "boolean", "double precision"]


class Routines:
    """Writes the routines of one round; 'gen' has the tables and the chance."""

    def __init__(self, gen):
        self.gen, self.r = gen, gen.r
        self.functions, self.procedures = [], []

    def pick(self, *items):
        return self.r.choice(items)

    def chance(self, p):
        return self.r.random() < p

    # ---- expressions on variables ----

    def variable(self, kind):
        names = [n for n, k in self.scope if k == kind]
        return self.r.choice(names) if names else None

    def value(self, kind):
        """A variable of the kind, or else a literal."""
        name = self.variable(kind)
        return name if name and self.chance(0.8) else self.r.choice(VALUES[kind])

    def expr(self, kind, depth=1):
        v, r = self.variable(kind), self.r
        if not v or self.chance(0.3):
            return self.value(kind)
        if self.chance(0.12):
            return self.scalar(kind)
        if self.functions and kind == "text" and self.chance(0.15) and depth:
            return self.call(r.choice(self.functions))
        if self.chance(0.15):
            return f"COALESCE({v}, {self.value(kind)})"
        if kind == "int":
            t = self.variable("text")
            return r.choice([f"{v} + {self.value('int')}", f"{v} - {self.value('int')}", f"{v} * {self.value('int')}", f"{v} / {self.value('int')}",
                             f"{v} % {self.value('int')}", f"abs({v})", f"length({t})" if t else v])
        if kind == "num":
            return r.choice([f"{v} + {self.value('num')}", f"{v} * 2", f"{v} - {self.value('int')}", f"round({v}, 1)", f"{v} / 4"])
        if kind == "text":
            return r.choice([f"{v} || {self.value('text')}", f"{v} || {self.value('int')}", f"upper({v})", f"substring({v}, 2)", f"left({v}, 3)"])
        if kind == "bool":
            return self.condition()
        if kind == "date":
            return f"{v} + {self.pick('1', '-30')}"
        return f"{v} * 2"

    def condition(self):
        kind = self.pick("int", "int", "text", "num", "date")
        v = self.variable(kind)
        if self.chance(0.15):
            return self.pick("FOUND", "NOT FOUND")
        if not v or self.chance(0.1):
            return f"EXISTS (SELECT 1 FROM {self.where('w')})"
        return self.pick(f"{v} {self.pick('=', '<>', '<', '>=')} {self.value(kind)}", f"{v} IS {self.pick('', 'NOT ')}NULL",
                         f"{v} IN ({self.value(kind)}, {self.value(kind)})")

    def where(self, alias):
        table = self.r.choice(self.gen.tables)
        column = self.r.choice([c for c in table.columns if c.kind in VALUES])
        op = self.pick("=", "<", ">=", "<>")
        return f"{table.name} {alias} WHERE {alias}.{column.name} {op} {self.value(column.kind)}"

    def scalar(self, kind):
        table = self.r.choice(self.gen.tables)
        columns = [c for c in table.columns if c.kind == kind and kind != "bool"]
        if not columns:
            return f"(SELECT count(*) FROM {table.name})" if kind == "int" else self.value(kind)
        key = table.key or table.columns[0].name
        return f"(SELECT {self.pick('min', 'max')}(z.{self.r.choice(columns).name}) FROM {table.name} z WHERE z.{key} {self.pick('=', '<', '>')} {self.value('int')})"

    def call(self, function):
        return f"{function[0]}({', '.join(self.value(kind) + ('' if True else '') for kind in function[1])})"

    # ---- statements ----

    def target(self):
        return self.r.choice([(n, k) for n, k in self.scope if n not in self.fixed])

    def assignment(self):
        name, kind = self.target()
        if self.chance(0.06):
            kind = self.pick("int", "text", "num", "bool")
        return [f"{name} := {self.expr(kind)};"]

    def select_into(self):
        table = self.r.choice(self.gen.tables)
        column = self.r.choice([c for c in table.columns if c.kind in VALUES])
        targets = [n for n, k in self.scope if k == column.kind and n not in self.fixed]
        if not targets:
            return self.assignment()
        key = table.columns[0].name
        return [f"SELECT {column.name} INTO {self.pick('', '', 'STRICT ')}{self.r.choice(targets)} FROM {table.name} "
                f"WHERE {table.name}.{key} {self.pick('=', '=', '>')} {self.value('int')} ORDER BY {', '.join(table.name + '.' + c.name for c in table.columns)};"]

    def change(self):
        table = self.r.choice(self.gen.tables)
        columns = table.columns
        x = self.r.random()
        key = columns[0].name
        if x < 0.45:
            values = ", ".join(self.pick(str(self.r.randint(1, 12)), self.value("int")) if c.name == key or c.name.startswith("r")
                               else self.value(c.kind) if c.kind in VALUES else "NULL" for c in columns)
            text = f"INSERT INTO {table.name} ({', '.join(c.name for c in columns)}) VALUES ({values})"
        elif x < 0.8:
            column = self.r.choice([c for c in columns if c.type in FREE] or [columns[0]])
            value = self.value(column.kind) if column.type in FREE else str(self.r.randint(1, 12))
            text = f"UPDATE {table.name} SET {column.name} = {value} WHERE {table.name}.{key} {self.pick('=', '<', '=')} {self.value('int')}"
        else:
            text = f"DELETE FROM {table.name} WHERE {table.name}.{key} = {self.value('int')}"
        ints = [n for n, k in self.scope if k == "int" and n not in self.fixed]
        if self.chance(0.2) and ints:
            text += f" RETURNING {table.name}.{key} INTO {self.pick('', 'STRICT ')}{self.r.choice(ints)}"
        return [text + ";"]

    def if_(self, depth):
        lines = [f"IF {self.condition()} THEN"] + self.block(depth - 1)
        if self.chance(0.4):
            lines += [f"ELSIF {self.condition()} THEN"] + self.block(depth - 1)
        if self.chance(0.5):
            lines += ["ELSE"] + self.block(depth - 1)
        return lines + ["END IF;"]

    def case(self, depth):
        kind = self.pick("int", "text")
        v = self.variable(kind)
        if v:
            lines = [f"CASE {v}", f"WHEN {self.value(kind)}, {self.value(kind)} THEN"] + self.block(depth - 1)
        else:
            lines = ["CASE", f"WHEN {self.condition()} THEN"] + self.block(depth - 1)
        return lines + (["ELSE"] + self.block(depth - 1) if self.chance(0.8) else []) + ["END CASE;"]

    def loop(self, depth):
        self.loops += 1
        n, before = self.loops, list(self.scope)
        label = f"l{n}"
        out = self.pick(f"EXIT {label} WHEN {self.condition()};", f"CONTINUE {label} WHEN {self.condition()};", "")
        x = self.r.random()
        if x < 0.4:
            lo, hi = self.pick("1", "0", self.value("int")), self.pick("3", "2", "1")
            head = f"FOR i{n} IN {lo}..{hi} LOOP" if self.chance(0.7) else f"FOR i{n} IN REVERSE {hi}..{self.pick('1', '0')} BY {self.pick('1', '2')} LOOP"
            if not lo.isdigit():
                head = f"FOR i{n} IN GREATEST({lo}, 0)..{hi} LOOP" if self.chance(0.9) else f"FOR i{n} IN {self.pick('NULL', '1')}..2 BY {self.pick('1', '0')} LOOP"
            self.scope, fixed = self.scope + [(f"i{n}", "int")], self.fixed
            self.fixed = self.fixed | {f"i{n}"}
            lines = [f"<<{label}>>", head] + self.block(depth - 1) + [out] + ["END LOOP;"]
            self.fixed = fixed
        elif x < 0.75 and self.records < 3:
            table = self.r.choice(self.gen.tables)
            record = f"r{self.records}"
            self.records += 1
            fields = [(f"{record}.{c.name}", c.kind) for c in table.columns if c.kind in VALUES]
            order = ", ".join(c.name for c in table.columns)
            self.scope, fixed = self.scope + fields, self.fixed
            self.fixed = self.fixed | {name for name, _ in fields}
            lines = [f"<<{label}>>", f"FOR {record} IN SELECT * FROM {table.name} ORDER BY {order} LIMIT 3 LOOP"] + self.block(depth - 1) + [out] + ["END LOOP;"]
            self.fixed = fixed
        else:
            counter = f"w{n}"
            self.extra.append(f"{counter} int := 0;")
            lines = [f"<<{label}>>", f"WHILE {counter} < 3 LOOP", f"{counter} := {counter} + 1;"] + self.block(depth - 1) + [out] + ["END LOOP;"]
        self.scope = before
        return lines

    def handler(self, depth):
        state = self.variable("text")
        first = ["BEGIN"] + self.block(depth - 1) + ["EXCEPTION"]
        for _ in range(self.r.randint(1, 2)):
            first += [f"WHEN {self.r.choice(STATES)} THEN"]
            first += [self.pick("v0 := v0 || SQLSTATE;", "NULL;", "v0 := v0 || 'e';", "RAISE;" if self.chance(0.3) else "GET STACKED DIAGNOSTICS v0 = RETURNED_SQLSTATE;")]
            if self.chance(0.3):
                first += self.block(0)
        return first + ["END;"] if state else self.assignment()

    def cursor(self):
        self.cursors += 1
        name = f"c{self.uid}_{self.cursors}"
        table = self.r.choice(self.gen.tables)
        column = self.r.choice([c for c in table.columns if c.kind in VALUES])
        targets = [n for n, k in self.scope if k == column.kind and n not in self.fixed]
        if not targets:
            return self.assignment()
        target = self.r.choice(targets)
        order = ", ".join(c.name for c in table.columns)
        self.extra.append(f"{name} SCROLL CURSOR (a int) FOR SELECT {column.name} FROM {table.name} WHERE {table.columns[0].name} > a ORDER BY {order};")
        lines = [f"OPEN {name}({self.pick('0', '2', self.value('int'))});"]
        for _ in range(self.r.randint(1, 3)):
            lines.append(f"FETCH {self.pick('', 'NEXT FROM ', 'LAST FROM ', 'PRIOR FROM ', 'ABSOLUTE 2 FROM ', 'RELATIVE 2 FROM ', 'FIRST FROM ')}{name} INTO {target};")
            lines.append(f"v0 := v0 || concat({target}, FOUND, ',');")
        return lines + [f"CLOSE {name};"]

    def execute(self):
        table = self.r.choice(self.gen.tables)
        key = table.columns[0].name
        ints = [n for n, k in self.scope if k == "int" and n not in self.fixed]
        if self.chance(0.5) or not ints:
            return [f"EXECUTE 'DELETE FROM {table.name} WHERE {key} = $1' USING {self.value('int') if self.variable('int') is None else self.variable('int')};",
                    "GET DIAGNOSTICS n0 = ROW_COUNT;"]
        return [f"EXECUTE 'SELECT count(*) FROM {table.name} WHERE {key} > $1' INTO {self.r.choice(ints)} USING {self.variable('int')};"]

    def statement(self, depth):
        x = self.r.random()
        if depth > 0 and x < 0.42:
            return self.pick(self.if_, self.if_, self.loop, self.loop, self.handler, self.handler, self.case)(depth)
        if x < 0.62:
            return self.assignment()
        if x < 0.70:
            return self.select_into()
        if x < 0.84:
            return self.change()
        if x < 0.87:
            return [f"GET DIAGNOSTICS n0 = ROW_COUNT;"]
        if x < 0.89:
            return [f"PERFORM 1 FROM {self.where('p')};"]
        if x < 0.91:
            return [self.pick(f"RAISE EXCEPTION 'no %', {self.value('int')} USING ERRCODE = '{self.pick('P0001', '22012', '23505', '45000')}';",
                              f"RAISE NOTICE '% %', {self.value('text')}, {self.value('num')};", "RAISE unique_violation;")] if self.chance(0.6) else [f"ASSERT {self.condition()};"]
        if x < 0.93:
            return [self.leave()]
        if x < 0.95 and self.procedures and not self.in_function:
            return self.call_procedure()
        if x < 0.98:
            return self.cursor()
        return self.execute()

    def call_procedure(self):
        name, kinds, modes = self.r.choice(self.procedures)
        args = []
        for kind, mode in zip(kinds, modes):
            if mode == "IN":
                args.append(self.value(kind))
            else:
                args.append(f"o{len(args)}_{self.uid}_{self.calls}")
                self.extra.append(f"{args[-1]} {dict(int='int', text='text', num='numeric')[kind]};")
        self.calls += 1
        outs = [a for a, m in zip(args, modes) if m != "IN"]
        return [f"CALL {name}({', '.join(args)});"] + [f"v0 := concat(v0, {o});" for o in outs]

    def block(self, depth):
        lines = []
        for _ in range(self.r.randint(1, 3)):
            lines += self.statement(depth)
        return lines

    def leave(self):
        return f"RETURN {self.result()};" if self.in_function else "RETURN;"

    def result(self):
        return "concat(" + ", '/', ".join(n for n, _ in self.locals) + ", '/', n0, FOUND)"

    # ---- routines ----

    def body(self, params, number, in_function):
        self.uid, self.in_function = number, in_function
        self.scope, self.fixed, self.extra = list(params) + [("v0", "text")], set(), []
        self.loops = self.records = self.cursors = self.calls = 0
        declared = ["n0 bigint;", "v0 text := '';"]
        self.locals = [("v0", "text")]
        for i in range(1, self.r.randint(2, 5)):
            type_, kind = self.r.choice(TYPES)
            line = f"v{i} {type_}"
            if self.chance(0.5):
                literal = self.r.choice(VALUES[kind])
                line += (" NOT NULL" if literal != "NULL" and self.chance(0.2) else "") + f" := {literal}"
            declared.append(line + ";")
            self.scope.append((f"v{i}", kind))
            self.locals.append((f"v{i}", kind))
        lines = []
        for _ in range(self.r.randint(3, 6)):
            lines += self.statement(2)
        lines.append(self.leave())
        declared += [f"r{i} record;" for i in range(self.records)] + self.extra
        return "DECLARE " + " ".join(declared) + " BEGIN " + " ".join(line for line in lines if line) + " END"

    def function(self, number):
        params = [(f"p{i}", self.pick("int", "text", "num", "int")) for i in range(self.r.randint(0, 3))]
        types = dict(int="int", text="text", num="numeric")
        head = ", ".join(f"{n} {types[k]}" for n, k in params)
        text = f"CREATE FUNCTION f{number}({head}) RETURNS text LANGUAGE plpgsql AS $${self.body(params, number, True)}$$"
        self.functions.append((f"f{number}", [k for _, k in params]))
        return text

    def procedure(self, number):
        params = [(f"p{i}", self.pick("int", "text", "num")) for i in range(self.r.randint(1, 3))]
        modes = [self.pick("IN", "INOUT", "OUT") for _ in params]
        types = dict(int="int", text="text", num="numeric")
        head = ", ".join(f"{m} {n} {types[k]}" for (n, k), m in zip(params, modes))
        text = f"CREATE PROCEDURE q{number}({head}) LANGUAGE plpgsql AS $${self.body(params, number, False)}$$"
        self.procedures.append((f"q{number}", [k for _, k in params], modes))
        return text

    def round(self, calls):
        script = []
        for number in range(self.r.randint(2, 4)):
            script.append(self.pick(self.function, self.function, self.procedure)(number))
        literal = lambda kind: self.r.choice(VALUES[kind])
        for _ in range(calls):
            if self.procedures and self.chance(0.3):
                name, kinds, modes = self.r.choice(self.procedures)
                script.append(f"CALL {name}({', '.join('NULL' if m == 'OUT' else literal(k) for k, m in zip(kinds, modes))})")
            elif self.functions and self.chance(0.75):
                name, kinds = self.r.choice(self.functions)
                script.append(f"SELECT {name}({', '.join(literal(k) for k in kinds)})")
            else:
                self.loops = 0
                script.append(f"DO $${self.body([], 90 + len(script), False)}$$")
        return script
