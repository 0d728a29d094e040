#!/usr/bin/env python3
"""AITER's MXFP4 GEMM on the emulated device, from its wheel: its Python function, its host code in C++
and its published kernels, on tensors in the host's memory.

usage: aiter_gemm.py BUILD

On its first call AITER builds a Python module from its host code, with hipcc and a PyTorch for ROCm.
Here the module is built before, from the same sources, into BUILD/aiter, with the compiler of the host,
the headers of HIP in Triton's wheel, and STANDINS. Its numbers are in the exact regime and must be those
of the product of what libmxref decodes; the launches must be proved, or have the findings that they have.

aiter_gemm.py --build FOLDER builds the module. aiter_gemm.py --program FOLDER NAME is the program."""
import concurrent.futures
import ctypes
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile

import ml_dtypes
import numpy as np

import hip_clang
from harness import Mxcheck, done, needs, ok, skip

WHAT = "AITER's MXFP4 GEMM"
MODULES = ("module_aiter_enum", "module_gemm_a4w4_asm")

# Programs: M, N, K, and the options of gemm_a4w4_asm; without them gemm_a4w4 takes the kernel of its table.
PROGRAMS = {
    "tuned": [(1, 800, 5120, None), (8, 3072, 1536, None), (1, 8192, 1024, None)],
    "chosen": [(32, 512, 512, {}), (256, 1024, 512, {})],
    "split": [(256, 512, 1024, {"log2_k_split": 1})],
    "ragged": [(128, 800, 5120, None)],
}

# For N = 800 the table has a kernel whose stores mask no columns: the descriptor of the output ends with the
# tile's last row. So the last tile of a row stores what it has beyond N at the start of the next row, which
# another workgroup writes.
RAGGED = {"race-global", "differs"}

# What the host code includes of other packages, as far as this module needs it.
STANDINS = {
    # PyTorch for ROCm: the current stream, here the default one, and a guard that selects a tensor's device.
    "ATen/hip/HIPContext.h": """#pragma once
#include <hip/hip_runtime.h>
namespace at::hip { inline hipStream_t getCurrentHIPStream() { return nullptr; } }
""",
    "ATen/hip/impl/HIPGuardImplMasqueradingAsCUDA.h": """#pragma once
#include <c10/core/Device.h>
#include <optional>
namespace at::hip {
struct OptionalHIPGuardMasqueradingAsCUDA {
	explicit OptionalHIPGuardMasqueradingAsCUDA(std::optional<c10::Device>) {}
};
}
""",
    # Composable Kernel: names of types, for templates that this module does not instantiate.
    "ck_tile/core.hpp": """#pragma once
#include <cstdint>
namespace ck_tile {
using fp32_t = float;
struct fp16_t;
struct bf16_t;
using index_t = std::int32_t;
using int8_t = std::int8_t;
}
""",
    # AITER asks it for the version of HIP when it is imported.
    "bin/hipconfig": "#!/bin/sh\necho 7.0.0\n",
}


# ---- the program ----

def draw(random, M, N, K, split):
    """Codes and scales of A and B, whose partial sums are exact in f32. With K split they are exact in bf16,
    in which the parts are added."""
    up = lambda n: (n + 255) // 256 * 256
    a, b = (random.integers(0, 16, (rows, K), np.uint8) for rows in (M, N))
    sa, sb = (random.integers(126, 129, (up(rows), K // 32), np.uint8) for rows in (M, N))
    if split:
        a[:] = 0
        a[:, ::K // 2] = 2  # 1.0
        sa[:], sb[:] = 127, 127
    return a, b, sa, sb


def program(folder, name):
    hip = ctypes.CDLL("libamdhip64.so", mode=ctypes.RTLD_GLOBAL)  # before the module, which calls it
    import torch

    import aiter
    from aiter.ops.shuffle import shuffle_weight
    from aiter.utility.fp4_utils import e8m0_shuffle

    random, kept = np.random.default_rng(1), {}
    for i, (M, N, K, options) in enumerate(PROGRAMS[name]):
        a, b, sa, sb = draw(random, M, N, K, options and "log2_k_split" in options)
        codes = [torch.from_numpy(x[:, ::2] | x[:, 1::2] << 4).view(torch.float4_e2m1fn_x2) for x in (a, b)]
        out = torch.zeros((M + 31) // 32 * 32, N, dtype=torch.bfloat16)
        scales = [e8m0_shuffle(torch.from_numpy(s)) for s in (sa, sb)]
        tensors = [codes[0], shuffle_weight(codes[1]), *scales, out]
        for t in tensors:
            assert hip.hipHostRegister(ctypes.c_void_p(t.data_ptr()), ctypes.c_size_t(t.nbytes), 0) == 0
        if options is None:
            aiter.gemm_a4w4(*tensors)
        else:
            aiter.gemm_a4w4_asm(*tensors, "", **options)
        assert hip.hipDeviceSynchronize() == 0
        for t in tensors:
            assert hip.hipHostUnregister(ctypes.c_void_p(t.data_ptr())) == 0
        kept |= {f"a{i}": a, f"b{i}": b, f"sa{i}": sa[:M], f"sb{i}": sb[:N], f"out{i}": out[:M].float().numpy()}
    np.savez(f"{folder}/{name}.npz", **kept)


# ---- the modules ----

def site(module):
    return pathlib.Path(next(iter(importlib.util.find_spec(module).submodule_search_locations)))


def compiled(folder, module, source):
    include = [folder, site("aiter_meta") / "csrc/include"]
    system = [site("torch") / "include", site("torch") / "include/torch/csrc/api/include",
              hip_clang.amd() / "include", sysconfig.get_path("include")]
    target = folder / f"{module}-{source.stem}.o"
    subprocess.run(["c++", "-x", "c++", "-std=c++20", "-O1", "-w", "-fPIC", "-D__HIP_PLATFORM_AMD__",
                    "-D__Float4_e2m1fn_x2", "-DTORCH_Float4_e2m1fn_x2", f"-DTORCH_EXTENSION_NAME={module}",
                    *[f"-I{i}" for i in include], *[f"-isystem{i}" for i in system], "-c", source, "-o", target],
                   check=True)
    return target


def build(folder):
    """Builds AITER's modules from the sources that its own table names."""
    for name, text in STANDINS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "bin/hipconfig").chmod(0o755)
    meta, table = site("aiter_meta"), json.loads((site("aiter") / "jit/optCompilerConfig.json").read_text())
    subprocess.run([sys.executable, meta / "hsa/gfx950/f4gemm/codegen.py", "-o", folder], check=True)
    for module in MODULES:
        sources = [meta / re.sub(r"^f'\{AITER_CSRC_DIR\}(.*)'$", r"csrc\1", s) for s in table[module]["srcs"]]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            objects = list(pool.map(lambda s: compiled(folder, module, s), sources))
        subprocess.run(["c++", "-shared", *objects, f"-L{site('torch')}/lib", "-ltorch_python", "-ltorch_cpu",
                        "-ltorch", "-lc10", "-o", folder / f"{module}.so"], check=True)


# ---- the test ----

def wrong(mx, folder, name):
    """How many elements are wrong, in all calls of a program."""
    got, count = np.load(f"{folder}/{name}.npz"), 0
    for i in range(len(PROGRAMS[name])):
        a, b = (mx.dequant("E2M1", got[f"{x}{i}"], got[f"s{x}{i}"]).astype(np.float64) for x in "ab")
        assert (abs(a) @ abs(b).T).max() < 2.0 ** 20  # 24 bits of 2^-4, the unit of all products
        want = (a @ b.T).astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float32)
        count += np.count_nonzero(got[f"out{i}"] != want)
    return count


def launched(out, modules, name, folder):
    """Findings of a program under mxcheck exec, how many launches are proved, and its output."""
    environment = dict(os.environ, AITER_JIT_DIR=str(modules), GPU_ARCHS="gfx950", CU_NUM="256",
                       PATH=f"{modules}/bin:{os.environ['PATH']}")
    ran = subprocess.run([f"{out}/mxcheck", "exec", "--race", "5", "--", sys.executable, "-W", "ignore", __file__,
                          "--program", folder, name], capture_output=True, text=True, env=environment)
    kinds = set(re.findall(r"^ +([a-z-]+): ", ran.stdout, re.M))
    counts = re.search(r"^exec: (\d+) launch.*, \1 watched, (\d+) proved, .*$", ran.stdout, re.M)
    return kinds, int(counts[2]) if counts else 0, ran.stdout + ran.stderr


def main():
    out = sys.argv[1]
    for module in ("torch", "triton", "aiter_meta"):
        needs(module, WHAT)
    if not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
        skip(WHAT, "Python's headers are not installed")
        return done()
    modules = pathlib.Path(out).resolve() / "aiter"
    if not all((modules / f"{m}.so").exists() for m in MODULES):
        build(modules)
    with tempfile.TemporaryDirectory() as folder:
        mx = Mxcheck(f"{out}/mxcheck", folder)
        for name in ("tuned", "chosen"):
            kinds, proved, text = launched(out, modules, name, folder)
            ok(not kinds and proved == len(PROGRAMS[name]), f"{WHAT}: {proved} launches, {name} by AITER, are proved",
               text)
            ok(wrong(mx, folder, name) == 0, "and are right")
        kinds, _, text = launched(out, modules, "split", folder)
        ok(not kinds, "K in two parts, which workgroups add: no findings", text)
        ok(wrong(mx, folder, "split") == 0, "and it is right")
        kinds, _, text = launched(out, modules, "ragged", folder)
        ok(kinds == RAGGED, "N = 800, for which AITER's table has a kernel of whole tiles: a race of two workgroups",
           text)
    return done()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--program":
        program(*sys.argv[2:])
    elif sys.argv[1] == "--build":
        build(pathlib.Path(sys.argv[2]))
    else:
        sys.exit(main())
