"""Verifies a certificate of relimit in exact rationals, with the standard library alone.

usage: python check_certificate.py FILE [FILE ...]

Shares no code with the program. Prints `holds` or `fails` and a reason for each file; exits with 0 if all hold, 1 if
one fails, 2 if one is malformed.
"""

import json
import math
import re
import sys
from fractions import Fraction


class Malformed(Exception):
    """The file states nothing."""


def unknown(text):
    raise Malformed(f"{text} is no finite number")


def number(value):
    """A finite double as an exact rational."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Malformed(f"{value!r} is no number")
    try:
        value = float(value)
    except OverflowError:
        unknown(value)
    if not math.isfinite(value):
        unknown(value)
    return Fraction(value)


def numbers(values, length):
    if not isinstance(values, list) or len(values) != length:
        raise Malformed(f"a list of {length} numbers is expected")
    return [number(v) for v in values]


def keys(value, names):
    if not isinstance(value, dict) or set(value) != set(names):
        raise Malformed(f"the keys {', '.join(names)} are expected")
    return value


def network(value, inputs):
    """(rows (w, b), output weights by neuron, output biases)."""
    keys(value, ["w", "b", "c", "offset"])
    if not all(isinstance(value[k], list) for k in value):
        raise Malformed("a network is made of lists")
    m, outputs = len(value["w"]), len(value["c"])
    if outputs == 0:
        raise Malformed("a network has at least one output")
    b = numbers(value["b"], m)
    rows = [numbers(w, inputs) + [b[j]] for j, w in enumerate(value["w"])]
    c = [numbers(row, m) for row in value["c"]]
    weights = [[c[o][j] for o in range(outputs)] for j in range(m)]
    return rows, weights, numbers(value["offset"], outputs)


def extent(row, on):
    """Least and greatest value of row . (x, 1) on a box."""
    least = greatest = row[-1]
    for v, (low, high) in zip(row, on):
        least += min(v * low, v * high)
        greatest += max(v * low, v * high)
    return least, greatest


def canonical(units, offset, inputs, on):
    """One relu a hyperplane, scaled so that its first entry other than 0 is 1, and the affine rest by output."""
    outputs = len(offset)
    bends, affine = {}, [[Fraction(0)] * inputs + [o] for o in offset]
    for row, weights in units:
        if not any(weights):
            continue
        lead = next((v for v in row[:-1] if v), None)
        if lead is None:
            always_on, bends_here = row[-1] > 0, False
        elif on is not None:
            least, greatest = extent(row, on)
            always_on, bends_here = greatest > 0 and least >= 0, least < 0 < greatest
        else:
            always_on, bends_here = False, True
        if bends_here:
            plane = tuple(v / lead for v in row)
            sums = bends.setdefault(plane, [Fraction(0)] * outputs)
            for o in range(outputs):
                sums[o] += weights[o] * abs(lead)
        if always_on or (bends_here and lead < 0):  # c relu(-z) = c relu(z) - c z
            for o in range(outputs):
                affine[o] = [a + weights[o] * v for a, v in zip(affine[o], row)]
    return bends, affine


def equality(certificate):
    """No output of the two networks differs by more than is claimed."""
    names = ["schema", "statement", "inputs", "on", "given", "narrow", "moves", "identical", "max_difference",
             "constant", "slope"]
    keys(certificate, names)
    inputs = certificate["inputs"]
    if isinstance(inputs, bool) or not isinstance(inputs, int) or inputs < 0:
        raise Malformed("inputs is no count")
    if not isinstance(certificate["identical"], bool):
        raise Malformed("identical is neither true nor false")
    rows, weights, offset = network(certificate["given"], inputs)
    rows2, weights2, offset2 = network(certificate["narrow"], inputs)
    if len(offset) != len(offset2):
        raise Malformed("the networks have different numbers of outputs")
    outputs, on = len(offset), certificate["on"]
    if on is not None:
        keys(on, ["low", "high"])
        on = list(zip(numbers(on["low"], inputs), numbers(on["high"], inputs)))
        if any(low > high for low, high in on):
            raise Malformed("the box is empty")

    moved = [[Fraction(0), Fraction(0), Fraction(0)] for _ in range(outputs)]  # constant, slope, on the box
    units, seen = [[row, w] for row, w in zip(rows, weights)], set()
    if not isinstance(certificate["moves"], list):
        raise Malformed("moves is no list")
    for move in certificate["moves"]:
        keys(move, ["neuron", "row", "scale"])
        j = move["neuron"]
        if isinstance(j, bool) or not isinstance(j, int) or not 0 <= j < len(rows) or j in seen:
            raise Malformed("a move names no neuron, or one twice")
        seen.add(j)
        scale = number(move["scale"])
        to = [scale * v for v in numbers(move["row"], inputs + 1)]
        apart = [a - b for a, b in zip(rows[j], to)]
        units[j][0] = to
        for o in range(outputs):
            size = abs(weights[j][o])
            moved[o][0] += size * abs(apart[-1])
            moved[o][1] += size * sum(map(abs, apart[:-1]))
            if on is not None:
                moved[o][2] += size * max(map(abs, extent(apart, on)))

    bends, affine = canonical(units, offset, inputs, on)
    bends2, affine2 = canonical(list(zip(rows2, weights2)), offset2, inputs, on)
    none = [Fraction(0)] * outputs
    planes = {h: [abs(a - b) for a, b in zip(bends.get(h, none), bends2.get(h, none))] for h in {*bends, *bends2}}
    rest = [[a - b for a, b in zip(r, s)] for r, s in zip(affine, affine2)]
    same = not any(map(any, planes.values())) and not any(map(any, rest)) and not any(map(any, moved))
    found = []
    for o in range(outputs):
        constant, slope, largest = moved[o]
        constant += abs(rest[o][-1]) + sum(c[o] * abs(h[-1]) for h, c in planes.items())
        slope += sum(map(abs, rest[o][:-1])) + sum(c[o] * sum(map(abs, h[:-1])) for h, c in planes.items())
        if on is not None:
            largest += max(map(abs, extent(rest[o], on)))
            largest += sum(c[o] * max(Fraction(0), extent(h, on)[1]) for h, c in planes.items())
        found.append((constant, slope, largest))
    if certificate["identical"] and not same:
        return False, "the networks are not the same function there"
    claimed = number(certificate["max_difference"])
    if on is not None:
        if certificate["constant"] is not None or certificate["slope"] is not None:
            return False, "constant and slope belong to all inputs"
        largest = max(f[2] for f in found)
        return largest <= claimed, f"largest difference {float(largest):.6g} on the box, {float(claimed):.6g} claimed"
    if certificate["constant"] is None or certificate["slope"] is None:
        return False, "constant and slope are needed for all inputs"
    constant, slope = number(certificate["constant"]), number(certificate["slope"])
    holds = all(f[0] <= constant and f[1] <= slope and f[0] + f[1] <= claimed for f in found)
    worst = max(f[0] + f[1] for f in found)
    return holds, f"largest difference {float(worst):.6g} within [-1, 1], {float(claimed):.6g} claimed"


def integers(values):
    """Integers written as decimal strings."""
    if not isinstance(values, list) or not all(isinstance(v, str) and INTEGER.fullmatch(v) for v in values):
        raise Malformed("a list of integers as decimal strings is expected")
    return [int(v) for v in values]


def count(value):
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**64:
        raise Malformed(f"{value!r} is no count")
    return value


def matrix(value):
    if not isinstance(value, list) or not value or not isinstance(value[0], list) or not value[0]:
        raise Malformed("x has no row or no column")
    return [numbers(row, len(value[0])) for row in value]


def sign(value):
    return (value > 0) - (value < 0)


def has_signs(x, u, wanted):
    """Whether sign(x_i . u) is as wanted; a wanted sign None is not asked for."""
    if len(u) != len(x[0]):
        return False
    return all(s is None or sign(sum(a * b for a, b in zip(row, u))) == s for row, s in zip(x, wanted))


def excludes(x, rows, multipliers, wanted):
    """Gordan, Motzkin: sum m_i x_i = 0 with m_i of the wanted sign, of any where 0 is wanted, not 0 alone."""
    if len(rows) != len(multipliers) or any(a >= b for a, b in zip(rows, rows[1:])):
        return False
    if any(i >= len(x) or wanted[i] is None for i in rows):
        return False
    if any(m == 0 or (wanted[i] != 0 and sign(m) != wanted[i]) for i, m in zip(rows, multipliers)):
        return False
    if not any(wanted[i] != 0 for i in rows):
        return False
    return all(sum(m * x[i][k] for i, m in zip(rows, multipliers)) == 0 for k in range(len(x[0])))


def multipliers(value):
    keys(value, ["rows", "multipliers"])
    if not isinstance(value["rows"], list):
        raise Malformed("rows is no list")
    return [count(i) for i in value["rows"]], integers(value["multipliers"])


def witness(value):
    return integers(keys(value, ["u"])["u"])


def pattern(certificate):
    """Some point, or none, has the signs of the pattern."""
    keys(certificate, ["schema", "x", "pattern", "possible", "witness", "proof"])
    x, text, possible = matrix(certificate["x"]), certificate["pattern"], certificate["possible"]
    if not isinstance(text, str) or len(text) != len(x) or set(text) - set("+-0"):
        raise Malformed("the pattern is not one of + - 0 for each row of x")
    if not isinstance(possible, bool):
        raise Malformed("possible is neither true nor false")
    wanted = ["-0+".index(c) - 1 for c in text]
    point = None if certificate["witness"] is None else witness(certificate["witness"])
    proof = None if certificate["proof"] is None else multipliers(certificate["proof"])
    if possible:
        holds = point is not None and proof is None and has_signs(x, point, wanted)
    else:
        holds = proof is not None and point is None and excludes(x, *proof, wanted)
    return holds, "possible" if possible else "impossible"


def patterns(certificate):
    """The leaves of the tree are all patterns of the rows: every split has both sides, every dead end is proved."""
    keys(certificate, ["schema", "x", "patterns", "root"])
    x, claimed = matrix(certificate["x"]), count(certificate["patterns"])
    found, fault, todo = 0, None, [(certificate["root"], [None if any(row) else 0 for row in x])]
    while todo:  # the whole tree, as a malformed node counts before a failing one
        node, signs = todo.pop()
        if node is None:
            fault = "a branch is missing"
            continue
        if not isinstance(node, dict) or len(node) != 1:
            raise Malformed("a node has one kind")
        (kind, value), = node.items()
        if kind == "split":
            keys(value, ["row", "negative", "positive"])
            row = count(value["row"])
            fit = row < len(x) and signs[row] is None
            if not fit:
                fault = f"row {row} cannot be split on"
            for side, child in ((-1, value["negative"]), (1, value["positive"])):
                todo.append((child, signs[:row] + [side] + signs[row + 1:] if fit else signs))
        elif kind == "pattern":
            found += 1
            if None in signs or not has_signs(x, witness(value), signs):
                witness(value)
                fault = "a leaf's witness has other signs, or rows are open"
        elif kind == "dead":
            rows, weights = multipliers(value)
            split = [s or None for s in signs]  # rows that are 0 were not split on
            if not excludes(x, rows, weights, split):
                fault = "multipliers do not exclude their branch"
        else:
            raise Malformed(f"no node is a {kind}")
    if fault is None and found != claimed:
        fault = f"{found} patterns are listed, {claimed} claimed"
    return fault is None, fault or f"{found} patterns"


INTEGER = re.compile("-?[0-9]+", re.ASCII)
KINDS = {
    "relimit/certificate/equality/1": equality,
    "relimit/certificate/pattern/1": pattern,
    "relimit/certificate/patterns/1": patterns,
}


def check(path):
    """(holds, reason) for a file; raises Malformed."""
    try:
        with open(path, encoding="utf-8") as file:
            certificate = json.load(file, parse_constant=unknown)
    except (OSError, ValueError) as error:
        raise Malformed(str(error)) from error
    if not isinstance(certificate, dict) or certificate.get("schema") not in KINDS:
        raise Malformed("no schema that can be checked")
    return KINDS[certificate["schema"]](certificate)


def main():
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    worst = 0
    for path in sys.argv[1:]:
        try:
            holds, reason = check(path)
        except Malformed as error:
            print(f"{path}: malformed: {error}")
            worst = 2
            continue
        print(f"{path}: {'holds' if holds else 'fails'}: {reason}")
        worst = max(worst, 0 if holds else 1)
    return worst if sys.argv[1:] else 2


if __name__ == "__main__":
    sys.exit(main())
