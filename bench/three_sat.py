"""Random 3-SAT as histories that are serializable iff the formula is satisfiable.  tests/promises uses it too.

A variable v is a key with two versions, written by F and T; it is true iff F comes before T.  Each literal of each
clause has a key of its own, with two versions by U and V, and a reader R of U's.  R also reads from the V of the
clause's literal before it.  If the literal is false, U must come before V: positive, U -> T -> F -> V; negative,
U -> F -> T -> V, where the outer edges are reads.  Then R comes before V, and V before the next literal's R: three
false literals are a cycle.  If the literal is true, V may come before U, and nothing leads from its R."""
import random


def formula(variables, ratio, seed):
    """Clauses of three literals, each a (variable, is it negated?)."""
    rng = random.Random(seed)
    return [[(v, rng.randrange(2)) for v in rng.sample(range(variables), 3)] for _ in range(int(variables * ratio))]


def write(key, value):
    return '{"w":"%s","v":%d}' % (key, value)


def read(key, value):
    return '{"r":"%s","v":%d}' % (key, value)


def history(variables, clauses):
    """Its lines: 2 transactions a variable and 9 a clause, each a session of its own."""
    values = [[write("x%d" % v, 1)] for v in range(variables)], [[write("x%d" % v, 2)] for v in range(variables)]
    literals = []
    for c, clause in enumerate(clauses):
        for j, (v, negated) in enumerate(clause):
            name, before = "%d_%d" % (c, j), "%d_%d" % (c, (j + 2) % 3)
            first, last = (values[0], values[1]) if negated else (values[1], values[0])
            first[v].append(read("u" + name, 1))
            last[v].append(write("b" + name, 1))
            literals.append([write("y" + name, 1), write("u" + name, 1)])
            literals.append([write("y" + name, 2), write("v" + name, 1), read("b" + name, 1)])
            literals.append([read("y" + name, 1), read("v" + before, 1)])
    for session, ops in enumerate(values[0] + values[1] + literals):
        yield '{"session":%d,"ops":[%s]}' % (session, ",".join(ops))


def dimacs(variables, clauses):
    yield "p cnf %d %d" % (variables, len(clauses))
    for clause in clauses:
        yield " ".join("%d" % (-(v + 1) if negated else v + 1) for v, negated in clause) + " 0"
