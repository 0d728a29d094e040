#!/usr/bin/env python3
"""A kernel in FlyDSL: MXFP4 GEMM, a wave for each 16x16 of the product.

usage: flydsl_kernels.py FOLDER LLVM

Compiles it for gfx950, which needs no GPU, and writes FOLDER/flydsl_mxfp4.co and
FOLDER/flydsl_mxfp4.yaml, the case that runs it. LLVM is the folder of ld.lld."""
import sys

import flydsl_case

flydsl_case.prepare("gfx950", "a kernel in FlyDSL")

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr import arith, buffer_ops, range_constexpr, rocdl, vector
from flydsl.expr.typing import T

M, N, K = 64, 48, 640


def buffer(address, bytes):
    return buffer_ops.create_buffer_resource_from_addr(address, num_records_bytes=bytes)


def operand(codes, scales, line, part, step):
    """A lane's 32 codes of a row, and their scale."""
    x = buffer_ops.buffer_load(codes, line * (K // 8) + step * 16 + part * 4, vec_width=4, dtype=T.i32)
    scale = buffer_ops.buffer_load(scales, line * (K // 32) + step * 4 + part, vec_width=1, dtype=T.i8)
    return x, arith.extui(T.i32, scale)


@flyc.kernel
def mxfp4(A: fx.Int64, SA: fx.Int64, B: fx.Int64, SB: fx.Int64, C: fx.Int64):
    lane = fx.thread_idx.x
    part = lane // 16
    row = fx.block_idx.y * 16 + lane % 16
    column = fx.block_idx.x * 16 + lane % 16
    a, sa = buffer(A, M * K // 2), buffer(SA, M * K // 32)
    b, sb = buffer(B, N * K // 2), buffer(SB, N * K // 32)
    c = buffer(C, M * N * 4)
    sum = arith.constant_vector(0.0, T.f32x4)
    for step in range_constexpr(K // 128):
        x, s = operand(a, sa, row, part, step)
        y, t = operand(b, sb, column, part, step)
        sum = rocdl.mfma_scale_f32_16x16x128_f8f6f4(T.f32x4, [x, y, sum, 4, 4, 0, s, 0, t])
    for i in range_constexpr(4):
        value = vector.extract(sum, static_position=[i], dynamic_position=[])
        buffer_ops.buffer_store(value, c, (fx.block_idx.y * 16 + part * 4 + i) * N + column)


@flyc.jit
def launch(A: fx.Int64, SA: fx.Int64, B: fx.Int64, SB: fx.Int64, C: fx.Int64, stream: fx.Stream = fx.Stream(None)):
    mxfp4(A, SA, B, SB, C).launch(grid=(N // 16, M // 16, 1), block=(64, 1, 1), stream=stream)


CASE = f"""name: flydsl/mxfp4
code: flydsl_mxfp4.co
kernel: KERNEL
grid: [N / 16, M / 16]
block: [64]
kernarg:
  - {{offset: 0,  type: ptr, value: A}}
  - {{offset: 8,  type: ptr, value: SA}}
  - {{offset: 16, type: ptr, value: B}}
  - {{offset: 24, type: ptr, value: SB}}
  - {{offset: 32, type: ptr, value: C}}
buffers:
  - {{name: A,  role: a,       type: e2m1, rows: M, cols: K}}
  - {{name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32}}
  - {{name: B,  role: b,       type: e2m1, rows: N, cols: K}}
  - {{name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32}}
  - {{name: C,  role: c,       type: f32,  rows: M, cols: N}}
verdict: {{judge: bits, profile: block32, mma_k: 128}}
runs:
  - {{M: {M}, N: {N}, K: {K}, regime: exact}}
  - {{M: {M}, N: {N}, K: {K}, regime: general}}
  - {{M: {M}, N: {N}, K: {K}, regime: special}}
"""


flydsl_case.write(sys.argv[1], sys.argv[2], "flydsl_mxfp4", lambda: launch(*[fx.Int64(0)] * 5), CASE)
