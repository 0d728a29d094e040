#!/usr/bin/env python3
"""Crosscheck of `mxcheck mfma` against Python's fractions, which round nothing: products of 128
elements of all pairs of formats, with NaN, infinities, both zeros and extreme scales, under the
profiles of exact sums. Formats, scales and rounding are typed again here.

    make crosscheck      (products.py MXCHECK; prints TAP)
"""
import concurrent.futures
import os
import random
import re
import subprocess
import sys
from fractions import Fraction

# Exponent and mantissa bits, bias, and the special codes [OCP MX v1.0, tables 2 to 5].
FORMATS = {
    "E2M1": (2, 1, 1, None),
    "E2M3": (2, 3, 1, None),
    "E3M2": (3, 2, 3, None),
    "E4M3": (4, 3, 7, "nan"),
    "E5M2": (5, 2, 15, "ieee"),
}
K, BLOCK, PER_PAIR = 128, 32, 80
NAN, INF = "nan", "inf"


def decode(name, code):
    """(negative, magnitude), the magnitude a fraction, NAN or INF."""
    exp_bits, man_bits, bias, special = FORMATS[name]
    negative = bool(code >> exp_bits + man_bits & 1)
    field, man = code >> man_bits & (1 << exp_bits) - 1, code & (1 << man_bits) - 1
    top = field == (1 << exp_bits) - 1
    if special == "nan" and top and man == (1 << man_bits) - 1:
        return negative, NAN
    if special == "ieee" and top:
        return negative, NAN if man else INF
    sig = man + ((1 << man_bits) if field else 0)
    return negative, Fraction(sig) * Fraction(2) ** (max(field, 1) - bias - man_bits)


def multiply(x, y, scale):
    negative, a, b = x[0] != y[0], x[1], y[1]
    if NAN in (a, b) or scale == NAN or (INF in (a, b) and 0 in (a, b)):
        return negative, NAN
    return negative, INF if INF in (a, b) else a * b * scale


def to_f32(x):
    """Nearest even; a negative number that underflows is -0."""
    sign, x = (1 << 31 if x < 0 else 0), abs(x)
    exp = x.numerator.bit_length() - x.denominator.bit_length()
    if x < Fraction(2) ** exp:
        exp -= 1
    unit = Fraction(2) ** (max(exp, -126) - 23)
    sig, rest = divmod(x, unit)
    sig += rest * 2 > unit or (rest * 2 == unit and sig % 2)
    bits = int(sig) if exp < -126 else int(sig) + (exp + 126 << 23)
    return sign | min(bits, 0x7F800000)


def from_f32(bits):
    negative, field, man = bool(bits >> 31), bits >> 23 & 255, bits & 0x7FFFFF
    if field == 255:
        return negative, NAN if man else INF
    return negative, Fraction(man + (1 << 23 if field else 0)) * Fraction(2) ** (max(field, 1) - 150)


def add(addends):
    """The exact sum, rounded once; a zero is -0 if all addends are."""
    special = {a for a in addends if a[1] in (NAN, INF)}
    if any(m == NAN for _, m in special) or len(special) > 1:
        return 0x7FC00000
    if special:
        return 0xFF800000 if special.pop()[0] else 0x7F800000
    total = sum(-m if n else m for n, m in addends)
    if total:
        return to_f32(total)
    return 1 << 31 if all(n and m == 0 for n, m in addends) else 0


def chain(products, c, step):
    for k in range(0, K, step):
        c = add(products[k:k + step] + [from_f32(c)])
    return c


# The number of products that are added with one rounding.
PROFILES = {"block32": BLOCK, "fused": K, "fma32": 1}


class Product:
    def __init__(self, rng, a, b):
        self.formats, self.c = (a, b), rng.choice([0, 0, 1 << 31, rng.getrandbits(32)])
        kind = rng.choice(["plain", "plain", "extreme", "cancel", "zero", "any"])
        self.codes = [self.draw(rng, name, kind) for name in (a, b)]
        self.scales = [[self.scale(rng, kind) for _ in range(K // BLOCK)] for _ in range(2)]
        if kind == "cancel":  # the second half almost cancels the first
            self.scales = [s[:2] * 2 for s in self.scales]
            sign = 1 << sum(FORMATS[a][:2])
            half = self.codes[0][:K // 2]
            self.codes[0] = half + [c ^ sign for c in half]
            self.codes[1] = self.codes[1][:K // 2] * 2
            self.codes[0][K - 1] ^= 1

    @staticmethod
    def draw(rng, name, kind):
        bits = 1 + sum(FORMATS[name][:2])
        codes = [rng.getrandbits(bits) for _ in range(K)]
        if kind == "zero":
            return [rng.choice([0, 1 << bits - 1]) for _ in codes]
        if kind == "any":
            return codes
        while any(decode(name, c)[1] in (NAN, INF) for c in codes):
            codes = [c if decode(name, c)[1] not in (NAN, INF) else rng.getrandbits(bits)
                     for c in codes]
        return codes

    @staticmethod
    def scale(rng, kind):
        if kind == "extreme":
            return rng.choice([0, 1, 2, 100, 253, 254])
        return 0xFF if kind == "any" and rng.random() < 0.02 else rng.randint(110, 144)

    def expected(self):
        x, y = (list(map(lambda c: decode(f, c), codes))
                for f, codes in zip(self.formats, self.codes))
        products = []
        for k in range(K):
            s = [scales[k // BLOCK] for scales in self.scales]
            scale = NAN if 0xFF in s else Fraction(2) ** (s[0] + s[1] - 254)
            products.append(multiply(x[k], y[k], scale))
        return {name: chain(products, self.c, step) for name, step in PROFILES.items()}

    def arguments(self):
        text = [",".join(map(hex, v)) for v in self.codes + self.scales]
        return ["mfma", "--format", ",".join(self.formats), "--a", text[0], "--b", text[1],
                "--sa", text[2], "--sb", text[3], "--c", f"0x{self.c:08X}"]

    def check(self, program):
        """The profiles that differ."""
        out = subprocess.run([program, *self.arguments()], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
        got = {n: int(v, 16) for n, v in re.findall(r"^(\w+) +0x([0-9A-F]{8})", out, re.M)}
        nan = lambda v: (v & 0x7FFFFFFF) > 0x7F800000
        want = self.expected()
        return [f"{n}: 0x{got[n]:08X}, by fractions 0x{want[n]:08X}" for n in PROFILES
                if got[n] != want[n] and not (nan(got[n]) and nan(want[n]))]


def main():
    program, tests, failed = sys.argv[1], 0, 0
    rng = random.Random(20241121)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for a in FORMATS:
            for b in FORMATS:
                products = [Product(rng, a, b) for _ in range(PER_PAIR)]
                wrong = [(p, w) for p, w in zip(products, pool.map(
                    lambda p: p.check(program), products)) if w]
                tests += 1
                failed += bool(wrong)
                print(f"{'not ok' if wrong else 'ok'} {tests} - {a} x {b}: {PER_PAIR} products, "
                      f"{len(PROFILES)} profiles")
                for p, w in wrong[:2]:
                    print(f"# {w}: mxcheck {' '.join(p.arguments())}")
    print(f"1..{tests}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
