#!/usr/bin/env python3
"""Crosscheck of the recipes of `mxcheck quant` against the packages that they follow, bit for bit.

    make crosscheck      (recipes.py MXCHECK; prints TAP)
"""
import sys
import tempfile

import numpy as np

import blocks
import packages
from harness import Mxcheck, done, ok, skip

OPTIONS = {"f32": [], "bf16": ["--bf16"], "f16": []}


def hexadecimal(x):
    return " ".join(f"{v:X}" for v in x.view(np.uint16 if x.itemsize == 2 else np.uint32))


def infinite(x):
    return (x & 0x7FFF) == 0x7F80 if x.dtype == np.uint16 else np.isinf(x)


def negative_nan(name, x, codes, theirs, scales):
    """Infinity by infinity is +NaN on gfx950 and in ours, but -NaN on x86."""
    sign = 1 << sum(blocks.FORMATS[name][:2])
    return infinite(x) & (scales == 0xFF) & (theirs == codes + sign)


# What differs on purpose, by recipe: must be seen, and be just that.
EXPLAINED = {f"torchao-0.18-{mode}": negative_nan for mode in ("floor", "ceil", "even")}


def compare(mx, recipe, name, dtype, x, judge):
    codes, scales = mx.quant(name, recipe, x, *OPTIONS[dtype])
    theirs, their_scales = judge(name, x)
    wrong = codes != theirs
    if recipe in EXPLAINED:
        explained = EXPLAINED[recipe](name, x, codes, theirs, scales)
        ok(explained.any(), f"{recipe}, {name}, {dtype}: {explained.sum()} known differences")
        wrong &= ~explained
    bad = wrong.any(axis=1) | (scales != their_scales).any(axis=1)
    first = int(np.flatnonzero(bad)[0]) if bad.any() else 0
    at = np.flatnonzero(wrong[first])
    ok(not bad.any(), f"{recipe}, {name}, {dtype}: {len(x)} blocks, codes and scales",
       f"{bad.sum()} differ ({(scales != their_scales).sum()} scales). First: {hexadecimal(x[first])}\n"
       f"# scale {scales[first]}, theirs {their_scales[first]}; elements {at}: "
       f"{codes[first][at]}, theirs {theirs[first][at]}")


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
            compare(mx, recipe, name, dtype, getattr(blocks, dtype)(name), judge)


def main():
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as folder:
        mx = Mxcheck(sys.argv[1], folder)
        for row in packages.ROWS:
            if wanted in row[0]:
                check(mx, *row)
    return done()


if __name__ == "__main__":
    sys.exit(main())
