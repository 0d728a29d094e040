#!/usr/bin/env python3
"""Kernels in Wave: MXFP4 and f16 GEMM, with and without prefetch.

usage: wave_kernels.py FOLDER

Compiles them for gfx950, which needs no GPU, and writes FOLDER/wave_NAME.co and
FOLDER/wave_NAME.yaml, the case that runs each."""
import os
import pathlib
import shutil
import sys
import tempfile

from harness import needs

needs("wave_lang", "kernels in Wave")
os.environ["WAVE_CACHE_ON"] = "0"  # what is in the cache is not compiled, and leaves no code object

import wave_lang.kernel.lang as tkl
import wave_lang.kernel.wave as tkw
from wave_lang.kernel.lang.global_symbols import GLOBAL_ADDRESS_SPACE, SHARED_ADDRESS_SPACE
from wave_lang.kernel.wave.compile import WaveCompileOptions, wave_compile
from wave_lang.kernel.wave.constraints import MMAType, ScaledMMAType
from wave_lang.kernel.wave.scheduling.schedule_enums import SchedulingType
from wave_lang.kernel.wave.utils.general_utils import get_default_scheduling_params

M, N, K = tkl.sym.M, tkl.sym.N, tkl.sym.K
TILE_M, TILE_N, STEP = tkl.sym.TILE_M, tkl.sym.TILE_N, tkl.sym.STEP
SPACE = tkl.sym.ADDRESS_SPACE
WAVES = 2  # along M and along N


def constraints(instruction):
    return [tkw.WorkgroupConstraint(M, TILE_M, 0), tkw.WorkgroupConstraint(N, TILE_N, 1), tkw.TilingConstraint(K, STEP),
            tkw.WaveConstraint(M, TILE_M / WAVES), tkw.WaveConstraint(N, TILE_N / WAVES),
            tkw.HardwareConstraint(threads_per_wave=64, mma_type=instruction)]


# A kernel is made for each use, because its compilation changes it.
def mxfp4():
    @tkw.wave(constraints(ScaledMMAType.F32_16x16x128_F8F6F4))
    def mxfp4(a: tkl.Memory[M, K / 2, SPACE, tkl.i8], sa: tkl.Memory[M, K / 32, SPACE, tkl.i8],
              b: tkl.Memory[N, K / 2, SPACE, tkl.i8], sb: tkl.Memory[N, K / 32, SPACE, tkl.i8],
              c: tkl.Memory[M, N, GLOBAL_ADDRESS_SPACE, tkl.f32]):
        zero = tkl.Register[M, N, tkl.f32](0.0)

        @tkw.iterate(K, init_args=[zero])
        def product(sum: tkl.Register[M, N, tkl.f32]) -> tkl.Register[M, N, tkl.f32]:
            x, s = tkw.bitcast(tkw.read(a), tkl.f4e2m1fn), tkw.bitcast(tkw.read(sa), tkl.f8e8m0fnu)
            y, t = tkw.bitcast(tkw.read(b), tkl.f4e2m1fn), tkw.bitcast(tkw.read(sb), tkl.f8e8m0fnu)
            return tkw.scaled_mma(x, s, y, t, sum)

        tkw.write(product, c)
    return mxfp4


def f16():
    @tkw.wave(constraints(MMAType.F32_16x16x32_F16))
    def f16(a: tkl.Memory[M, K, SPACE, tkl.f16], b: tkl.Memory[N, K, SPACE, tkl.f16],
            c: tkl.Memory[M, N, GLOBAL_ADDRESS_SPACE, tkl.f32]):
        zero = tkl.Register[M, N, tkl.f32](0.0)

        @tkw.iterate(K, init_args=[zero])
        def product(sum: tkl.Register[M, N, tkl.f32]) -> tkl.Register[M, N, tkl.f32]:
            return tkw.mma(tkw.read(a), tkw.read(b), sum)

        tkw.write(product, c)
    return f16


MXFP4 = """buffers:
  - {name: A,  role: a,       type: e2m1, rows: M, cols: K}
  - {name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32}
  - {name: B,  role: b,       type: e2m1, rows: N, cols: K}
  - {name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32}
  - {name: C,  role: c,       type: f32,  rows: M, cols: N}
verdict: {judge: bits, profile: block32, mma_k: 128}
"""
F16 = """buffers:
  - {name: A, role: none, type: f16, rows: M, cols: K}
  - {name: B, role: none, type: f16, rows: N, cols: K}
  - {name: C, role: none, type: f32, rows: M, cols: N}
reference: {op: product, a: A, b: B, c: C}
verdict: {judge: bound}
"""
SIZES = {M: 192, N: 128, K: 1024}
# Name: kernel, its tile, schedule, buffers in the order of its arguments, the case, and regimes.
KERNELS = {
    "mxfp4": (mxfp4, (64, 64, 256), SchedulingType.NONE, ("A", "SA", "B", "SB", "C"), MXFP4, ("exact", "general", "special")),
    "mxfp4_prefetch": (mxfp4, (64, 64, 256), SchedulingType.PREFETCH, ("A", "SA", "B", "SB", "C"), MXFP4,
                       ("exact", "general", "special")),
    "f16_prefetch": (f16, (64, 64, 64), SchedulingType.PREFETCH, ("A", "B", "C"), F16, ("exact", "general")),
}


def compile(kernel, tile, schedule, co):
    sizes = {SPACE: SHARED_ADDRESS_SPACE, TILE_M: tile[0], TILE_N: tile[1], STEP: tile[2], **SIZES,
             **get_default_scheduling_params()}
    with tempfile.TemporaryDirectory() as folder:
        wave_compile(WaveCompileOptions(subs=sizes, canonicalize=True, target="gfx950", schedule=schedule,
                                        dump_binaries=folder, create_vmfb_file=f"{folder}/program.vmfb"), kernel())
        [code] = pathlib.Path(folder).glob("*.hsaco")
        shutil.copy(code, co)


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (kernel, tile, schedule, arguments, case, regimes) in KERNELS.items():
        compile(kernel, tile, schedule, folder / f"wave_{name}.co")
        kernarg = "".join(f"  - {{offset: {8 * i}, type: ptr, value: {a}}}\n" for i, a in enumerate(arguments))
        runs = "".join(f"  - {{M: {SIZES[M]}, N: {SIZES[N]}, K: {SIZES[K]}, regime: {r}}}\n" for r in regimes)
        (folder / f"wave_{name}.yaml").write_text(
            f"name: wave/{name}\ncode: wave_{name}.co\nkernel: {kernel.__name__}\n"
            f"grid: [M / {tile[0]}, N / {tile[1]}]\nblock: [{64 * WAVES}, {WAVES}]\nkernarg:\n{kernarg}{case}runs:\n{runs}")


main()
