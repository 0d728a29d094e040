#!/usr/bin/env python3
"""A program in Triton that launches its kernels itself, with numpy arrays and no torch: Triton's own
driver, on libmxhip.so. Its launches are watched, recorded, replayed and mutated.

usage: triton_launch.py BUILD

triton_launch.py --program NAME is the program: `gemm`, `print` or `assert`."""
import ctypes
import glob
import re
import subprocess
import sys
import tempfile

import numpy as np

from harness import done, needs, ok

if len(sys.argv) < 2:
    sys.exit(__doc__)
needs("triton", "a GEMM launched by Triton's own driver")
import triton
import triton.language as tl
from triton.backends.amd import driver as amd


@triton.jit
def gemm(c, a, b, M, N, K, TILE: tl.constexpr, STEP: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    col = tl.program_id(1) * TILE + tl.arange(0, TILE)
    sum = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, STEP)):
        depth = k * STEP + tl.arange(0, STEP)
        x = tl.load(a + row[:, None] * K + depth[None, :], mask=(row < M)[:, None] & (depth < K)[None, :], other=0.0)
        y = tl.load(b + depth[:, None] * N + col[None, :], mask=(depth < K)[:, None] & (col < N)[None, :], other=0.0)
        sum = tl.dot(x, y, sum)
    tl.store(c + row[:, None] * N + col[None, :], sum, mask=(row < M)[:, None] & (col < N)[None, :])


@triton.jit
def says(x, WIDTH: tl.constexpr):
    tl.device_print("value", tl.load(x + tl.arange(0, WIDTH)))


@triton.jit
def asserts(x, WIDTH: tl.constexpr):
    tl.device_assert(tl.load(x + tl.arange(0, WIDTH)) < WIDTH - 1, "too large")


# ---- the program ----

class Driver(amd.HIPDriver):
    """Triton's driver of HIP, without the parts of it that need torch."""

    def __init__(self):
        self.utils = amd.HIPUtils()
        self.launcher_cls = amd.HIPLauncher
        self.get_current_device = lambda: 0
        self.get_current_stream = lambda device: 0
        self.set_current_device = lambda device: None


class OnDevice:
    """An array whose memory is the device's, too."""

    def __init__(self, hip, array):
        self.array, self.dtype = array, array.dtype
        assert hip.hipHostRegister(ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), 0) == 0

    def data_ptr(self):
        return self.array.ctypes.data


def program(name):
    hip = ctypes.CDLL("libamdhip64.so")
    triton.runtime.driver.set_active(Driver())
    if name == "gemm":
        M, N, K = 100, 72, 96
        random = np.random.default_rng(1)
        a, b = (random.integers(-8, 8, shape).astype(np.float16) for shape in ((M, K), (K, N)))
        c = np.zeros((M, N), np.float32)
        gemm[(triton.cdiv(M, 32), triton.cdiv(N, 32))](*(OnDevice(hip, x) for x in (c, a, b)), M, N, K, TILE=32, STEP=32)
    else:
        x = np.arange(64, dtype=np.int32)
        {"print": says, "assert": asserts}[name][(1,)](OnDevice(hip, x), WIDTH=64, num_warps=1, debug=True)
    status = hip.hipDeviceSynchronize()
    if name == "gemm":
        assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    sys.exit(1 if status else 0)


# ---- the test ----

def run(command):
    ran = subprocess.run(command, capture_output=True, text=True)
    return ran.returncode, ran.stdout, ran.stderr


def launched(mxcheck, name, *options):
    return run([mxcheck, "exec", *options, "--", sys.executable, __file__, "--program", name])


def main():
    mxcheck = f"{sys.argv[1]}/mxcheck"
    with tempfile.TemporaryDirectory() as folder:
        status, out, err = launched(mxcheck, "gemm", "--race", "20", "--record", f"{folder}/gemm")
        ok(status == 0 and re.search(r"^exec: 1 launch, 1 watched, 1 proved, 20 repetitions; 0 findings$", out, re.M),
           "a GEMM launched by Triton's own driver, with numpy arrays, is right and proved", out + err)
        cases = glob.glob(f"{folder}/gemm/*.yaml")
        status, out, err = run([mxcheck, "run", "--case", *cases])
        ok(status == 0 and re.search(r"^pass .* bytes 28800/28800 .*\n +order: proved", out, re.M),
           "its record replays to the bit", out + err)
        status, out, err = run([mxcheck, "mutate", "--case", *cases])
        mutants = re.search(r"^(\d+) mutants of gemm in 1 run: (\d+) flagged", out, re.M)
        ok(mutants and int(mutants[2]), "and is mutated", out + err)
        print(f"# {mutants[0] if mutants else 'no mutants'}")
    status, out, err = launched(mxcheck, "print")
    lines = re.findall(r"^pid \(0, 0, 0\) idx \((?: *)(\d+)\) value: (\d+)$", out, re.M)
    ok(status == 0 and sorted(int(v) for _, v in lines) == list(range(64)), "tl.device_print prints each element", out + err)
    status, out, err = launched(mxcheck, "assert")
    ok(status and "too large" in out + err, "tl.device_assert says why", out + err)
    return done()


if sys.argv[1] == "--program":
    program(sys.argv[2])
sys.exit(main())
