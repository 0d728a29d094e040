#!/usr/bin/env python3
"""AMD's device library on the emulated device: printf, assert, malloc and free, and the barrier of a
cooperative grid, from the bitcode in Triton's wheel.

usage: device_calls.py BUILD LLVM

device_calls.py --program KERNEL CODE is the program."""
import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import hip_clang
from harness import done, needs, ok

GROUPS, WAVE = 16, 64
ALL = GROUPS * WAVE


# ---- the program ----

class Program:
    def __init__(self, code):
        self.hip = ctypes.CDLL("libamdhip64.so")
        self.module = ctypes.c_void_p()
        self.call("hipModuleLoad", ctypes.byref(self.module), code.encode())

    def call(self, name, *arguments):
        status = getattr(self.hip, name)(*arguments)
        if status:
            sys.exit(f"{name}: {status}")

    def array(self, dtype):
        array = np.zeros(ALL, dtype)
        self.call("hipHostRegister", ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), 0)
        return array

    def launch(self, name, groups, *arguments, cooperative=False):
        function = ctypes.c_void_p()
        self.call("hipModuleGetFunction", ctypes.byref(function), self.module, name.encode())
        values = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else ctypes.c_int(a) for a in arguments]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        shape = (function, groups, 1, 1, WAVE, 1, 1, 0, None, pointers)
        if cooperative:
            self.call("hipModuleLaunchCooperativeKernel", *shape)
        else:
            self.call("hipModuleLaunchKernel", *shape, None)
        self.call("hipDeviceSynchronize")


def program(kernel, code):
    p = Program(code)
    if kernel in ("prints", "fails"):
        p.launch(kernel, 2, 3)
    elif kernel == "across":
        total, each = p.array(np.int32), p.array(np.int32)
        p.launch(kernel, GROUPS, total, each, ALL, cooperative=True)
        assert (total == ALL * (ALL + 1) // 2).all()
    else:
        of, wrong = p.array(np.uint64), p.array(np.int32)
        for n in (1, 3, 40, 300, 1000):
            of[:] = 0
            p.launch("allocates", GROUPS, of, n)
            assert of.all() and len(set(of)) == ALL
            p.launch("frees", GROUPS, wrong, of, n)
            assert not wrong.any()


# ---- the test ----

def compiled(llvm, folder):
    source = pathlib.Path(__file__).with_suffix(".hip")
    subprocess.run([f"{llvm}/clang", *hip_clang.device(llvm, folder), *hip_clang.ALONE, "-O2", source,
                    "-o", f"{folder}/code"], check=True)
    return f"{folder}/code"


def launched(build, kernel, code):
    return subprocess.run([f"{build}/mxcheck", "exec", "--", sys.executable, __file__, "--program", kernel, code],
                          capture_output=True, text=True)


def main():
    build, llvm = sys.argv[1:]
    needs("triton", "calls of AMD's device library")
    with tempfile.TemporaryDirectory() as folder:
        code = compiled(llvm, folder)
        ran = launched(build, "prints", code)
        lines = re.findall(r"^(\d+): odd 0\.333 -5000000000 z %$", ran.stdout, re.M)
        ok(sorted(map(int, lines)) == list(range(2 * WAVE)) and "\n29 characters\n" in ran.stdout and not ran.returncode,
           "printf prints a line of each work-item, and returns its length", ran.stdout + ran.stderr)
        ran = launched(build, "fails", code)
        ok("Assertion `n > 3' failed." in ran.stderr and "hipDeviceSynchronize: 719" in ran.stderr and ran.returncode,
           "an assertion says so, and the launch fails", ran.stdout + ran.stderr)
        ran = launched(build, "allocates", code)
        ok(ran.returncode == 0 and "; 0 findings" in ran.stdout,
           "each work-item gets memory of its own, of 8 to 8000 bytes, and frees it", ran.stdout + ran.stderr)
        ran = launched(build, "across", code)
        ok(ran.returncode == 0 and "; 0 findings" in ran.stdout, "a cooperative grid has its barrier", ran.stdout + ran.stderr)
    return done()


if len(sys.argv) < 3:
    sys.exit(__doc__)
if sys.argv[1] == "--program":
    program(*sys.argv[2:])
    sys.exit(0)
sys.exit(main())
