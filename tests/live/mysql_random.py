#!/usr/bin/env python3
"""Random statements of MySQL's dialect, run by `esse sql --dialect mysql` and by MariaDB, which must agree.

usage: mysql_random.py ESSE SOCKET [--statements N] [--seed N] [--most N]

Expressions have few brackets, so that precedence is asked too.  Rows, counts and the class of errors (the first
two letters of the SQLSTATE) are compared; a difference is shrunk by leaving statements out.  What esse refuses by
name is counted, and ends its round if it was a change.
"""
import argparse, collections, json, random, subprocess, sys

INTS = ["TINYINT", "SMALLINT", "INT", "BIGINT", "INT UNSIGNED", "TINYINT UNSIGNED"]


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.tables = []

    def pick(self, *items):
        return self.r.choice(items)

    def chance(self, p):
        return self.r.random() < p

    def literal(self, kind):
        if self.chance(0.08):
            return "NULL"
        return self.pick(*{"int": ["0", "1", "2", "3", "7", "-1", "-5", "100", "127", "300" if self.chance(0.2) else "4"],
                           "dec": ["0.5", "1.25", "-2.50", "10.0", "99.99", "3.333"],
                           "text": ["'a'", "'B'", "'b'", "'abc'", '"x"', "''", "'12'", "'3x'", "'A%'", "'it''s'", "'a b'"],
                           "date": ["'2024-02-29'", "'1999-12-31'", "DATE '2024-01-05'"]}[kind])

    def operand(self, scope, kind, depth):
        names = [n for n, k in scope if k == kind]
        if names and self.chance(0.6):
            return self.r.choice(names)
        return self.literal(kind) if depth <= 0 or self.chance(0.5) else f"({self.expr(scope, kind, depth - 1)})"

    def expr(self, scope, kind, depth=1):
        o = lambda k: self.operand(scope, k, depth)
        e = lambda k: self.expr(scope, k, depth - 1)
        general = [lambda: f"IF({self.condition(scope, depth - 1)}, {o(kind)}, {o(kind)})", lambda: f"IFNULL({o(kind)}, {o(kind)})",
                   lambda: f"COALESCE({o(kind)}, {o(kind)})", lambda: f"CASE WHEN {self.condition(scope, depth - 1)} THEN {o(kind)} ELSE {o(kind)} END",
                   lambda: f"NULLIF({o(kind)}, {o(kind)})", lambda: o(kind)]
        if kind == "int":
            ops = lambda: self.pick("+", "-", "*", "%", "DIV", "+", "-", "MOD")
            mine = [lambda: f"{o('int')} {ops()} {o('int')}", lambda: f"{o('int')} {ops()} {o('int')} {ops()} {o('int')}",
                    lambda: f"({o('int')} & 7) {self.pick('&', '|', '^', '<<', '>>')} {self.pick('1', '2', '3')} {self.pick('&', '|', '^', '+', '*')} {self.pick('1', '2', '5')}",
                    lambda: f"-{o('int')}", lambda: f"ABS({o('int')})", lambda: f"LENGTH({o('text')})", lambda: f"MOD({o('int')}, {o('int')})",
                    lambda: f"GREATEST({o('int')}, {o('int')})", lambda: f"CAST({o('dec')} AS SIGNED)", lambda: f"CHAR_LENGTH({o('text')})",
                    lambda: f"({self.condition(scope, depth - 1)}) + 1", lambda: f"INSTR({o('text')}, {o('text')})"]
        elif kind == "dec":
            mine = [lambda: f"{o('dec')} {self.pick('+', '-', '*')} {o('dec')}", lambda: f"{o('int')} {self.pick('+', '-', '*')} {o('dec')}",
                    lambda: f"ROUND({o('dec')}, {self.pick('0', '1', '2')})", lambda: f"CAST({o('dec')} AS DECIMAL(8,1))", lambda: f"-{o('dec')}"]
        elif kind == "text":
            mine = [lambda: f"CONCAT({o('text')}, {o('int')})", lambda: f"UPPER({o('text')})", lambda: f"SUBSTRING({o('text')}, {self.pick('1', '2', '-1')}, 2)",
                    lambda: f"LEFT({o('text')}, 2)", lambda: f"REPLACE({o('text')}, 'a', 'zz')", lambda: f"TRIM({o('text')})", lambda: f"CONCAT({o('text')}, {o('text')})",
                    lambda: f"LPAD({o('text')}, 4, 'p')", lambda: f"CAST({o('int')} AS CHAR)"]
        else:
            mine = [lambda: o("date")]
        return self.r.choice(mine if self.chance(0.7) else general)()

    def condition(self, scope, depth=1):
        kind = self.pick("int", "int", "dec", "text", "date")
        names = [n for n, k in scope if k == "date"]
        if kind == "date" and not names:
            kind = "int"
        o = lambda k: self.operand(scope, k, depth - 1)
        left = self.r.choice(names) if kind == "date" else o(kind)
        op = self.pick("=", "<>", "<", "<=", ">", ">=", "!=", "<=>")
        plain = [lambda: f"{left} {op} {o(kind)}", lambda: f"{left} {op} {o(kind)}", lambda: f"{left} IS {self.pick('', 'NOT ')}NULL",
                 lambda: f"{left} {self.pick('', 'NOT ')}IN ({o(kind)}, {o(kind)})", lambda: f"{left} {self.pick('', 'NOT ')}BETWEEN {o(kind)} AND {o(kind)}",
                 lambda: f"{o('text')} {self.pick('', 'NOT ')}LIKE {self.pick(chr(39) + 'a%' + chr(39), chr(39) + '%B' + chr(39), chr(39) + '_' + chr(39))}",
                 lambda: f"{o('int')} {op} {o('text')}" if self.chance(0.4) else f"{o('int')} {op} {o('dec')}"]
        if self.tables and self.chance(0.08):
            t = self.r.choice(self.tables)
            plain.append(lambda: f"EXISTS (SELECT 1 FROM {t[0]} z WHERE z.id {op} {o('int')})")
            plain.append(lambda: f"{o('int')} {self.pick('', 'NOT ')}IN (SELECT z.id FROM {t[0]} z)")
        one = self.r.choice(plain)()
        if depth > 0 and self.chance(0.4):
            joined = self.pick("AND", "OR", "XOR", "&&", "||", "AND", "OR")
            other = self.r.choice(plain)()
            one = f"{one} {joined} {self.pick('', '', 'NOT ')}{other}"
            if self.chance(0.3):
                one += f" {self.pick('AND', 'OR', 'XOR')} {self.r.choice(plain)()}"
        return f"{self.pick('NOT ', '! ')}({one})" if self.chance(0.1) else one

    # ---- statements ----

    def schema(self):
        out = []
        for number in range(self.r.randint(1, 2)):
            name, columns = f"t{number}", [("id", "int", "INT")]
            auto = self.chance(0.3)
            lines = [self.pick("`id`", "id") + (" INT AUTO_INCREMENT PRIMARY KEY" if auto else " INT PRIMARY KEY")]
            for i in range(self.r.randint(2, 4)):
                kind = self.pick("int", "int", "dec", "text", "text", "date")
                type_ = {"int": self.r.choice(INTS), "dec": self.pick("DECIMAL(8,2)", "DECIMAL(5,1)"), "text": self.pick("VARCHAR(6)", "VARCHAR(20)"), "date": "DATE"}[kind]
                line = f"c{number}{i} {type_}"
                if auto:
                    pass  # a row that fails takes a number, which only the server knows
                elif self.chance(0.15):
                    line += " NOT NULL"
                elif self.chance(0.2):
                    line += f" DEFAULT {dict(int='3', dec='1.5', text=chr(39) + 'd' + chr(39), date=chr(39) + '2024-01-01' + chr(39))[kind]}"
                if self.chance(0.1) and not auto:
                    line += " UNIQUE"
                if self.chance(0.08) and not auto and kind == "int":
                    line += f" CHECK (c{number}{i} {self.pick('<', '>=', '<>')} {self.pick('0', '3', '50')})"
                columns.append((f"c{number}{i}", kind, type_))
                lines.append(line)
            if number and not auto and self.chance(0.5):
                columns.append(("r1", "int", "INT"))
                lines.append("r1 INT")
                lines.append(f"FOREIGN KEY (r1) REFERENCES t0 (id){self.pick('', ' ON DELETE CASCADE', ' ON DELETE SET NULL', ' ON UPDATE CASCADE')}")
            if self.chance(0.3):
                lines.append(f"KEY k{number} ({columns[1][0]})")
            out.append(f"CREATE TABLE {name} ({', '.join(lines)}) ENGINE=InnoDB")
            self.tables.append((name, columns, auto))
        return out

    def value(self, column):
        name, kind, type_ = column
        if name in ("id", "r1"):
            return self.pick(*"123456789")
        return self.literal(kind) if self.chance(0.8) else self.expr([], kind, 0)

    def insert(self):
        name, columns, auto = self.r.choice(self.tables)
        counts = auto and self.chance(0.3)
        chosen = [c for c in columns if (c[0] == "id" and not counts) or (c[0] != "id" and self.chance(0.9))] or columns[:1]
        if counts:
            return f"INSERT INTO {name} ({', '.join(c[0] for c in chosen if c[0] != 'id') or 'id'}) VALUES ({', '.join(self.value(c) for c in chosen if c[0] != 'id') or 'NULL'})"
        verb = self.pick("INSERT INTO", "INSERT INTO", "INSERT INTO", "REPLACE INTO")
        if self.chance(0.15) and verb == "INSERT INTO":
            return f"INSERT INTO {name} SET " + ", ".join(f"{c[0]} = {self.value(c)}" for c in chosen)
        rows = ", ".join("(" + ", ".join(self.value(c) for c in chosen) + ")" for _ in range(self.r.randint(1, 2)))
        text = f"{verb} {name} ({', '.join(c[0] for c in chosen)}) VALUES {rows}"
        if verb == "INSERT INTO" and self.chance(0.2):
            c = self.r.choice(columns[1:])
            text += f" ON DUPLICATE KEY UPDATE {c[0]} = {self.pick('VALUES(' + c[0] + ')', self.literal(c[1]), c[0])}"
        return text

    def update(self):
        name, columns, _ = self.r.choice(self.tables)
        scope = [(c[0], c[1]) for c in columns]
        chosen = self.r.sample(columns[1:], self.r.randint(1, min(2, len(columns) - 1)))
        sets = ", ".join(f"{c[0]} = {self.expr(scope, c[1], 1) if c[0] != 'r1' else self.pick('1', '2', 'NULL')}" for c in chosen)
        return f"UPDATE {name} SET {sets} WHERE {self.pick('id = ' + self.pick('1', '2', '3', '4'), self.condition(scope, 1))}"

    def delete(self):
        name, columns, _ = self.r.choice(self.tables)
        return f"DELETE FROM {name} WHERE {self.pick('id = ' + self.pick('1', '2', '3', '4'), self.condition([(c[0], c[1]) for c in columns], 1))}"

    def select(self):
        name, columns, _ = self.r.choice(self.tables)
        scope, text = [(f"a.{c[0]}", c[1]) for c in columns], f"{name} AS a"
        if self.chance(0.3):
            other, more, _ = self.r.choice(self.tables)
            text += f" {self.pick('JOIN', 'LEFT JOIN')} {other} b ON a.id {self.pick('=', '<')} b.{self.r.choice([c[0] for c in more if c[1] == 'int'])}"
            scope += [(f"b.{c[0]}", c[1]) for c in more]
        where = f" WHERE {self.condition(scope, 2)}" if self.chance(0.7) else ""
        if self.chance(0.25):
            group = self.r.choice(scope)[0]
            items = [f"{self.pick('COUNT', 'MIN', 'MAX', 'SUM')}({self.expr(scope, self.pick('int', 'dec'), 0)})", "COUNT(*)"]
            return f"SELECT {group} AS g, {', '.join(items)} FROM {text}{where} GROUP BY {group} ORDER BY 1"
        items = [self.condition(scope, 1) if self.chance(0.25) else self.expr(scope, self.pick("int", "int", "dec", "text", "date"), 1) for _ in range(self.r.randint(1, 3))]
        tail = f" ORDER BY {', '.join(str(i + 1) for i in range(len(items)))}" if self.chance(0.3) else ""
        if tail and self.chance(0.5):
            tail += self.pick(" LIMIT 2", " LIMIT 1, 2", " LIMIT 3 OFFSET 1")
        return f"SELECT {', '.join(f'{item} AS x{i}' for i, item in enumerate(items))} FROM {text}{where}{tail}{self.pick('', '', ' LOCK IN SHARE MODE') if not tail else ''}"

    def round(self, count):
        script = self.schema() + [self.insert() for _ in range(5)]
        while len(script) < count:
            x = self.r.random()
            if x < 0.6:
                script.append(self.select())
            elif x < 0.75:
                script.append(self.insert())
            elif x < 0.88:
                script.append(self.update())
            elif x < 0.95:
                script.append(self.delete())
            else:
                script += ["BEGIN", self.update(), self.insert(), self.pick("COMMIT", "ROLLBACK")]
        return script + [f"SELECT * FROM {t[0]}" for t in self.tables]


# ---- running ----

def run_esse(esse, script):
    text = ";\n".join(script) + ";\n"
    done = subprocess.run([esse, "sql", "--json", "--keep-going", "--dialect", "mysql", "-"], input=text.encode(), capture_output=True)
    if done.returncode not in (0, 65):
        return None, done.stderr.decode(errors="replace")[:1200]
    out = []
    for line in done.stdout.decode().splitlines():
        one = json.loads(line)
        if "error" in one:
            out.append(("error", one["error"], one["message"], one["supported"]))
        elif "rows" in one:
            out.append(("rows", [["NULL" if v is None else str(int(v)) if isinstance(v, bool) else str(v) for v in row] for row in one["rows"]]))
        else:
            out.append(("count", one["count"]))
    return out, None


def run_mariadb(socket, script):
    lines = ["DROP DATABASE IF EXISTS x; CREATE DATABASE x; USE x; SET FOREIGN_KEY_CHECKS = 1;"]
    for statement in script:
        lines += ["SELECT '@@@begin';", statement + ";", "SELECT CONCAT('@@@end ', ROW_COUNT());"]
    done = subprocess.run(["mariadb", "--no-defaults", "-S", socket, "-u", "root", "-BN", "--force"], input="\n".join(lines).encode(), capture_output=True)
    errors = {}
    for line in done.stderr.decode(errors="replace").splitlines():
        if line.startswith("ERROR "):
            head, _, _ = line.partition(":")
            words = head.split()
            errors[(int(words[-1]) - 3) // 3] = (words[2].strip("()"), words[1])
    out, rows = [], []
    for line in done.stdout.decode().split("\n"):
        if line == "@@@begin":
            rows = []
        elif line.startswith("@@@end "):
            at = len(out)
            out.append(("error",) + errors[at] if at in errors else ("rows", rows, int(line.split()[1])))
            rows = []
        else:
            rows.append(line.replace("\\n", "\n").split("\t"))
    return out


def same_cell(a, b):
    if a == b:
        return True
    try:
        return ("e" in a + b or "." not in a + b) and float(a) == float(b)
    except ValueError:
        return False


def same_rows(mine, yours):
    return len(mine) == len(yours) and all(len(a) == len(b) and all(same_cell(x, y) for x, y in zip(a, b)) for a, b in zip(mine, yours))


def differs(statement, ours, theirs):
    if ours[0] == "error":
        return None if theirs[0] == "error" and theirs[1].replace("01", "22", 1)[:2] == ours[1][:2] else f"esse: {ours[1]} {ours[2]}"
    if theirs[0] == "error":
        return "esse: no error"
    if statement.startswith("SELECT"):
        mine, yours = ours[1], theirs[1]
        if " ORDER BY " not in statement:
            mine, yours = sorted(mine), sorted(yours)
        return None if same_rows(mine, yours) else f"esse: {mine}"
    if statement.startswith(("INSERT", "UPDATE", "DELETE", "REPLACE")) and ours[1] != theirs[2]:
        # MariaDB may count a row that ON DUPLICATE KEY leaves as it was, if it has NULLs.
        if " ON DUPLICATE " in statement and abs(ours[1] - theirs[2]) <= 2:
            return None
        return f"esse: count {ours[1]}"
    return None


def compare(esse, socket, script, counts=None):
    ours, crash = run_esse(esse, script)
    if ours is None:
        return len(script) - 1, "esse ended: " + crash, None
    theirs = run_mariadb(socket, script)
    if len(theirs) != len(script):
        return 0, f"the server answered {len(theirs)} of {len(script)}", None
    for i, statement in enumerate(script):
        if i >= len(ours):
            return i, "esse gave no answer", theirs[i]
        if ours[i][0] == "error" and not ours[i][3]:
            if counts is not None:
                counts["refused"] += 1
                counts["refused: " + ours[i][2]] += 1
            if not statement.startswith("SELECT") and theirs[i][0] != "error":
                return None, None, None
            continue
        if counts is not None:
            counts["compared"] += 1
            counts["errors"] += ours[i][0] == "error"
        why = differs(statement, ours[i], theirs[i])
        if why:
            return i, why, theirs[i]
    return None, None, None


def shrink(esse, socket, script, at):
    script = script[:at + 1]
    i = len(script) - 2
    while i >= 0:
        less = script[:i] + script[i + 1:]
        if compare(esse, socket, less)[0] == len(less) - 1:
            script = less
        i -= 1
    return script


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("esse")
    parser.add_argument("socket")
    parser.add_argument("--statements", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=5, help="differences after which to stop")
    args = parser.parse_args()
    counts, found, seed = collections.Counter(), 0, args.seed
    while counts["compared"] < args.statements and found < args.most:
        script = Gen(seed).round(40)
        at, why, theirs = compare(args.esse, args.socket, script, counts)
        if at is not None:
            found += 1
            small = shrink(args.esse, args.socket, script, at)
            at, why, theirs = compare(args.esse, args.socket, small)
            print(f"-- seed {seed}: {why}\n--   server: {theirs}\n" + ";\n".join(small) + ";\n", flush=True)
        seed += 1
    refused = sorted((k for k in counts if k.startswith("refused: ")), key=lambda k: -counts[k])
    print(f"{counts['compared']} statements compared ({counts['errors']} errors), {counts['refused']} refused, {found} differences, seeds {args.seed} to {seed - 1}")
    for name in refused[:12]:
        print(f"  {counts[name]} {name}")
    sys.exit(1 if found else 0)


main()
