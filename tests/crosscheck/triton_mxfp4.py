"""MXFP4 GEMM in Triton: C = A B^T in f32, both operands E2M1 with K contiguous.

usage: triton_mxfp4.py FOLDER

Compiles the kernel for gfx950, which needs no GPU, to FOLDER/triton_mxfp4.co, and writes the
case that runs it: triton_mxfp4.yaml with the LDS bytes that Triton requests."""
import pathlib
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

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


def main():
    folder = pathlib.Path(sys.argv[1])
    types = dict(c="*fp32", a="*u8", sa="*u8", b="*u8", sb="*u8", M="i32", N="i32", K="i32")
    tiles = dict(TILE_M=TILE_M, TILE_N=TILE_N, TILE_K=TILE_K)
    source = ASTSource(fn=triton_mxfp4, signature=types | {name: "constexpr" for name in tiles}, constexprs=tiles)
    kernel = triton.compile(source, target=GPUTarget("hip", "gfx950", 64), options=dict(num_warps=4))
    (folder / "triton_mxfp4.co").write_bytes(kernel.asm["hsaco"])
    case = pathlib.Path(__file__).with_suffix(".yaml").read_text()
    (folder / "triton_mxfp4.yaml").write_text(case.replace("LDS_BYTES", str(kernel.metadata.shared)))


main()
