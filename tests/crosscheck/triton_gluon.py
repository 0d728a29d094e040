#!/usr/bin/env python3
"""MXFP8 GEMM in Gluon, Triton's language of tiles, for gfx1250: C = A B^T in f32. The tensor data
mover copies operands and scales to LDS, STAGES tiles of K ahead.

usage: triton_gluon.py FOLDER

Writes FOLDER/triton_gluon.co and FOLDER/triton_gluon.yaml, the case that runs it."""
from triton.experimental import gluon
from triton.experimental.gluon import GluonASTSource
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna5
from triton.experimental.gluon.language.amd.cdna5 import tdm

import triton_case

TILE_M, TILE_N, TILE_K = 64, 64, 128


@gluon.jit
def copy(operands, rings, rows, step, STAGES: gl.constexpr):
    """Begins the copies of a step of K: operands and their scales."""
    for i in gl.static_range(4):
        tdm.async_load(operands[i], [rows[i % 2], step * operands[i].block_shape[1]], rings[i].index(step % STAGES))


@gluon.jit
def triton_gluon(c, a, sa, b, sb, M, N, K, TILE_M: gl.constexpr, TILE_N: gl.constexpr, TILE_K: gl.constexpr,
                 STAGES: gl.constexpr):
    BLOCKS: gl.constexpr = TILE_K // 32
    wmma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 128])
    of_a: gl.constexpr = gl.DotOperandLayout(0, wmma, 16)
    of_b: gl.constexpr = gl.DotOperandLayout(1, wmma, 16)
    tile_a: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[TILE_K, 16]], [TILE_M, TILE_K], [1, 0])
    tile_b: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[TILE_K, 16]], [TILE_N, TILE_K], [1, 0])
    plain: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    operands = (tdm.make_tensor_descriptor(a, [M, K], [K, 1], [TILE_M, TILE_K], tile_a),
                tdm.make_tensor_descriptor(b, [N, K], [K, 1], [TILE_N, TILE_K], tile_b),
                tdm.make_tensor_descriptor(sa, [M, K // 32], [K // 32, 1], [TILE_M, BLOCKS], plain),
                tdm.make_tensor_descriptor(sb, [N, K // 32], [K // 32, 1], [TILE_N, BLOCKS], plain))
    rings = (gl.allocate_shared_memory(a.dtype.element_ty, [STAGES, TILE_M, TILE_K], tile_a),
             gl.allocate_shared_memory(b.dtype.element_ty, [STAGES, TILE_N, TILE_K], tile_b),
             gl.allocate_shared_memory(sa.dtype.element_ty, [STAGES, TILE_M, BLOCKS], plain),
             gl.allocate_shared_memory(sb.dtype.element_ty, [STAGES, TILE_N, BLOCKS], plain))
    rows = (gl.program_id(1) * TILE_M, gl.program_id(0) * TILE_N)
    for step in gl.static_range(STAGES - 1):
        copy(operands, rings, rows, step, STAGES)
    sum = gl.zeros((TILE_M, TILE_N), dtype=gl.float32, layout=wmma)
    for step in range(0, gl.cdiv(K, TILE_K)):
        copy(operands, rings, rows, step + STAGES - 1, STAGES)
        tdm.async_wait(4 * (STAGES - 1))
        slot = step % STAGES
        x = rings[0].index(slot).load(of_a)
        y = rings[1].index(slot).permute([1, 0]).load(of_b)
        s = rings[2].index(slot).load(cdna5.get_wmma_scale_layout(of_a, [TILE_M, BLOCKS]))
        t = rings[3].index(slot).load(cdna5.get_wmma_scale_layout(of_b, [TILE_N, BLOCKS]))
        sum = cdna5.wmma_scaled(x, s, "e4m3", y, t, "e4m3", sum)
    row = rows[0] + gl.arange(0, TILE_M, gl.SliceLayout(1, wmma))
    column = rows[1] + gl.arange(0, TILE_N, gl.SliceLayout(0, wmma))
    gl.store(c + row[:, None] * N + column[None, :], sum, mask=(row < M)[:, None] & (column < N)[None, :])


CASE = """grid: ["ceildiv(N, 64)", "ceildiv(M, 64)"]
buffers:
  - {name: A,  role: a,       type: e4m3, rows: M, cols: K}
  - {name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32}
  - {name: B,  role: b,       type: e4m3, rows: N, cols: K}
  - {name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32}
  - {name: C,  role: c,       type: f32,  rows: M, cols: N}
verdict: {judge: bits, profile: block32, mma_k: 128}
runs:
  - {M: 64,  N: 64,  K: 256,  regime: exact, tags: [race]}
  - {M: 100, N: 70,  K: 416,  regime: exact}
  - {M: 128, N: 192, K: 1024, regime: general}
  - {M: 33,  N: 65,  K: 288,  regime: general}
  - {M: 65,  N: 33,  K: 736,  regime: special}
"""


def main():
    folder, _ = triton_case.folder_and_arch()
    types = dict(c="*fp32", a="*fp8e4nv", sa="*u8", b="*fp8e4nv", sb="*u8", M="i32", N="i32", K="i32")
    constants = dict(TILE_M=TILE_M, TILE_N=TILE_N, TILE_K=TILE_K, STAGES=3)
    triton_case.write(folder, "gfx1250", "triton_gluon", "crosscheck/triton_gluon", triton_gluon, types, constants,
                      CASE, GluonASTSource)


main()
