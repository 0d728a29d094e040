"""MXFP4 GEMM in Triton: C = A B^T in f32, both operands E2M1 with K contiguous.

usage: triton_mxfp4.py FOLDER [ARCH]

Compiles it for gfx950, or ARCH, and writes FOLDER/triton_mxfp4.co and FOLDER/triton_mxfp4.yaml, the
case that runs it."""
import triton
import triton.language as tl
from triton.compiler import ASTSource

import triton_case

TILE_M, TILE_N, TILE_K, BLOCK = 64, 64, 256, 32


@triton.jit
def triton_mxfp4(c, a, sa, b, sb, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    tiles_n = tl.cdiv(N, TILE_N)
    row = tl.program_id(0) // tiles_n * TILE_M + tl.arange(0, TILE_M)
    col = tl.program_id(0) % tiles_n * TILE_N + tl.arange(0, TILE_N)
    sum = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, TILE_K)):
        byte = k * (TILE_K // 2) + tl.arange(0, TILE_K // 2)
        block = k * (TILE_K // 32) + tl.arange(0, TILE_K // 32)
        codes_a = tl.load(a + row[:, None] * (K // 2) + byte[None, :],
                          mask=(row < M)[:, None] & (byte < K // 2)[None, :], other=0)
        codes_b = tl.load(b + col[None, :] * (K // 2) + byte[:, None],
                          mask=(col < N)[None, :] & (byte < K // 2)[:, None], other=0)
        scales_a = tl.load(sa + row[:, None] * (K // 32) + block[None, :],
                           mask=(row < M)[:, None] & (block < K // 32)[None, :], other=127)
        scales_b = tl.load(sb + col[:, None] * (K // 32) + block[None, :],
                           mask=(col < N)[:, None] & (block < K // 32)[None, :], other=127)
        sum = tl.dot_scaled(codes_a, scales_a, "e2m1", codes_b, scales_b, "e2m1", sum)
    tl.store(c + row[:, None] * N + col[None, :], sum, mask=(row < M)[:, None] & (col < N)[None, :])


CASE = """grid: ["ceildiv(M, 64) * ceildiv(N, 64)"]
buffers:
  - {name: A,  role: a,       type: e2m1, rows: M, cols: K}
  - {name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32}
  - {name: B,  role: b,       type: e2m1, rows: N, cols: K}
  - {name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32}
  - {name: C,  role: c,       type: f32,  rows: M, cols: N}
verdict: {judge: bits, profile: block32, mma_k: MMA_K}
runs:
  - {M: 64,  N: 64,  K: 256, regime: exact}
  - {M: 100, N: 70,  K: 416, regime: exact}
  - {M: 128, N: 192, K: 512, regime: general}
  - {M: 33,  N: 65,  K: 288, regime: general}
  - {M: 65,  N: 33,  K: 736, regime: special}
"""
MMA_K = {"gfx950": "64", "gfx1250": "128"}  # of the instruction that Triton takes


def main():
    folder, arch = triton_case.folder_and_arch()
    types = dict(c="*fp32", a="*u8", sa="*u8", b="*u8", sb="*u8", M="i32", N="i32", K="i32")
    tiles = dict(TILE_M=TILE_M, TILE_N=TILE_N, TILE_K=TILE_K)
    triton_case.write(folder, arch, "triton_mxfp4", "crosscheck/triton_mxfp4", triton_mxfp4, types, tiles,
                      CASE.replace("MMA_K", MMA_K[arch]), ASTSource)


main()
