#!/usr/bin/env python3
"""tinygrad's HIP backend on the emulated device: products of f32 and, by MFMAs, of f16, and a softmax.

usage: tinygrad_hip.py BUILD LLVM

tinygrad compiles with AMD's comgr, and here with LLVM's clang: `prepare`.

tinygrad_hip.py --program LLVM is the program."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import hip_clang
from harness import done, needs, ok


# ---- the program ----

def prepare(llvm):
    """Makes clang the compiler of tinygrad's device HIP."""
    from tinygrad import Device
    from tinygrad.device import Compiler
    from tinygrad.renderer.cstyle import HIPCCRenderer

    class Clang(Compiler):
        def compile(self, source):
            with tempfile.TemporaryDirectory() as folder:
                text, code = pathlib.Path(folder, "kernel.hip"), pathlib.Path(folder, "kernel.co")
                text.write_text(source)
                subprocess.run([f"{llvm}/clang", *hip_clang.device(llvm, folder), *hip_clang.ALONE, "-O3", "-w", text,
                                "-o", code], check=True)
                return code.read_bytes()

    class Renderer(HIPCCRenderer):
        def __init__(self, target):
            super().__init__(target)
            self.compiler = Clang()

    Device["HIP"].renderers = [Renderer]


def program(llvm):
    prepare(llvm)
    from tinygrad import Tensor

    random = np.random.default_rng(1)
    for dtype, (M, N, K) in ((np.float32, (64, 96, 128)), (np.float16, (64, 64, 64))):
        a, b = (random.integers(-8, 8, shape).astype(dtype) for shape in ((M, K), (K, N)))
        c = (Tensor(a, device="HIP") @ Tensor(b, device="HIP")).numpy()
        assert np.array_equal(c, a.astype(np.float64) @ b.astype(np.float64)), dtype
    x = random.standard_normal((8, 1000)).astype(np.float32)
    y, want = Tensor(x, device="HIP").softmax().numpy(), np.exp(x.astype(np.float64))
    assert np.allclose(y, want / want.sum(axis=1, keepdims=True), rtol=1e-5)


# ---- the test ----

def main():
    build, llvm = sys.argv[1:]
    needs("tinygrad", "tinygrad's HIP backend")
    needs("triton", "tinygrad's HIP backend")
    # HIP_PATH is where tinygrad finds the library. DEV names the architecture without the features that the device
    # gives with it: with these tinygrad takes gfx950 for a device of RDNA. It compiles in one process.
    environment = dict(os.environ, HIP_PATH=str(pathlib.Path(build, "libmxhip.so").resolve()), DEV="HIP::gfx950",
                       PARALLEL="0", CCACHE="0")
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([f"{build}/mxcheck", "exec", "--race", "5", "--record", folder, "--", sys.executable,
                              __file__, "--program", llvm], capture_output=True, text=True, env=environment)
        proved = re.search(r"^exec: (\d+) launches, \1 watched, \1 proved, .*; 0 findings$", ran.stdout, re.M)
        ok(ran.returncode == 0 and proved, "products and a softmax of tinygrad are right and proved",
           ran.stdout[-500:] + ran.stderr[-1500:])
        isa = subprocess.run([f"{build}/mxcheck", "isa", *map(str, pathlib.Path(folder).glob("*.co"))],
                             capture_output=True, text=True)
        ok("v_mfma_f32_16x16x32_f16" in isa.stdout, "that of f16 by MFMAs", isa.stdout + isa.stderr)
    return done()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(program(sys.argv[2]) if sys.argv[1] == "--program" else main())
