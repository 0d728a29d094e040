#!/usr/bin/env python3
"""bitsandbytes' NF4 on the emulated device: the library of its wheel for ROCm, called with numpy arrays
and no torch. Its 4-bit codes are the nearest of the table, and its dequantised numbers the products.

usage: bitsandbytes_nf4.py BUILD

bitsandbytes_nf4.py --stubs FOLDER makes the libraries that it needs beside HIP. bitsandbytes_nf4.py
--program FOLDER is the program."""
import ctypes
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

from harness import done, needs, ok

LIBRARY = "libbitsandbytes_rocm70.so"
BLOCK, N = 64, 64 * 96
# QLoRA, appendix E.
NF4 = np.array([-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
                -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
                0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
                0.7229568362236023, 1.0], np.float32)


def library():
    return str(pathlib.Path(importlib.util.find_spec("bitsandbytes").origin).parent / LIBRARY)


# ---- the program ----

def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def program(folder):
    hip = ctypes.CDLL("libamdhip64.so", mode=ctypes.RTLD_GLOBAL)
    bnb = ctypes.CDLL(library())

    x = np.random.default_rng(1).standard_normal(N).astype(np.float16)
    absmax, codes, back = np.zeros(N // BLOCK, np.float32), np.zeros(N // 2, np.uint8), np.zeros(N, np.float16)
    for array in (x, absmax, codes, back):
        assert hip.hipHostRegister(pointer(array), ctypes.c_size_t(array.nbytes), 0) == 0
    bnb.cquantize_blockwise_fp16_nf4(None, pointer(x), pointer(absmax), pointer(codes), BLOCK, N)
    bnb.cdequantize_blockwise_fp16_nf4(None, pointer(codes), pointer(absmax), pointer(back), BLOCK, N, None)
    assert hip.hipDeviceSynchronize() == 0
    np.savez(f"{folder}/nf4.npz", x=x, absmax=absmax, codes=codes, back=back)


# ---- the test ----

def stubs(folder):
    """The library is linked with libraries of ROCm, of which NF4 calls nothing: each function fails."""
    names = subprocess.run(["nm", "-D", "--undefined-only", library()], capture_output=True, text=True, check=True).stdout
    blas = sorted(set(re.findall(r" U ((?:roc|hip)blas\w+)", names)))
    pathlib.Path(f"{folder}/stubs.c").write_text("".join(f"int {name}(void) {{ return 1; }}\n" for name in blas))
    for name in ("libhipblas.so.3", "libhipblaslt.so.1"):
        subprocess.run(["cc", "-shared", "-fPIC", f"{folder}/stubs.c", "-o", f"{folder}/{name}"], check=True)


def main():
    needs("bitsandbytes", "NF4 of bitsandbytes")
    with tempfile.TemporaryDirectory() as folder:
        stubs(folder)
        ran = subprocess.run([f"{sys.argv[1]}/mxcheck", "exec", "--race", "5", "--",
                              sys.executable, __file__, "--program", folder], capture_output=True, text=True,
                             env={"LD_LIBRARY_PATH": folder, "PATH": "/usr/bin:/bin"})
        ok(ran.returncode == 0 and re.search(r"^exec: 2 launches, 2 watched, 2 proved, 10 repetitions; 0 findings", ran.stdout, re.M),
           "NF4 of bitsandbytes is proved", ran.stdout + ran.stderr)
        if ran.returncode:
            return done()
        got = np.load(f"{folder}/nf4.npz")
    x = got["x"].astype(np.float32).reshape(-1, BLOCK)
    ok((got["absmax"] == np.abs(x).max(axis=1)).all(), "its scales are the largest magnitudes of blocks")
    codes = np.stack([got["codes"] >> 4, got["codes"] & 15], axis=1).reshape(x.shape)
    scaled = x / got["absmax"][:, None]
    error = np.abs(NF4[codes] - scaled)
    best = np.abs(NF4 - scaled[..., None]).min(axis=-1)
    ok((error <= best + 1e-6).all(), "its codes are the nearest of the table", f"{(error > best + 1e-6).sum()} are not")
    back = (NF4[codes] * got["absmax"][:, None]).astype(np.float16)
    ok((back.reshape(-1) == got["back"]).all(), "and are dequantised to their products")
    return done()


if len(sys.argv) < 2:
    sys.exit(__doc__)
if sys.argv[1] in ("--program", "--stubs"):
    {"--program": program, "--stubs": stubs}[sys.argv[1]](sys.argv[2])
    sys.exit(0)
sys.exit(main())
