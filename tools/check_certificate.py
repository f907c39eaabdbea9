"""Verifies a certificate of relimit in exact rationals, with the standard library alone.

usage: python check_certificate.py FILE [FILE ...]

Shares no code with the program. Prints `holds` or `fails` and a reason for each file; exits with 0 if all hold, 1 if
one fails, 2 if one is malformed.
"""

import json
import math
import re
import struct
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
    second = certificate["schema"].endswith("/2")
    keys(certificate, names + ["fingerprint"] * second)
    if not isinstance(certificate["statement"], str):
        raise Malformed("the statement is no text")
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
    if second:
        printed = [row + list(w) for row, w in zip(rows + rows2, weights + weights2)]
        ends = [] if on is None else [low for low, _ in on] + [high for _, high in on]
        if fingerprint(printed, offset + offset2 + ends) != certificate["fingerprint"]:
            return False, "the fingerprint is that of other networks"
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


def equality_on_rows(certificate):
    """No output of the two networks differs on the rows by more than is claimed."""
    keys(certificate, ["schema", "statement", "fingerprint", "inputs", "x", "given", "narrow", "identical",
                       "max_difference"])
    if not isinstance(certificate["statement"], str):
        raise Malformed("the statement is no text")
    inputs = certificate["inputs"]
    if isinstance(inputs, bool) or not isinstance(inputs, int) or inputs < 0:
        raise Malformed("inputs is no count")
    if not isinstance(certificate["identical"], bool):
        raise Malformed("identical is neither true nor false")
    if not isinstance(certificate["x"], list):
        raise Malformed("x is no list of rows")
    networks = [network(certificate[name], inputs) for name in ("given", "narrow")]
    if len(networks[0][2]) != len(networks[1][2]):
        raise Malformed("the networks have different numbers of outputs")
    x = [numbers(row, inputs) for row in certificate["x"]]
    largest = Fraction(0)
    for point in x:
        outputs = []
        for rows, weights, offset in networks:
            f = list(offset)
            for row, c in zip(rows, weights):
                z = row[-1] + sum(v * t for v, t in zip(row, point))
                if z > 0:
                    f = [a + w * z for a, w in zip(f, c)]
            outputs.append(f)
        largest = max([largest] + [abs(a - b) for a, b in zip(*outputs)])
    flat = []
    for rows, weights, offset in networks:
        flat += [v for row, c in zip(rows, weights) for v in row + list(c)] + list(offset)
    if certificate["statement"] != ROWS_STATEMENT or fingerprint(x, flat) != certificate["fingerprint"]:
        return False, "statement or fingerprint are not those of these networks and rows"
    if certificate["identical"] and largest:
        return False, "the outputs are not the same on the rows"
    claimed = number(certificate["max_difference"])
    return largest <= claimed, f"largest difference {float(largest):.6g} on the rows, {float(claimed):.6g} claimed"


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


def sealed_keys(certificate, names):
    """Whether this is the second layout, which has statement and fingerprint besides."""
    second = certificate["schema"].endswith("/2")
    keys(certificate, names + ["statement", "fingerprint"] * second)
    if second and not all(isinstance(certificate[k], str) for k in ("statement", "fingerprint")):
        raise Malformed("statement and fingerprint are text")
    return second


def unsealed(certificate, x, signs, statement):
    """What is wrong with statement and fingerprint, if anything."""
    if fingerprint(x, signs) != certificate["fingerprint"]:
        return "the fingerprint is that of other data"
    return None if certificate["statement"] == statement else "the statement says something else"


def pattern(certificate):
    """Some point, or none, has the signs of the pattern."""
    second = sealed_keys(certificate, ["schema", "x", "pattern", "possible", "witness", "proof"])
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
    fault = second and unsealed(certificate, x, wanted, PATTERN_STATEMENT)
    return holds and not fault, fault or ("possible" if possible else "impossible")


def patterns(certificate):
    """The leaves of the tree are all patterns of the rows: every split has both sides, every dead end is proved."""
    second = sealed_keys(certificate, ["schema", "x", "patterns", "root"])
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
    fault = fault or (second and unsealed(certificate, x, [], PATTERNS_STATEMENT)) or None
    if fault is None and found != claimed:
        fault = f"{found} patterns are listed, {claimed} claimed"
    return fault is None, fault or f"{found} patterns"


def fingerprint(x, y):
    """FNV-1a over the shape and the bits of all numbers, -0 as 0."""
    numbers_ = [float(v) + 0.0 for row in x for v in row] + [float(v) + 0.0 for v in y]
    shape = struct.pack("<2Q", len(x), len(x[0]) if x else 0)
    state = 0xCBF29CE484222325
    for byte in shape + struct.pack(f"<{len(numbers_)}d", *numbers_):
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return f"{state:016x}"


def dot(a, b):
    return sum((u * v for u, v in zip(a, b) if u and v), Fraction(0))


def within(x, frame, bias, share, room):
    """Whether no u that the objective penalises to 1 has share . (x u) above room; no root is taken."""
    v = [dot(share, column) for column in zip(*x)]
    total = sum(share)
    if bias == "free":
        v = [a - total * m for a, m in zip(v, frame[0])]
        room -= abs(total) * frame[1]
    elif bias == "penalised":
        v.append(total)
    return room >= 0 and dot(v, v) <= room * room


def pairs(value):
    """Decided rows with multipliers."""
    if not isinstance(value, list) or not all(isinstance(p, list) and len(p) == 2 for p in value):
        raise Malformed("multipliers are pairs of row and number")
    return [(count(row), number(m)) for row, m in value]


def range_end(near, signs, row, direction, multipliers_, bound):
    share = [Fraction(0)] * len(signs)
    for k, m in multipliers_:
        if k >= len(signs) or signs[k] == 0 or m < 0 or share[k] != 0:
            return False
        share[k] = m * signs[k]
    share[row] = Fraction(direction)
    return near(share, bound)


def leaf(value, near, r, top, signs):
    """None when q is at most top where the rows have these signs, else what is wrong."""
    keys(value, ["pattern", "slopes", "ranges"])
    if not isinstance(value["pattern"], str) or not isinstance(value["ranges"], list):
        raise Malformed("a leaf has a pattern and ranges")
    if not isinstance(value["slopes"], list):
        raise Malformed("a leaf has slopes")
    slopes = [number(v) for v in value["slopes"]]
    ranges = []
    for entry in value["ranges"]:
        keys(entry, ["row", "low", "high", "below", "above", "intercept"])
        low, high, intercept = (number(entry[k]) for k in ("low", "high", "intercept"))
        ranges.append((count(entry["row"]), low, high, pairs(entry["below"]), pairs(entry["above"]), intercept))
    if value["pattern"] != "".join("-*+"[s + 1] for s in signs):
        return "a leaf's pattern is not that of its place"
    if len(slopes) != len(r):
        return "a leaf has not one slope a row"
    if [t[0] for t in ranges] != [i for i, s in enumerate(signs) if s == 0 and r[i] > 0]:
        return "the ranges are not those of the undecided rows of positive weight"
    excess = Fraction(0)
    for i, (weight, slope, s) in enumerate(zip(r, slopes, signs)):
        if s == 1:
            fits = slope >= weight
        elif s == -1:
            fits = slope <= 0
        else:
            fits = weight > 0 or weight <= slope <= 0
        if not fits:
            return "a slope is on the wrong side of its weight"
    for row, low, high, below, above, intercept in ranges:
        if not range_end(near, signs, row, -1, below, -low) or not range_end(near, signs, row, 1, above, high):
            return "a range is not proved"
        if any(slopes[row] * z + intercept < r[row] * max(z, 0) for z in (low, high)):
            return "a chord lies below its relu"
        excess += intercept
    return None if near(slopes, top - excess) else "a leaf's bound exceeds the supremum claimed"


def tree(nodes, near, r, top):
    """None when the tree, in preorder, proves q <= top; the whole of it is read, as malformed counts before failing."""
    if not isinstance(nodes, list):
        raise Malformed("a tree is a list of nodes")
    fault, open_ = None, [[0] * len(r)]
    for node in nodes:
        if not isinstance(node, dict) or len(node) != 1:
            raise Malformed("a node has one kind")
        (kind, value), = node.items()
        signs = open_.pop() if open_ else None
        if kind == "split":
            row = count(keys(value, ["row"])["row"])
            if signs is not None and (row >= len(r) or signs[row] != 0):
                fault, signs = fault or f"row {row} cannot be split on", None
            if signs is not None:
                open_ += [signs[:row] + [side] + signs[row + 1:] for side in (1, -1)]
        elif kind == "leaf":
            found = leaf(value, near, r, top, signs if signs is not None else [0] * len(r))
            fault = fault or found
        else:
            raise Malformed(f"no node is a {kind}")
        if signs is None:
            fault = fault or "the tree has nodes after its last branch"
    return fault or ("the tree ends before its last branch" if open_ else None)


def choice(value, names):
    if value not in names:
        raise Malformed(f"{value!r} is none of {', '.join(names)}")
    return value


def optimum(certificate):
    """What the network pays at most, and what every network pays at least."""
    keys(certificate, ["schema", "statement", "x", "y", "fingerprint", "loss", "bias", "offset", "lambda", "network",
                       "objective", "lower_bound", "gap", "dual", "scale", "sup", "frame", "positive", "negative"])
    x, (loss, bias, offset) = matrix(certificate["x"]), (certificate[k] for k in ("loss", "bias", "offset"))
    n, d = len(x), len(x[0])
    y, r = numbers(certificate["y"], n), numbers(certificate["dual"], n)
    decay, lower, t, top = (number(certificate[k]) for k in ("lambda", "lower_bound", "scale", "sup"))
    choice(loss, ["half-sum", "half-mean", "mean"])
    choice(bias, ["none", "penalised", "free"])
    choice(offset, ["none", "penalised", "free"])
    if decay <= 0:
        raise Malformed("lambda is not above 0")
    if not isinstance(certificate["statement"], str) or not isinstance(certificate["fingerprint"], str):
        raise Malformed("statement and fingerprint are text")
    given = [certificate[k] is not None for k in ("network", "objective", "gap")]
    if any(given) != all(given):
        raise Malformed("network, objective and gap are there together or not at all")
    frame = certificate["frame"]
    if frame is not None:
        keys(frame, ["centre", "reach"])
        frame = numbers(frame["centre"], d), number(frame["reach"])
    fault, words = None, "no network has an objective below the lower bound"
    if all(given):
        rows, weights, constant = network(certificate["network"], d)
        objective, gap = number(certificate["objective"]), number(certificate["gap"])
        if len(constant) != 1:
            raise Malformed("the network has more than one output")
        if (bias == "none" and any(row[-1] for row in rows)) or (offset == "none" and constant[0]):
            raise Malformed("the network has a bias where the objective has none")
        words = "the network has at most this objective, and no network has one below the lower bound"
        total = Fraction(0)
        for xi, yi in zip(x, y):
            f = constant[0] + sum(c[0] * max(dot(row, xi + [1]), 0) for row, c in zip(rows, weights))
            total += (yi - f) ** 2
        total *= {"half-sum": Fraction(1, 2), "half-mean": Fraction(1, 2 * n), "mean": Fraction(1, n)}[loss]
        taken = [row if bias == "penalised" else row[:-1] for row in rows]
        squares = sum(dot(row, row) for row in taken) + sum(c[0] ** 2 for c in weights)
        squares += constant[0] ** 2 if offset == "penalised" else 0
        if total + decay / 2 * squares > objective:
            fault = "the network's objective is above the one claimed"
        elif objective - lower > gap:
            fault = "objective - lower_bound exceeds the gap claimed"
    if fingerprint(x, y) != certificate["fingerprint"]:
        fault = "the fingerprint is that of other data"
    if certificate["statement"] != words:
        fault = fault or "the statement says something else"
    if (bias == "free" or offset == "free") and sum(r) != 0:
        fault = fault or "the dual point's sum is not 0"
    curvature = dot(r, r) * {"half-sum": Fraction(1), "half-mean": Fraction(n), "mean": Fraction(n, 2)}[loss]
    curvature += sum(r) ** 2 / decay if offset == "penalised" else 0
    if lower > t * dot(r, y) - t * t / 2 * curvature:
        fault = fault or "the dual point does not prove the lower bound"
    if abs(t) * top > decay:
        fault = fault or "|scale| sup exceeds lambda"
    if (frame is None) != (bias != "free"):
        fault = fault or "the frame does not belong to these data"
    elif frame is not None:
        centred = [[a - m for a, m in zip(row, frame[0])] for row in x]
        if frame[1] < 0 or any(dot(row, row) > frame[1] ** 2 for row in centred):
            fault = fault or "the frame does not belong to these data"

    def near(share, room):
        return within(x, frame, bias, share, room)

    if frame is None and bias == "free":  # nothing can be bounded, but the trees may still be malformed
        def near(share, room):
            return False
    for name, side in (("positive", 1), ("negative", -1)):
        found = tree(certificate[name], near, [side * v for v in r], top)
        fault = fault or found
    return fault is None, fault or f"every network has an objective of at least {float(lower):.12g}"


def rational(value, length):
    """Numerators over a positive denominator, as rationals."""
    keys(value, ["numerators", "denominator"])
    whole, (below,) = integers(value["numerators"]), integers([value["denominator"]])
    if len(whole) != length or below <= 0:
        raise Malformed(f"{length} numerators over a positive denominator are expected")
    return [Fraction(v, below) for v in whole]


def constraints(target, state, pos, neg):
    """The two constraints (coefficient on the positive neuron, on the negative one, right side, equality) of a row."""
    size = abs(target)
    none = (Fraction(0), Fraction(0), Fraction(0), False)
    forward = target >= 0 if pos and neg else pos > 0

    def row(own, opposite, right, equal):
        a, b = (own, opposite) if forward else (opposite, own)
        return a * pos, b * neg, right, equal

    if not (pos and neg):
        return [row(1, 0, size, True) if size else row(-1, 0, Fraction(0), False), none]
    if state == "b":
        return [row(1, -1, size, True), row(0, 1, Fraction(0), False)]
    if state == "a":
        first = row(1, 0, size, True) if size else row(-1, 0, Fraction(0), False)
        return [first, row(0, -1, Fraction(0), False)]
    return [row(1, 0, size, False), row(1, -1, size, False)] if size else [none, none]


def combine(x, a):
    return [dot(a, column) for column in zip(*x)]


def least_norm(part, x, y, c):
    """A network of least loss, and multipliers that exclude shorter ones on every leaf of a tree of choices."""
    keys(part, ["lower", "upper", "weights", "distance", "point", "tree"])
    n, m = len(x), len(c)
    lower, upper = number(part["lower"]), number(part["upper"])
    distance = None if part["distance"] is None else number(part["distance"])
    if not isinstance(part["weights"], list) or len(part["weights"]) != m or not isinstance(part["tree"], list):
        raise Malformed("min_norm needs weights for each neuron, and a tree")
    weights = [numbers(w, len(x[0])) for w in part["weights"]]
    a = rational(part["point"], m * n)
    pos, neg = max(*c, Fraction(0)), max(*(-v for v in c), Fraction(0))
    targets = [v if (v > 0 and pos) or (v < 0 and neg) else Fraction(0) for v in y]
    point = [combine(x, a[j * n:(j + 1) * n]) for j in range(m)]
    fault = None
    for row, target in zip(x, targets):
        if sum(cj * max(dot(w, row), 0) for w, cj in zip(point, c)) != target:
            fault = "the point does not have the outputs of least loss"
    norm2 = sum(dot(w, w) for w in point)
    if upper < 0 or norm2 > upper * upper:
        fault = fault or "the point is longer than upper"
    side_weights = [weights[[v > 0 for v in c].index(True)] if pos else [Fraction(0)] * len(x[0]),
                    weights[[v < 0 for v in c].index(True)] if neg else [Fraction(0)] * len(x[0])]
    open_ = ["*" * n]
    for node in part["tree"]:
        if not isinstance(node, dict) or len(node) != 1:
            raise Malformed("a node has one kind")
        (kind, value), = node.items()
        states = open_.pop() if open_ else None
        if states is None:
            fault = fault or "the tree has nodes after its last branch"
        if kind == "split":
            row = count(keys(value, ["row"])["row"])
            if states is not None and (not (pos and neg) or row >= n or states[row] != "*"):
                fault, states = fault or "the tree splits on no open row", None
            if states is not None:
                open_ += [states[:row] + letter + states[row + 1:] for letter in "ba"]
            continue
        if kind != "leaf":
            raise Malformed(f"no node is a {kind}")
        keys(value, ["states", "v", "ball"])
        v, ball = rational(value["v"], 2 * n), value["ball"]
        if ball is not None:
            keys(ball, ["apart", "radius"])
            ball = number(ball["apart"]), number(ball["radius"])
        if not isinstance(value["states"], str):
            raise Malformed("states are text")
        if states is None or fault:
            continue
        if value["states"] != states:
            fault = "a leaf's states are not those of its place"
            continue
        rows = [r for t, s in zip(targets, states) for r in constraints(t, s, pos, neg)]
        if any((m_ and not (r[0] or r[1])) or (m_ < 0 and not r[3]) for r, m_ in zip(rows, v)):
            fault = "a multiplier of an inequality is negative"
            continue
        gain = sum(m_ * r[2] for r, m_ in zip(rows, v))
        center = [combine(x, [v[2 * i] * rows[2 * i][k] + v[2 * i + 1] * rows[2 * i + 1][k] for i in range(n)])
                  for k in (0, 1)]
        length2 = sum(dot(q, q) for q in center)
        if lower > 0 and (gain < 0 or gain * gain < lower * lower * length2):
            fault = "a leaf does not prove the lower bound"
        elif distance is not None and ball is None:
            if gain <= 0 or gain * gain <= norm2 * length2:
                fault = "a leaf does not prove the distance"
        elif distance is not None:
            apart, radius = ball
            apart2 = sum((w - q) ** 2 for ws, qs in zip(side_weights, center) for w, q in zip(ws, qs))
            if min(ball) < 0 or apart2 > apart * apart or norm2 - 2 * gain + length2 > radius * radius \
                    or apart + radius > distance:
                fault = "a leaf does not prove the distance"
    return fault or ("the tree ends before its last branch" if open_ else None)


def one_step(part, x, y, c):
    """The inequality after which every mask is final from step 1 on."""
    keys(part, ["start", "step", "tau", "rho", "left", "right", "contraction"])
    if not isinstance(part["start"], list) or len(part["start"]) != len(c):
        raise Malformed("one_step needs a start for each neuron")
    start = [z for row in part["start"] for z in numbers(row, len(x))]
    step, tau, rho, left, right, contraction = (
        number(part[k]) for k in ("step", "tau", "rho", "left", "right", "contraction"))
    if len(c) == 2 and c[0] != -c[1]:
        return "two output weights are not c and -c"
    if min(start) <= 0:
        return "a preactivation of the start is not positive"
    g = step * c[0] ** 2 * tau  # 1/C
    if step <= 0 or tau <= 0 or g >= 1:
        return "step and tau are not positive with step c^2 tau below 1"
    for i, row in enumerate(x):
        if sum(abs(dot(row, other) - (tau if i == k else 0)) for k, other in enumerate(x)) > rho * tau:
            return "the rows interfere by more than rho"
    if not 0 <= rho < 1:
        return "rho is not in [0, 1)"
    eps = abs(c[0]) * max(start)
    radius = max(map(abs, y)) + len(c) * eps
    if len(c) == 2 and eps > (1 / g - 1) * radius:
        return "the start is too large for the step constant"
    if rho / g * radius / (1 - rho) + (1 / g - (2 - len(c))) * eps > left:
        return "the left side is above the one claimed"
    if right > min(map(abs, y)) or left >= right:
        return "the left side is not below the smallest label"
    return "the contraction is larger" if 1 - (1 - rho) * g > contraction else None


def limit(certificate):
    """The minimum norm of the networks of least loss, the one-step inequality, or both."""
    keys(certificate, ["schema", "statement", "x", "y", "fingerprint", "c", "min_norm", "one_step"])
    x = matrix(certificate["x"])
    y = numbers(certificate["y"], len(x))
    if not isinstance(certificate["c"], list):
        raise Malformed("c is no list")
    c = numbers(certificate["c"], len(certificate["c"]))
    if not (len(c) == 1 and c[0]) and not (len(c) == 2 and c[0] * c[1] < 0):
        raise Malformed("c is neither one output weight nor two of opposite sign")
    if not isinstance(certificate["statement"], str) or not isinstance(certificate["fingerprint"], str):
        raise Malformed("statement and fingerprint are text")
    fault, claims = None, []
    if fingerprint(x, y) != certificate["fingerprint"]:
        fault = "the fingerprint is that of other data"
    if certificate["statement"] != LIMIT_STATEMENT:
        fault = fault or "the statement says something else"
    for name, verify in (("min_norm", least_norm), ("one_step", one_step)):
        if certificate[name] is not None:
            found = verify(certificate[name], x, y, c)
            fault = fault or (found and f"{name}: {found}")
            claims.append(name)
    if not claims:
        raise Malformed("nothing is claimed")
    return fault is None, fault or " and ".join(claims)


ROWS_STATEMENT = (
    "max_difference: on the rows x no output of given and narrow differs by more; identical: by nothing")
LIMIT_STATEMENT = (
    "min_norm: no network of least loss has a norm below lower, one has a norm of at most upper, and those of least norm "
    "are within distance of weights; one_step: from step 1 on each neuron is active exactly on the rows whose label has "
    "its sign")
PATTERN_STATEMENT = (
    "possible: for some u the sign of x_i . u is that of pattern for every row i; not possible: for no u")
PATTERNS_STATEMENT = (
    "patterns: the number of sign vectors of x_i . u, over all u, that are 0 on no row but those of zeros")
INTEGER = re.compile("-?[0-9]+", re.ASCII)
KINDS = {
    "relimit/certificate/equality/1": equality,
    "relimit/certificate/equality/2": equality,
    "relimit/certificate/equality-rows/1": equality_on_rows,
    "relimit/certificate/pattern/1": pattern,
    "relimit/certificate/pattern/2": pattern,
    "relimit/certificate/patterns/1": patterns,
    "relimit/certificate/patterns/2": patterns,
    "relimit/certificate/optimum/1": optimum,
    "relimit/certificate/limit/1": limit,
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
