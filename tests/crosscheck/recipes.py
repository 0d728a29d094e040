#!/usr/bin/env python3
"""Crosscheck of the recipes of `mxcheck quant` against the packages that they follow, bit for bit:
against packages of PyPI, and against transcriptions of other sources. Intended differences are
listed below.

    make crosscheck      (recipes.py MXCHECK [PART-OF-A-RECIPE'S-NAME]; prints TAP)
"""
import sys
import tempfile

import numpy as np

import blocks
import packages
import transcribed
from harness import Mxcheck, done, ok, skip

OPTIONS = {"f32": [], "bf16": ["--bf16"], "f16": []}


def hexadecimal(x):
    return " ".join(f"{v:X}" for v in x.view(np.uint16 if x.itemsize == 2 else np.uint32))


def magnitude(x):
    return x & 0x7FFF if x.dtype == np.uint16 else np.abs(x)


def is_inf(x):
    return magnitude(x) == (0x7F80 if x.dtype == np.uint16 else np.inf)


def is_nan(x):
    return magnitude(x) > 0x7F80 if x.dtype == np.uint16 else np.isnan(x)


def sign_bit(name):
    return 1 << sum(blocks.FORMATS[name][:2])


def negative_nan(name, x, codes, theirs, scales):
    """Infinity / infinity and infinity * 0 are +NaN on gfx950 and in mxcheck, but -NaN on x86."""
    return is_inf(x) & (scales == 0xFF) & (theirs == codes + sign_bit(name))


def fp8_nan(name, x, codes, theirs, scales):
    """Sign and payload of an FP8 NaN are not compared; PyTorch has all ones in E5M2, conversions 0x7E."""
    first = {"E4M3": 0x7F, "E5M2": 0x7D}.get(name, 256)
    return (codes & 0x7F >= first) & (theirs & 0x7F >= first)


def zero_sign(name, x, codes, theirs, scales):
    """Fake quantisation to FP4 and FP6 writes +0 for every zero."""
    return (theirs == 0) & (codes == sign_bit(name)) & (name not in ("E4M3", "E5M2"))


def bf16_zero(name, x, codes, theirs, scales):
    """A number that underflows to 0 in bf16 loses its sign, like -0; in f32 it is not zero."""
    return (x.dtype == np.uint16) & (name == "E2M1") & zero_sign(name, x, codes, theirs, scales)


def nan_in_block(name, x, codes, theirs, scales):
    """Quark: torch's maximum is NaN if any element is, Triton's only if all are.
    compressed-tensors: torch's vectorised minimum makes the NaN all ones, and the sum wraps to
    exponent 0; the tail of the tensor keeps the NaN and has exponent 255."""
    return is_nan(x).any(axis=1, keepdims=True)


# Intended differences. Each is counted; any other fails. nan_in_block explains the scale too.
EXPLAINED = {
    **{f"torchao-0.18-{m}": [negative_nan] for m in ("floor", "ceil", "even")},
    "compressed-tensors": [nan_in_block, negative_nan, fp8_nan, bf16_zero],
    **{f"quark-triton-{m}": [nan_in_block, negative_nan, fp8_nan] for m in ("up", "down", "down8", "even")},
    **{f"quark-{m}": [zero_sign] for m in ("even", "floor", "ceil", "floor-bf16", "ceil-bf16")},
}


def compare(mx, recipe, by, name, dtype, x, judge):
    codes, scales = mx.quant(name, recipe, x, *OPTIONS[dtype])
    theirs, their_scales = judge(name, x)
    shown, notes = theirs >= 0, []
    wrong = (codes != theirs) & shown
    for explain in EXPLAINED.get(recipe, []):
        known = np.broadcast_to(explain(name, x, codes, theirs, scales), x.shape)
        notes.append(f"{(wrong & known).sum()} {explain.__name__}")
        wrong &= ~known
    other = (scales != their_scales).any(axis=1)
    if nan_in_block in EXPLAINED.get(recipe, []):
        other &= ~is_nan(x).any(axis=1)
    bad = wrong.any(axis=1) | other
    first = int(np.flatnonzero(bad)[0]) if bad.any() else 0
    at = np.flatnonzero(wrong[first])
    if not shown.all():
        notes.append(f"{(~shown).sum()} not shown")
    ok(not bad.any(), f"{recipe} by {by}, {name}, {dtype}: {len(x)} blocks" +
       (f" ({', '.join(notes)})" if notes else ""),
       f"{bad.sum()} differ ({other.sum()} scales). First: {hexadecimal(x[first])}\n"
       f"# scale {scales[first]}, theirs {their_scales[first]}; elements {at.tolist()}: "
       f"{codes[first][at].tolist()}, theirs {theirs[first][at].tolist()}")


def check(mx, recipe, package, version, formats, dtypes, make):
    installed = packages.version(package)
    if installed != version:
        return skip(recipe, f"{package} {version} is not installed" +
                    (f", but {installed}" if installed else ""))
    try:
        judge = make()
    except Exception as e:
        return skip(recipe, f"{package} {version} does not import: {e}".replace("\n", " "))
    for name in formats:
        for dtype in dtypes:
            compare(mx, recipe, f"{package} {version}", name, dtype, getattr(blocks, dtype)(name), judge)


def as_f32(x):
    return (x.astype(np.uint32) << 16).view(np.float32) if x.dtype == np.uint16 else x.astype(np.float32)


def main():
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as folder:
        mx = Mxcheck(sys.argv[1], folder)
        for row in packages.ROWS:
            if wanted in row[0]:
                check(mx, *row)
        for recipe, formats, judge in transcribed.ROWS:
            for name in formats:
                for dtype in OPTIONS:
                    if wanted in recipe:
                        compare(mx, recipe, "its source", name, dtype, getattr(blocks, dtype)(name),
                                lambda name, x: judge(name, as_f32(x)))
    return done()


if __name__ == "__main__":
    sys.exit(main())
