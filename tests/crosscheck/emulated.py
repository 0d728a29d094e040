#!/usr/bin/env python3
"""Crosscheck of Quark's recipes against its Triton kernel, compiled for gfx950, which needs no GPU,
and launched through the emulator's HIP runtime.

    make crosscheck      (emulated.py BUILD; prints TAP)
"""
import ctypes
import sys
import tempfile

import numpy as np

import blocks
import packages
from harness import Mxcheck, done, ok, skip

ROWS, MODES = 32, ("up", "down", "even")
TO_DEVICE, TO_HOST = 1, 2


def compiled(mode):
    import triton
    from quark.torch.kernel.mx import triton as quark
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    constants = dict(stride_mxt_quant=1, BLOCK_SIZE_OUT_DIM=ROWS, BLOCK_SIZE_QUANT_DIM=blocks.BLOCK,
                     DEQUANT_SCALE_ROUNDING_MODE=mode)
    names = quark._downcast_to_mxfp.arg_names
    pointers = dict(mx_tensor_ptr="*u8", mx_scale_ptr="*u8", src_ptr="*bf16")
    types = {n: pointers.get(n, "constexpr" if n in constants else "i32") for n in names}
    source = ASTSource(fn=quark._downcast_to_mxfp, signature=types, constexprs=constants)
    return triton.compile(source, target=GPUTarget("hip", "gfx950", 64), options=dict(num_warps=4))


class Device:
    def __init__(self, library):
        self.hip = ctypes.CDLL(library)

    def call(self, name, *arguments):
        status = getattr(self.hip, name)(*arguments)
        assert status == 0, f"{name}: {status}"

    def put(self, array):
        pointer, size = ctypes.c_void_p(), ctypes.c_size_t(array.nbytes)
        self.call("hipMalloc", ctypes.byref(pointer), size)
        self.call("hipMemcpy", pointer, ctypes.c_void_p(array.ctypes.data), size, TO_DEVICE)
        return pointer

    def get(self, pointer, array):
        self.call("hipMemcpy", ctypes.c_void_p(array.ctypes.data), pointer,
                  ctypes.c_size_t(array.nbytes), TO_HOST)

    def launch(self, kernel, grid, arguments):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("hipModuleLoadData", ctypes.byref(module), kernel.asm["hsaco"])
        self.call("hipModuleGetFunction", ctypes.byref(function), module, kernel.metadata.name.encode())
        values = [a if isinstance(a, ctypes.c_void_p) else ctypes.c_int(a) for a in arguments]
        values += [ctypes.c_void_p(), ctypes.c_void_p()]  # of Triton's own, not used here
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        self.call("hipModuleLaunchKernel", function, grid, 1, 1, 256, 1, 1, kernel.metadata.shared,
                  None, pointers, None)
        self.call("hipDeviceSynchronize")


def quantised(device, mode, x):
    codes, scales = np.zeros((len(x), 16), np.uint8), np.zeros((len(x), 1), np.uint8)
    on_device = [device.put(a) for a in (codes, scales, x)]
    device.launch(compiled(mode), len(x) // ROWS,
                  [on_device[0], 16, on_device[1], 1, 1, on_device[2], 32, 1, len(x), 32])
    device.get(on_device[0], codes)
    device.get(on_device[1], scales)
    return packages.unpacked(codes), scales


def check(mx, device, mode, x):
    recipe = f"quark-triton-{MODES[mode]}"
    codes, scales = mx.quant("E2M1", recipe, x, "--bf16")
    theirs, their_scales = quantised(device, mode, x)
    ok((scales == their_scales).all(), f"{recipe}: {len(x)} scales as its kernel gives them on gfx950")
    values = (x.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    with np.errstate(invalid="ignore"):
        scaled = np.abs(values) * 2.0 ** (127.0 - scales)
    wrong = codes != theirs
    # A shift by 32 or more wraps in v_lshrrev_b32: the kernel gives nonzero codes for tiny elements.
    wraps = wrong & (scaled < 2.0**-32)
    # exp2(-127) is 0: v_exp_f32 flushes subnormal results. Quark's torch version has 2^-127.
    flushed = wrong & (scales == 0) & (theirs & 7 == 0) & (mode == 2)
    ok(wraps.any(), f"{recipe}: {wraps.sum()} elements below 2^-32 differ, because a shift wraps")
    rest = np.argwhere(wrong & ~wraps & ~flushed)
    ok(not len(rest), f"{recipe}: the other elements are those of its kernel" +
       (f", but {flushed.sum()} of scale 0" if flushed.any() else ""), f"first: block, element {rest[:1]}")


def main():
    build, package, version = sys.argv[1], "amd-quark", "0.13"
    if packages.version(package) != version:
        skip("Quark's Triton kernel", f"{package} {version} is not installed")
        return done()
    x = blocks.bf16("E2M1")
    x = np.vstack([x[::37], x[-680:]])  # all of the specials
    x = np.ascontiguousarray(x[:len(x) // ROWS * ROWS])
    device = Device(f"{build}/libmxhip.so")
    with tempfile.TemporaryDirectory() as folder:
        mx = Mxcheck(f"{build}/mxcheck", folder)
        for mode in range(len(MODES)):
            check(mx, device, mode, x)
    return done()


if __name__ == "__main__":
    sys.exit(main())
