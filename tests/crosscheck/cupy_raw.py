#!/usr/bin/env python3
"""CuPy's raw kernels on the emulated device: its wheel for ROCm compiles them by hiprtc and launches
them on its own arrays.

usage: cupy_raw.py BUILD

cupy_raw.py --stubs FOLDER makes what it needs beside HIP. cupy_raw.py --program FOLDER is the program."""
import glob
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

from harness import done, needs, ok

KERNEL = r"""
extern "C" __global__ void reverse(float *out, const float *in) {
    __shared__ float tile[256];
    tile[threadIdx.x] = 2 * in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}
"""


def program(folder):
    import cupy

    source = np.arange(1024, dtype=np.float32)
    x, y = cupy.empty(1024, np.float32), cupy.empty(1024, np.float32)
    x.set(source)
    cupy.RawKernel(KERNEL, "reverse")((4,), (256,), (y, x))
    np.save(f"{folder}/y.npy", y.get())


def stubs(folder):
    """The wheel is linked with libraries of ROCm, of which raw kernels call nothing: each function
    fails. hipcc is only asked for folders of headers."""
    names, libraries = set(), {}
    site = pathlib.Path(importlib.util.find_spec("cupy").origin).parents[1]
    for path in glob.glob(f"{site}/cupy*/**/*.so", recursive=True):
        dynamic = subprocess.run(["readelf", "-dVW", path], capture_output=True, text=True).stdout
        for name in re.findall(r"\[(lib(?:roc|hip|rccl)\w*\.so[.\d]*)\]", dynamic):
            libraries.setdefault(name, set())
        for name, versions in re.findall(r"File: (\S+) .*\n((?:.*Name: .*\n)+)", dynamic):
            libraries.setdefault(name, set()).update(re.findall(r"Name: (\S+)", versions))
        wanted = subprocess.run(["nm", "-D", "--undefined-only", path], capture_output=True, text=True).stdout
        names |= set(re.findall(r" U ((?:roc|hip|nccl)\w+)", wanted))
    names = sorted(name for name in names if not re.match(r"hip(rtc)?[A-Z]", name))
    pathlib.Path(f"{folder}/stubs.c").write_text("".join(f"int {name}(void) {{ return 1; }}\n" for name in names))
    for name, versions in libraries.items():
        if not re.match(r"lib(roc|hip|rccl)", name):
            continue
        script = "".join(f"{version} {{ global: {version.split('_')[0].lower()}*; }};\n" for version in versions)
        pathlib.Path(f"{folder}/stubs.map").write_text(script)
        subprocess.run(["cc", "-w", "-shared", "-fPIC", f"{folder}/stubs.c", "-o", f"{folder}/{name}",
                        *([f"-Wl,--version-script={folder}/stubs.map"] if versions else [])], check=True)
    hipcc = pathlib.Path(f"{folder}/hipcc")
    hipcc.write_text("#!/bin/sh\necho '#include <...> search starts here:\n /usr/include\nEnd of search list.' >&2\n")
    hipcc.chmod(0o755)


def main():
    needs("cupy", "a raw kernel of CuPy")
    with tempfile.TemporaryDirectory() as folder:
        stubs(folder)
        ran = subprocess.run([f"{sys.argv[1]}/mxcheck", "exec", "--race", "5", "--",
                              sys.executable, __file__, "--program", folder], capture_output=True, text=True,
                             env={"LD_LIBRARY_PATH": folder, "PATH": f"{folder}:/usr/bin:/bin", "ROCM_HOME": folder,
                                  "CUPY_CACHE_DIR": folder, "HOME": os.environ.get("HOME", folder)})
        last = ran.stdout.splitlines()[-1] if ran.stdout else ""
        ok(re.match(r"exec: 1 launch, 1 watched, 1 proved, 5 repetitions; 0 findings", last),
           "a raw kernel of CuPy is compiled, launched and proved", ran.stdout[-500:] + ran.stderr[-1500:])
        y = pathlib.Path(f"{folder}/y.npy")
        want = 2 * np.arange(1024, dtype=np.float32).reshape(4, 256)[:, ::-1].reshape(-1)
        ok(y.exists() and np.array_equal(np.load(y), want), "and is right")
    return done()


if __name__ == "__main__":
    sys.exit({"--program": program, "--stubs": stubs}[sys.argv[1]](sys.argv[2]) if len(sys.argv) > 2 else main())
