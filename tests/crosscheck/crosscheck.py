#!/usr/bin/env python3
"""Crosscheck against ml_dtypes, which shares nothing with this project: every code decoded, every
scale, and a stratified hundred thousand of float32 encoded in each format, through the .npy files
of `mxcheck quant` and `mxcheck dequant`. Known differences are listed below with their reasons and
must occur; any other difference fails.

    make crosscheck      (crosscheck.py MXCHECK; prints TAP)
"""
import sys
import tempfile

import ml_dtypes
import numpy as np

from harness import Mxcheck, done, ok

# ml_dtypes' type, emax [OCP MX v1.0, 6.3], bits, largest code without sign.
FORMATS = {
    "E2M1": (ml_dtypes.float4_e2m1fn, 2, 4, 0x7),
    "E2M3": (ml_dtypes.float6_e2m3fn, 2, 6, 0x1F),
    "E3M2": (ml_dtypes.float6_e3m2fn, 4, 6, 0x1F),
    "E4M3": (ml_dtypes.float8_e4m3fn, 8, 8, 0x7E),
    "E5M2": (ml_dtypes.float8_e5m2, 15, 8, 0x7B),
}
BLOCKS = 3125  # of 32: a hundred thousand numbers

# Intended differences. Format: [(name, which scaled inputs, ml_dtypes' magnitude, ours)].
# FP8 in ml_dtypes overflows: E4M3, which has no infinity, to NaN, E5M2 to infinity. MX quantisers
# saturate. 464 is a tie that rounds to the even code 448; 61440 is one that rounds up.
# Formats without NaN: the OCP specification leaves it open; ml_dtypes has -0, we the largest
# magnitude with the sign of the NaN.
def no_nan(largest):
    return [("NaN", np.isnan, 0, largest)]


DIFFERENCES = {
    "E2M1": no_nan(0x7),
    "E2M3": no_nan(0x1F),
    "E3M2": no_nan(0x1F),
    "E4M3": [
        ("above 464", lambda x: (np.abs(x) > 464) & np.isfinite(x), 0x7F, 0x7E),
        ("infinity", np.isinf, 0x7F, 0x7E),
    ],
    "E5M2": [
        ("61440 and above", lambda x: (np.abs(x) >= 61440) & np.isfinite(x), 0x7C, 0x7B),
        ("infinity", np.isinf, 0x7C, 0x7B),
    ],
}

def same(a, b):
    """Whether bits are equal, -0 too; all NaNs are equal."""
    return (a.view(np.uint32) == b.view(np.uint32)) | (np.isnan(a) & np.isnan(b))


def decode(mx):
    for name, (dtype, _, bits, _) in FORMATS.items():
        codes = np.arange(1 << bits, dtype=np.uint8)[:, None]
        theirs = codes.view(dtype).astype(np.float32)
        ours = mx.dequant(name, codes, np.full_like(codes, 127))
        wrong = np.flatnonzero(~same(ours, theirs))
        ok(wrong.size == 0, f"{name}: all {codes.size} codes decode alike",
           f"first: {wrong[:1]}, ours {ours[wrong[:1]]}, theirs {theirs[wrong[:1]]}")
    scales = np.arange(256, dtype=np.uint8)[:, None]
    theirs = scales.view(ml_dtypes.float8_e8m0fnu).astype(np.float32)
    ours = mx.dequant("E4M3", np.full_like(scales, 0x38), scales)
    wrong = np.flatnonzero(~same(ours, theirs))
    ok(wrong.size == 0, "E8M0: all 256 scales of 1.0 decode alike", f"first: {wrong[:1]}")


def stratified(rng, name):
    """Blocks with largest exponents from the whole range of float32. In each,
    exponents go down to below the format's smallest subnormal; mantissas are random, at the ends, or
    have few bits, for ties."""
    dtype, emax, bits, _ = FORMATS[name]
    spread = int(emax - np.log2(float(ml_dtypes.finfo(dtype).smallest_subnormal))) + 3
    top = np.arange(BLOCKS) % 254 + 1
    field = np.maximum(top[:, None] - rng.integers(0, spread, (BLOCKS, 32)), 0)
    field[:, 0] = top
    mantissa = rng.integers(0, 1 << 23, (BLOCKS, 32))
    kind = rng.integers(0, 4, (BLOCKS, 32))
    mantissa[kind == 0] &= 0x7C0000  # few bits: values and ties
    mantissa[kind == 1] = (mantissa[kind == 1] & 0x7C0000) + rng.integers(-1, 2, (kind == 1).sum())
    mantissa &= 0x7FFFFF
    sign = rng.integers(0, 2, (BLOCKS, 32))
    return (sign << 31 | field << 23 | mantissa).astype(np.uint32).view(np.float32)


def floor_scale(x, emax):
    """Byte of 2^(floor(log2 amax) - emax), clamped below."""
    _, exponent = np.frexp(np.abs(x).max(axis=1).astype(np.float64))
    return np.clip(exponent - 1 - emax + 127, 0, 254).astype(np.uint8)[:, None]


def compare_codes(name, ours, x, scales):
    dtype, _, bits, _ = FORMATS[name]
    with np.errstate(all="ignore"):
        # Exact, or far below the smallest subnormal's half.
        scaled = (x.astype(np.float64) * np.exp2(127.0 - scales)).astype(np.float32)
        theirs = scaled.astype(dtype).view(np.uint8)
    magnitude = (1 << bits - 1) - 1
    ok((ours >> bits - 1 == np.signbit(x)).all(), f"{name}: every code has the sign of its number")
    explained = np.zeros(x.shape, bool)
    for what, which, their_code, our_code in DIFFERENCES[name]:
        here = which(scaled)
        good = here.any() and (ours[here] & magnitude == our_code).all()
        good = good and (theirs[here] & magnitude == their_code).all()
        ok(good, f"{name}: {here.sum()} of {what}: 0x{our_code:02X}, ml_dtypes 0x{their_code:02X}")
        explained |= here
    # The sign and payload of an FP8 NaN are not compared.
    both = [c.view(dtype).astype(np.float32) for c in (ours, theirs)]
    explained |= np.isnan(both[0]) & np.isnan(both[1])
    wrong = np.flatnonzero((ours != theirs) & ~explained)
    ok(wrong.size == 0, f"{name}: the other {x.size - explained.sum()} codes are alike",
       f"{wrong.size} differ, first {x.flat[wrong[0]]!r}: ours 0x{ours.flat[wrong[0]]:02X}, "
       f"theirs 0x{theirs.flat[wrong[0]]:02X}" if wrong.size else "")


def encode(mx):
    rng = np.random.default_rng(20240607)
    for name, (_, emax, _, _) in FORMATS.items():
        x = stratified(rng, name)
        codes, scales = mx.quant(name, "floor", x)
        ok((scales == floor_scale(x, emax)).all(), f"{name}: {BLOCKS} scales of floor")
        # Each infinity in its own row, where nvidia's rule gives scale 0xFE; NaNs are ignored.
        special = stratified(rng, name)[:200]
        special[:100, 5] = np.float32("nan")
        special[:50, 5] = -special[:50, 5]
        special[100:, 7] = np.float32("-inf")
        more, more_scales = mx.quant(name, "nvidia", special)
        compare_codes(name, np.vstack([codes, more]), np.vstack([x, special]),
                      np.vstack([scales, more_scales]).astype(np.float64))


def main():
    with tempfile.TemporaryDirectory() as folder:
        mx = Mxcheck(sys.argv[1], folder)
        print(f"# numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}")
        decode(mx)
        encode(mx)
    return done()


if __name__ == "__main__":
    sys.exit(main())
