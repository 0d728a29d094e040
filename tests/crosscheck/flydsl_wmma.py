#!/usr/bin/env python3
"""A kernel in FlyDSL for gfx1250: MXFP8 and MXFP4 GEMM and FP8 by FP4, a wave for each 16x16 of the
product. Operands and scales come through buffer descriptors.

usage: flydsl_wmma.py FOLDER LLVM FORMAT

Compiles it, and writes FOLDER/flydsl_FORMAT.co and FOLDER/flydsl_FORMAT.yaml, the case that runs it.
LLVM is the folder of ld.lld, FORMAT one of fp8, fp4 and a8w4."""
import sys

import flydsl_case

flydsl_case.prepare("gfx1250", "a kernel in FlyDSL for gfx1250")

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr import arith, buffer_ops, range_constexpr, rocdl, vector
from flydsl.expr.typing import T

M, N, K, STEP = 64, 48, 640, 128
E4M3, E2M1 = ("e4m3", 0, 8), ("e2m1", 4, 4)  # in cases, in the instruction, bits
(NAME_A, FORMAT_A, BITS_A), (NAME_B, FORMAT_B, BITS_B) = {
    "fp8": (E4M3, E4M3), "fp4": (E2M1, E2M1), "a8w4": (E4M3, E2M1)}[sys.argv[3]]


def buffer(address, bytes):
    return buffer_ops.create_buffer_resource_from_addr(address, num_records_bytes=bytes)


def operand(codes, scales, line, half, step, bits):
    """A lane's codes of a row, every other 16 bytes of a step, and its four scales."""
    words = []
    for i in range_constexpr(bits // 2):
        at = line * (K * bits // 32) + step * (STEP * bits // 32) + (2 * i + half) * 4
        chunk = buffer_ops.buffer_load(codes, at, vec_width=4, dtype=T.i32)
        words += [vector.extract(chunk, static_position=[j], dynamic_position=[]) for j in range(4)]
    scale = buffer_ops.buffer_load(scales, line * (K // STEP) + step, vec_width=1, dtype=T.i32)
    return vector.from_elements(T.vec(len(words), T.i32), words), scale


@flyc.kernel
def gemm(A: fx.Int64, SA: fx.Int64, B: fx.Int64, SB: fx.Int64, C: fx.Int64):
    lane = fx.thread_idx.x
    half = lane // 16
    row = fx.block_idx.y * 16 + lane % 16
    column = fx.block_idx.x * 16 + lane % 16
    a, sa = buffer(A, M * K * BITS_A // 8), buffer(SA, M * K // 32)
    b, sb = buffer(B, N * K * BITS_B // 8), buffer(SB, N * K // 32)
    c = buffer(C, M * N * 4)
    sum = arith.constant_vector(0.0, T.vec(8, T.f32))
    for step in range_constexpr(K // STEP):
        x, s = operand(a, sa, row, half, step, BITS_A)
        y, t = operand(b, sb, column, half, step, BITS_B)
        sum = rocdl.wmma_scale_f32_16x16x128_f8f6f4(T.vec(8, T.f32), x, y, sum, s, t, fmtA=FORMAT_A, fmtB=FORMAT_B)
    for i in range_constexpr(8):
        value = vector.extract(sum, static_position=[i], dynamic_position=[])
        buffer_ops.buffer_store(value, c, (fx.block_idx.y * 16 + half * 8 + i) * N + column)


@flyc.jit
def launch(A: fx.Int64, SA: fx.Int64, B: fx.Int64, SB: fx.Int64, C: fx.Int64, stream: fx.Stream = fx.Stream(None)):
    gemm(A, SA, B, SB, C).launch(grid=(N // 16, M // 16, 1), block=(32, 1, 1), stream=stream)


CASE = f"""name: flydsl/{sys.argv[3]}
code: flydsl_{sys.argv[3]}.co
kernel: KERNEL
grid: [N / 16, M / 16]
block: [32]
kernarg:
  - {{offset: 0,  type: ptr, value: A}}
  - {{offset: 8,  type: ptr, value: SA}}
  - {{offset: 16, type: ptr, value: B}}
  - {{offset: 24, type: ptr, value: SB}}
  - {{offset: 32, type: ptr, value: C}}
buffers:
  - {{name: A,  role: a,       type: {NAME_A}, rows: M, cols: K}}
  - {{name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32}}
  - {{name: B,  role: b,       type: {NAME_B}, rows: N, cols: K}}
  - {{name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32}}
  - {{name: C,  role: c,       type: f32,  rows: M, cols: N}}
verdict: {{judge: bits, profile: block32, mma_k: 128}}
runs:
  - {{M: {M}, N: {N}, K: {K}, regime: exact}}
  - {{M: {M}, N: {N}, K: {K}, regime: general}}
  - {{M: {M}, N: {N}, K: {K}, regime: special}}
"""

flydsl_case.write(sys.argv[1], sys.argv[2], "flydsl_" + sys.argv[3], lambda: launch(*[fx.Int64(0)] * 5), CASE)
