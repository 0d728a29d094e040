#!/usr/bin/env python3
"""FlyDSL's own GEMM for gfx1250, from a checkout: FP8, FP4 and FP8 by FP4, with the shapes, tiles and
options of FlyDSL's tests, 2 to 4 tiles in LDS, and its padding of ragged M, N and K.

usage: flydsl_gemm.py BUILD LLVM CHECKOUT ("" where there is none) [OPTION of `mxcheck run` ...]

Compiles each variant into BUILD/flydsl, and runs it on the emulator: its bits must be right and its
order proved, but that of splits of K, which is free. Two kinds must fail, and be proved when corrected:
- with asynchronous loads in expert scheduling mode, for which FlyDSL's LLVM leaves out s_wait_alu [LLVM pull
  request 203292], against the same without this mode;
- with clusters: see `later`.
LLVM is the folder of ld.lld. CHECKOUT is of a commit at which `compile_mxscale_gemm` takes
`scale_load_path="buffer_lds_stage"`, as for FlyDSL 0.2. Its splits of K do not compile with 0.2.2 and later,
and are skipped."""
import pathlib
import subprocess
import sys

from harness import done, needs, ok, skip

BUILD, LLVM, CHECKOUT, *OPTIONS = sys.argv[1:]
WHAT = "FlyDSL's GEMM for gfx1250"
if not CHECKOUT:
    skip(WHAT, "no checkout is given: MXCHECK_FLYDSL")
    sys.exit(done())
needs("torch", WHAT)

import flydsl_case

flydsl_case.prepare("gfx1250", WHAT)
sys.path.insert(0, CHECKOUT)

import torch
from flydsl.expr import rocdl, tdm_ops
from flydsl.expr.rocdl import cluster
from kernels import gemm_fp8fp4_gfx1250 as gemm

FOLDER = pathlib.Path(BUILD, "flydsl")
E4M3, E2M1 = ("e4m3", 1), ("e2m1", 2)  # and elements of a byte
FORMATS = {"fp8": (E4M3, E4M3), "fp4": (E2M1, E2M1), "a8w4": (E4M3, E2M1)}
SMALL = (13, 33)
STREAM = dict(b_streaming=True)
SPECIAL = dict(wave_specialized_tdm=True)

# name, format, (M, ...), N, K, tile, waves along M and N, tiles in LDS, options
VARIANTS = [
    variant for n in (2, 3, 4) for variant in (
        (f"fp4_{n}", "fp4", (128, *SMALL), 512, 7168, (128, 128, 256), (2, 2), n, {}),
        (f"fp8_{n}", "fp8", (128, *SMALL), 512, 7168, (128, 256, 128), (2, 4), n, {}),
        (f"a8w4_{n}", "a8w4", (128, *SMALL), 512, 7168, (128, 128, 256), (2, 2), n, {}))
] + [
    ("a8w4_wide", "a8w4", (128,), 5760, 2880, (128, 256, 256), (2, 2), 2, {}),
    ("a8w4_f32", "a8w4", (128,), 5760, 2880, (128, 256, 256), (2, 2), 3,
     dict(out_dtype="f32", use_tdm_store=False, use_scale_opsel=True)),
    ("a8w4_13", "a8w4", (13,), 2880, 2880, (16, 256, 256), (1, 4), 2, {}),
    ("a8w4_33", "a8w4", (33,), 5760, 2880, (16, 256, 256), (1, 4), 2, dict(use_tdm_store=False)),
    ("fp8_opsel", "fp8", (128,), 256, 384, (128, 256, 128), (2, 2), 3, dict(SPECIAL, use_scale_opsel=True)),
    ("fp4_stream", "fp4", (128,), 512, 7168, (128, 128, 256), (2, 2), 2, STREAM),
    ("fp8_stream", "fp8", (128,), 256, 256, (128, 256, 128), (2, 4), 2, STREAM),
    ("a8w4_stream", "a8w4", (128,), 256, 256, (128, 256, 128), (2, 4), 2, STREAM),
] + [(f"{f}_special", f, (128,), 256, 512, (128, 256, 128), (2, 2), 2, dict(STREAM, **SPECIAL)) for f in FORMATS]

# Scales by asynchronous loads, the tiles of A and B whole or in halves.
STAGES = [
    (f"fp8_{path}_{n}", "fp8", (128, *SMALL), 256, 1024, (128, 256, 128), (2, 2), n,
     dict(SPECIAL, scale_load_path=f"buffer_lds_{path}")) for path in ("stage", "stage_ab_split") for n in (2, 3, 4)
]
SPLITS = [
    (f"fp8_split_{n}_{c}", "fp8", (128,), 256, 2048, (128, 256, 128), (2, 4), 2,
     dict(split_k=n, use_tdm_store=False, out_dtype=c)) for n, c in ((2, "bf16"), (2, "f32"), (4, "f32"))
]
CLUSTERS = [
    (f"{f}_cluster", f, (256,), 512, 256, (128, 256, 128), (2, 2), 2, dict(STREAM, cluster_m=2, cluster_n=2))
    for f in ("fp8", "fp4")
] + [
    ("fp4_cluster_1x2", "fp4", (128,), 256, 256, (128, 128, 128), (2, 2), 2,
     dict(cluster_n=2, use_tdm_store=False, out_dtype="f32")),
    ("fp4_cluster_4x4", "fp4", (512,), 512, 256, (128, 128, 128), (2, 2), 2, dict(cluster_m=4, cluster_n=4)),
]


class later:
    """FlyDSL's fence signals the barrier of the cluster before it waits for that of the workgroup. So the
    former may complete twice before another wave waits for it, which then waits once more than it
    completes. Here it signals after that wait."""
    names = ("pipeline_fence_signal", "pipeline_fence_wait")

    def __enter__(self):
        self.kept = [getattr(gemm, name) for name in self.names]
        for name in self.names:
            setattr(gemm, name, getattr(self, name))
        gemm.compile_mxscale_gemm.cache_clear()

    def __exit__(self, *_):
        for name, kept in zip(self.names, self.kept):
            setattr(gemm, name, kept)

    @staticmethod
    def pipeline_fence_signal(outstanding=0, use_cluster=True):
        tdm_ops.tensor_wait(outstanding)
        rocdl.s_barrier_signal(-1)
        rocdl.s_barrier_wait(-1)
        cluster.cluster_signal_once_per_wg()

    @staticmethod
    def pipeline_fence_wait(use_cluster=True):
        cluster.cluster_wait()


def up(n, step):
    return (n + step - 1) // step * step


def case(name, format, sizes, N, K, tile, waves, options):
    (a, per_a), (b, per_b) = FORMATS[format]
    (m, n, k), (along_m, along_n) = tile, waves
    c, splits = options.get("out_dtype", "bf16"), options.get("split_k", 1)
    judge, data = (f"set, splits: {splits}, k_split: K / {splits}", ", data: zero") if splits > 1 else ("bits", "")
    runs = "".join(f"  - {{M: {M}, N: {N}, K: {K}, regime: {r}}}\n" for M in sizes for r in ("exact", "general", "special"))
    return f"""name: flydsl/{name}
code: {name}.co
kernel: KERNEL
grid: ["ceildiv(M, {m})", "ceildiv(N, {n})", {splits}]
block: [{32 * along_m * along_n}]
buffers: # the host pads them, and C
  - {{name: A,  role: a,       type: {a}, rows: M, cols: K, layout: row_major, pad_rows: {m}, pad_cols: {k // per_a}, fill: 0}}
  - {{name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32, layout: flydsl_{m // along_m}, pad_rows: {m}, pad_cols: {k // 32}, fill: 127}}
  - {{name: B,  role: b,       type: {b}, rows: N, cols: K, layout: preshuffle_16x16, pad_rows: {n}, pad_cols: {k // per_b}, fill: 0}}
  - {{name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32, layout: flydsl_{n // along_n}, pad_rows: {n}, pad_cols: {k // 32}, fill: 127}}
  - {{name: C,  role: c,       type: {c}, rows: M, cols: N, layout: row_major, pad_rows: {m}, pad_cols: {n * (4 if c == "f32" else 2)}{data}}}
kernarg:
  - {{offset: 0,   type: ptr, value: C}}
  - {{offset: 24,  type: ptr, value: A}}
  - {{offset: 48,  type: ptr, value: B}}
  - {{offset: 72,  type: ptr, value: SA}}
  - {{offset: 96,  type: ptr, value: SB}}
  - {{offset: 120, type: u32, value: "ceildiv(M, {m}) * {m}"}}
  - {{offset: 124, type: u32, value: "ceildiv(N, {n}) * {n}"}}
verdict: {{judge: {judge}, profile: block32, mma_k: 128, swapped: true, k_tile: {k}}}
runs:
{runs}"""


def write(name, format, sizes, N, K, tile, waves, tiles, options):
    m, n, k = tile
    options = dict(dict(out_dtype="bf16", l2_prefetch_distance=2), **options)
    launch = gemm.compile_mxscale_gemm(data_format=format, N=up(N, n), K=up(K, k), tile_m=m, tile_n=n, tile_k=k,
                                       m_warp=waves[0], n_warp=waves[1], num_buffers=tiles, **options)
    tensor = torch.zeros(1, 1, dtype=torch.uint8)  # its two sizes, and the stride, are arguments that are not read
    flydsl_case.write(FOLDER, LLVM, name, lambda: launch(*[tensor] * 5, up(sizes[0], m), up(N, n), None),
                      case(name, format, sizes, N, K, tile, waves, options))


def runs(name, *required):
    """Of `mxcheck run`, whether each run passes, and what it prints."""
    command = [f"{BUILD}/mxcheck", "run", "--device", "emu:gfx1250", *required, *OPTIONS, "--case", FOLDER / f"{name}.yaml"]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.returncode == 0, "# ".join((run.stdout + run.stderr).splitlines(keepends=True))


def is_right(variant, what):
    write(*variant)
    good, text = runs(variant[0], "--require-proof")
    ok(good, f"{what}: its bits are right and its order is proved", text)


def fails(variant, why, finding):
    write(*variant)
    good, text = runs(variant[0], "--require-proof")
    ok(not good and "wrong-bits" not in text and any(f in text for f in finding), f"FlyDSL {variant[0]}: {why}", text)


FOLDER.mkdir(exist_ok=True)
for variant in VARIANTS:
    is_right(variant, f"FlyDSL {variant[0]}")
for variant in STAGES:
    fails(variant, "lacks waits for the registers of asynchronous loads", ["no s_wait_alu"])
    is_right((*variant[:-1], dict(variant[-1], expert_sched_mode=False)), "  without expert scheduling mode")
for variant in SPLITS:
    what = f"FlyDSL {variant[0]}: its bits are of some order of its splits"
    try:
        write(*variant)
    except Exception as e:
        skip(what, str(e).splitlines()[0])
        continue
    good, text = runs(variant[0], "--race", "20")
    ok(good, what, text)
for variant in CLUSTERS:
    fails(variant, "signals the barrier of its cluster too early",
          ["no wave can make progress", "signals the barrier of a cluster"])
    with later():
        is_right(variant, "  later")
sys.exit(done())
