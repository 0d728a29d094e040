#!/usr/bin/env python3
"""A kernel in FlyDSL for gfx1250: MXFP8 and MXFP4 GEMM and FP8 by FP4, a wave for each 16x16 of the
product. Operands and scales come through buffer descriptors, or by tensor copies through several
tiles in LDS.

usage: flydsl_wmma.py FOLDER LLVM FORMAT TILES

Compiles it, and writes FOLDER/flydsl_FORMAT_TILES.co and the case that runs it, .yaml. LLVM is the
folder of ld.lld, FORMAT one of fp8, fp4 and a8w4, TILES of each operand in LDS 2 to 4, or 0."""
import sys

import flydsl_case

flydsl_case.prepare("gfx1250", "a kernel in FlyDSL for gfx1250")

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import memref
from flydsl.compiler.kernel_function import CompilationContext
from flydsl.expr import arith, buffer_ops, const_expr, range_constexpr, rocdl, tdm_ops, vector
from flydsl.expr.typing import T
from flydsl.utils.smem_allocator import SmemAllocator, SmemPtr

FOLDER, LLVM, FORMAT, TILES = sys.argv[1:]
NAME, TILES = f"flydsl_{FORMAT}_{TILES}", int(TILES)
M, N, K, STEP, LINES, BLOCK, PAD = 64, 48, 640, 128, 16, 32, 16
STEPS = K // STEP
E4M3, E2M1 = ("e4m3", 0, 8), ("e2m1", 4, 4)  # in cases, in the instruction, bits
(NAME_A, FORMAT_A, BITS_A), (NAME_B, FORMAT_B, BITS_B) = {
    "fp8": (E4M3, E4M3), "fp4": (E2M1, E2M1), "a8w4": (E4M3, E2M1)}[FORMAT]


def constants(values):
    return vector.from_elements(T.vec(len(values), T.i32), [arith.constant(v, type=T.i32) for v in values])


def elements(x):
    return [vector.extract(x, static_position=[j], dynamic_position=[]) for j in range(4)]


# ---- operands by buffer loads ----

class Buffer:
    def __init__(self, codes, scales, lines, first, bits):
        self.codes = buffer_ops.create_buffer_resource_from_addr(codes, num_records_bytes=lines * K * bits // 8)
        self.scales = buffer_ops.create_buffer_resource_from_addr(scales, num_records_bytes=lines * K // BLOCK)
        self.bits, self.line = bits, first + fx.thread_idx.x % LINES

    def load(self, step):
        pass

    def operand(self, step):
        """A lane's codes of a line, every other 16 bytes of a step, and its four scales."""
        words = []
        for i in range(self.bits // 2):
            at = self.line * (K * self.bits // 32) + step * (STEP * self.bits // 32)
            at = at + (2 * i + fx.thread_idx.x // LINES) * 4
            words += elements(buffer_ops.buffer_load(self.codes, at, vec_width=4, dtype=T.i32))
        scale = buffer_ops.buffer_load(self.scales, self.line * STEPS + step, vec_width=1, dtype=T.i32)
        return vector.from_elements(T.vec(len(words), T.i32), words), scale


# ---- operands by tensor copies ----

lds = SmemAllocator(None, arch="gfx1250", global_sym_name="tiles")


class Tile:
    """Bytes of LINES lines in LDS, `pad` apart, for each of TILES steps."""

    def __init__(self, address, first, pitch, bytes, pad):
        self.address = address + fx.Int64(first * pitch)
        self.pitch, self.bytes, self.pad, self.at = pitch, bytes, pad, lds.ptr
        lds.ptr += TILES * LINES * (bytes + pad)

    def place(self, step):
        return self.at + step % TILES * LINES * (self.bytes + self.pad)

    def load(self, step):
        base = memref.extract_aligned_pointer_as_index(lds.get_base())
        to = fx.Int32(arith.index_cast(T.i32, base)) + self.place(step)
        at = self.address + fx.Int64(step * self.bytes)
        valid, tensor = fx.Int32(1), -(1 << 31)
        group = [valid, to, fx.Int32(at), fx.Int32(at >> 32) | tensor]
        padding = 0
        if const_expr(self.pad):
            interval, amount = tdm_ops.compute_padding_encoding(self.bytes, self.pad, 8)
            padding = 1 << 20 | interval << 22 | amount << 25
        tdm_ops.tensor_load_2d(tdm_ops.TDMDescriptor2D(
            dgroup0=vector.from_elements(T.vec(4, T.i32), [v.ir_value() for v in group]),
            dgroup1=constants([padding, self.bytes << 16, LINES << 16, self.bytes << 16, LINES, self.pitch, 0, 0])))

    def words(self, step, at, n):
        """n dwords of this lane's line."""
        view = SmemPtr(lds.get_base(), 0, T.i32, shape=(lds.ptr // 4,)).get()
        line = fx.thread_idx.x % LINES * ((self.bytes + self.pad) // 4)
        return vector.load_op(T.vec(n, T.i32), view, [arith.index_cast(T.index, line + at + self.place(step) // 4)])


class Tiles:
    def __init__(self, codes, scales, lines, first, bits):
        self.bits = bits
        self.codes = Tile(codes, first, K * bits // 8, STEP * bits // 8, PAD)
        self.scales = Tile(scales, first, K // BLOCK, STEP // BLOCK, 0)

    def load(self, step):
        self.codes.load(step)
        self.scales.load(step)

    def operand(self, step):
        words = []
        for i in range(self.bits // 2):
            words += elements(self.codes.words(step, (2 * i + fx.thread_idx.x // LINES) * 4, 4))
        [scale] = [vector.extract(self.scales.words(step, fx.Int32(0), 1), static_position=[0], dynamic_position=[])]
        return vector.from_elements(T.vec(len(words), T.i32), words), scale


# ---- the kernel ----

@flyc.kernel
def gemm(A: fx.Int64, SA: fx.Int64, B: fx.Int64, SB: fx.Int64, C: fx.Int64):
    row, column = fx.block_idx.y * LINES, fx.block_idx.x * LINES
    kind = Tiles if TILES else Buffer
    a, b = kind(A, SA, M, row, BITS_A), kind(B, SB, N, column, BITS_B)
    c = buffer_ops.create_buffer_resource_from_addr(C, num_records_bytes=M * N * 4)
    sum = arith.constant_vector(0.0, T.vec(8, T.f32))
    ahead = max(TILES - 1, 0)
    for step in range_constexpr(ahead):
        a.load(step)
        b.load(step)
    for step in range_constexpr(STEPS):
        if const_expr(TILES):
            rocdl.s_wait_dscnt(0)  # the tile that comes next is not read any more
            if const_expr(step + ahead < STEPS):
                a.load(step + ahead)
                b.load(step + ahead)
            tdm_ops.tensor_wait(4 * min(ahead, STEPS - 1 - step))
        x, s = a.operand(step)
        y, t = b.operand(step)
        sum = rocdl.wmma_scale_f32_16x16x128_f8f6f4(T.vec(8, T.f32), x, y, sum, s, t, fmtA=FORMAT_A, fmtB=FORMAT_B)
    for i in range_constexpr(8):
        value = vector.extract(sum, static_position=[i], dynamic_position=[])
        line = row + fx.thread_idx.x // LINES * 8 + i
        buffer_ops.buffer_store(value, c, line * N + column + fx.thread_idx.x % LINES)


@flyc.jit
def launch(A: fx.Int64, SA: fx.Int64, B: fx.Int64, SB: fx.Int64, C: fx.Int64, stream: fx.Stream = fx.Stream(None)):
    gemm(A, SA, B, SB, C).launch(grid=(N // LINES, M // LINES, 1), block=(32, 1, 1), stream=stream)
    with ir.InsertionPoint(CompilationContext.get_current().gpu_module_body):
        lds.finalize()


CASE = f"""name: flydsl/{FORMAT}_{TILES}
code: {NAME}.co
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

flydsl_case.write(FOLDER, LLVM, NAME, lambda: launch(*[fx.Int64(0)] * 5), CASE)
