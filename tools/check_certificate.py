"""Verifies a certificate of relimit in exact rationals, with the standard library alone.

usage: python check_certificate.py FILE [FILE ...]

Shares no code with the program. Prints `holds` or `fails` and a reason for each file; exits with 0 if all hold, 1 if
one fails, 2 if one is malformed.
"""

import json
import math
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


KINDS = {"relimit/certificate/equality/1": equality}


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
