#!/usr/bin/env python3
"""Kernels in Triton other than MXFP4 GEMM: f16 and FP8 GEMM, softmax, layer norm, attention, sort,
atomics.

usage: triton_kernels.py FOLDER [ARCH]

Compiles them for gfx950, or ARCH, and writes FOLDER/triton_NAME.co and FOLDER/triton_NAME.yaml, the
case that runs each; the files that sort and atomics expect, too."""
import numpy as np
import triton
import triton.language as tl
from triton.compiler import ASTSource

import triton_case


@triton.jit
def gemm(c, a, b, M, N, K, TILE: tl.constexpr, STEP: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    col = tl.program_id(1) * TILE + tl.arange(0, TILE)
    sum = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, STEP)):
        depth = k * STEP + tl.arange(0, STEP)
        x = tl.load(a + row[:, None] * K + depth[None, :], mask=(row < M)[:, None] & (depth < K)[None, :], other=0.0)
        y = tl.load(b + col[None, :] * K + depth[:, None], mask=(col < N)[None, :] & (depth < K)[:, None], other=0.0)
        sum = tl.dot(x, y, sum)
    tl.store(c + row[:, None] * N + col[None, :], sum.to(c.dtype.element_ty), mask=(row < M)[:, None] & (col < N)[None, :])


@triton.jit
def softmax(y, x, N, WIDTH: tl.constexpr):
    row, col = tl.program_id(0), tl.arange(0, WIDTH)
    v = tl.load(x + row * N + col, mask=col < N, other=-float("inf"))
    w = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * N + col, w / tl.sum(w, axis=0), mask=col < N)


@triton.jit
def layer_norm(y, x, weight, bias, N, WIDTH: tl.constexpr):
    row, col = tl.program_id(0), tl.arange(0, WIDTH)
    v = tl.load(x + row * N + col, mask=col < N, other=0.0)
    centred = tl.where(col < N, v - tl.sum(v, axis=0) / N, 0.0)
    r = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / N + 0.001)
    w, b = tl.load(weight + col, mask=col < N), tl.load(bias + col, mask=col < N)
    tl.store(y + row * N + col, centred * r * w + b, mask=col < N)


@triton.jit
def attention(o, lse, q, k, v, S, T, D: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr):
    row, depth = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, D)
    queries = tl.load(q + row[:, None] * D + depth[None, :], mask=(row < S)[:, None], other=0.0)
    most = tl.full((ROWS,), -float("inf"), dtype=tl.float32)
    sum = tl.zeros((ROWS,), dtype=tl.float32)
    out = tl.zeros((ROWS, D), dtype=tl.float32)
    for first in range(0, T, KEYS):
        key = first + tl.arange(0, KEYS)
        keys = tl.load(k + key[None, :] * D + depth[:, None], mask=(key < T)[None, :], other=0.0)
        scores = tl.where((key < T)[None, :], tl.dot(queries, keys) * 0.125, -float("inf"))
        now = tl.maximum(most, tl.max(scores, axis=1))
        weights, old = tl.exp(scores - now[:, None]), tl.exp(most - now)
        values = tl.load(v + key[:, None] * D + depth[None, :], mask=(key < T)[:, None], other=0.0)
        out = tl.dot(weights.to(values.dtype), values, out * old[:, None])
        sum = sum * old + tl.sum(weights, axis=1)
        most = now
    tl.store(o + row[:, None] * D + depth[None, :], (out / sum[:, None]).to(o.dtype.element_ty), mask=(row < S)[:, None])
    tl.store(lse + row, most + tl.log(sum), mask=row < S)


@triton.jit
def sort(y, x, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    tl.store(y + at, tl.sort(tl.load(x + at)))


@triton.jit
def atomics(count, x, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    tl.atomic_add(count + (tl.load(x + at) & 15), 1)


# Name: function, types of its arguments, constants, and the case.
GEMM = """grid: ["ceildiv(M, 64)", "ceildiv(N, 64)"]
buffers:
  - {name: A, role: none, type: IN, rows: M, cols: K}
  - {name: B, role: none, type: IN, rows: N, cols: K}
  - {name: C, role: none, type: OUT, rows: M, cols: N}
reference: {op: product, a: A, b: B, c: C}
verdict: {judge: bound}
runs:
  - {M: 64, N: 64, K: 128, regime: exact}
  - {M: 100, N: 70, K: 200, regime: general}
"""
ROWS = """grid: [S]
buffers:
  - {name: X, role: none, type: f32, rows: S, cols: N}
  - {name: Y, role: none, type: f32, rows: S, cols: N}
"""
ATTENTION = """grid: ["ceildiv(S, 32)"]
buffers:
  - {name: Q, role: none, type: f16, rows: S, cols: 64}
  - {name: KT, role: none, type: f16, rows: T, cols: 64}
  - {name: V, role: none, type: f16, rows: T, cols: 64}
  - {name: O, role: none, type: f16, rows: S, cols: 64}
  - {name: LSE, role: none, type: f32, rows: 1, cols: S}
reference: {op: attention, q: Q, k: KT, v: V, o: O, lse: LSE, p: f16}
verdict: {judge: bound}
runs:
  - {sizes: {S: 40, T: 100}, regime: general}
"""
KERNELS = {
    "gemm_f16": (gemm, dict(c="*fp16", a="*fp16", b="*fp16", M="i32", N="i32", K="i32"), dict(TILE=64, STEP=64),
                 GEMM.replace("IN", "f16").replace("OUT", "f16")),
    "gemm_fp8": (gemm, dict(c="*fp32", a="*fp8e4nv", b="*fp8e4nv", M="i32", N="i32", K="i32"), dict(TILE=64, STEP=128),
                 GEMM.replace("IN", "e4m3").replace("OUT", "f32")),
    "softmax": (softmax, dict(y="*fp32", x="*fp32", N="i32"), dict(WIDTH=256), ROWS + """reference: {op: softmax, x: X, y: Y}
verdict: {judge: bound}
runs:
  - {sizes: {S: 5, N: 200}, regime: general}
"""),
    "layer_norm": (layer_norm, dict(y="*fp32", x="*fp32", weight="*fp32", bias="*fp32", N="i32"), dict(WIDTH=256),
                   ROWS + """  - {name: WEIGHT, role: none, type: f32, rows: 1, cols: N}
  - {name: BIAS, role: none, type: f32, rows: 1, cols: N}
reference: {op: layer_norm, x: X, y: Y, weight: WEIGHT, bias: BIAS, eps: 0.001}
verdict: {judge: bound}
runs:
  - {sizes: {S: 5, N: 200}, regime: general}
"""),
    "attention": (attention, dict(o="*fp16", lse="*fp32", q="*fp16", k="*fp16", v="*fp16", S="i32", T="i32"),
                  dict(D=64, ROWS=32, KEYS=32), ATTENTION),
    "sort": (sort, dict(y="*i32", x="*i32"), dict(WIDTH=256), """grid: [4]
buffers:
  - {name: X, role: none, type: i32, rows: 4, cols: 256, data: triton_x.npy}
  - {name: Y, role: none, type: i32, rows: 4, cols: 256, data: poison, expect: triton_sorted.npy}
verdict: {judge: expect}
runs:
  - {sizes: {S: 4}, regime: general}
"""),
    "atomics": (atomics, dict(count="*i32", x="*i32"), dict(WIDTH=256), """grid: [4]
buffers:
  - {name: X, role: none, type: i32, rows: 4, cols: 256, data: triton_x.npy}
  - {name: COUNT, role: none, type: i32, rows: 1, cols: 16, data: zero, expect: triton_counts.npy}
verdict: {judge: expect}
runs:
  - {sizes: {S: 4}, regime: general}
"""),
}


def main():
    folder, arch = triton_case.folder_and_arch()
    x = np.random.default_rng(1).integers(-1000, 1000, (4, 256), dtype=np.int32)
    np.save(folder / "triton_x.npy", x)
    np.save(folder / "triton_sorted.npy", np.sort(x, axis=1))
    np.save(folder / "triton_counts.npy", np.bincount(x.ravel() & 15, minlength=16).astype(np.int32)[None])
    for name, (function, types, constants, case) in KERNELS.items():
        triton_case.write(folder, arch, f"triton_{name}", f"triton/{name}", function, types, constants, case, ASTSource)


main()
