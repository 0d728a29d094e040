#!/usr/bin/env python3
"""Crosscheck of `mxcheck quant --scheme` and `dequant --scheme` against the packages that the
schemes follow, bit for bit; and of the FNUZ formats against ml_dtypes. All NaNs of a format are
equal, with either sign.

    make crosscheck      (schemes.py MXCHECK [PART OF A NAME]; prints TAP)
"""
import sys
import tempfile
import warnings

import ml_dtypes
import numpy as np

import packages
from harness import Mxcheck, done, ok, skip

warnings.filterwarnings("ignore")
ROWS, COLS = 256, 256

# ---- inputs ----

E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def steps(codes, man, bias):
    """Magnitudes of the codes of a float format."""
    field, fraction = codes >> man, codes & (1 << man) - 1
    return np.where(field > 0, fraction + (1 << man), fraction) * 2.0 ** (
        np.maximum(field, 1) - bias - man)


# Magnitudes from zero up to the largest.
MAGNITUDES = {
    "E4M3": steps(np.arange(0x7F), 3, 7),
    "E5M2": steps(np.arange(0x7C), 2, 15),
    "E4M3FNUZ": steps(np.arange(0x80), 3, 8),
    "E5M2FNUZ": steps(np.arange(0x80), 2, 16),
    "E2M1": E2M1,
    "INT8": np.arange(128) / 64,
    "E0M4": np.arange(16) / 8,
    "E0M7": np.arange(128) / 64,
}


def nudged(x, rng):
    """Each number, or an f32 next to it."""
    x = np.asarray(x, np.float32)
    kind = rng.integers(0, 3, x.shape)
    up, down = np.nextafter(x, np.float32(np.inf)), np.nextafter(x, np.float32(-np.inf))
    return np.where(kind == 0, x, np.where(kind == 1, up, down))


def signed(x, rng):
    return np.where(rng.integers(0, 2, x.shape) == 1, -x, x).astype(np.float32)


def model(name, rng):
    return rng.standard_normal((ROWS, COLS)).astype(np.float32)


def ties(name, rng):
    """In each row an amax, and ties of the format at its scale."""
    m = MAGNITUDES[name]
    middle = np.append((m[1:] + m[:-1]) / 2, m[1:])
    amax = (2.0 ** rng.integers(-20, 20, (ROWS, 1)) * (1 + rng.random((ROWS, 1)))).astype(np.float32)
    x = nudged(rng.choice(middle, (ROWS, COLS)) * (amax.astype(np.float64) / m[-1]), rng)
    x[:, ::16] = amax
    return signed(x, rng)


def boundaries(name, rng):
    """In each 16 an amax at or next to a code, a tie, or a short mantissa, over all exponents."""
    m = MAGNITUDES[name]
    points = np.concatenate([(m[1:] + m[:-1]) / 2, m[1:], 1 + np.arange(64) / 64])
    amax = rng.choice(points, (ROWS, COLS // 16)) * 2.0 ** rng.integers(-30, 30, (ROWS, 1))
    x = rng.random((ROWS, COLS // 16, 16)) * amax[:, :, None]
    x[:, :, 5] = amax
    return signed(nudged(x.reshape(ROWS, COLS), rng), rng)


def scale_ties(name, rng):
    """In each 16 an amax of 6 times a tie of E4M3, where the largest of all is 6 * 448."""
    m = MAGNITUDES["E4M3"]
    amax = 6 * rng.choice((m[1:] + m[:-1]) / 2, (ROWS, COLS // 16))
    x = rng.choice(E2M1, (ROWS, COLS // 16, 16)) / 6 * amax[:, :, None] * 0.75
    x[:, :, 5] = nudged(amax, rng)
    x[0, 0, 0] = 6 * 448
    return signed(x.reshape(ROWS, COLS).astype(np.float32), rng)


def exponents(name, rng):
    """All of float32, subnormals too; rows of zeros."""
    u = rng.integers(0, 1 << 23, (ROWS, COLS)) | np.maximum(
        rng.integers(0, 255, (ROWS, 1)) - rng.integers(0, 12, (ROWS, COLS)), 0) << 23
    u[::17] = 0
    u[1::17] &= 0xFFFFF  # subnormals
    return signed(u.astype(np.uint32).view(np.float32), rng)


def zeros(name, rng):
    return signed(np.zeros((ROWS, COLS), np.float32), rng)


def infinite(name, rng):
    x = boundaries(name, rng)
    x[::5, 7] = np.inf
    x[::7, 70] = -np.inf
    return x


def nans(name, rng):
    x = infinite(name, rng)
    x[::3, 21] = np.nan
    return x


KINDS = [model, ties, boundaries, scale_ties, exponents, zeros, infinite, nans]


def typed(x, dtype):
    """As float32, float16, or bfloat16 in uint16, and the f32 that this is."""
    if dtype == "f32":
        return x, x
    with np.errstate(over="ignore"):
        y = x.astype(np.float16 if dtype == "f16" else ml_dtypes.bfloat16)
    return (y if dtype == "f16" else y.view(np.uint16)), y.astype(np.float32)


# ---- mxcheck ----


class Schemes(Mxcheck):
    def quant(self, scheme, format, per, x, tensor, dtype):
        np.save(self.path("x"), x)
        extra = ["--tensor", self.path("t")] if tensor else []
        extra += ["--bf16"] if dtype == "bf16" else []
        self.run("quant", "--scheme", scheme, "--format", format, "--per", per, *extra,
                 self.path("x"), "-o", self.path("codes"), "--scales", self.path("scales"))
        return [np.load(self.path(name)) for name in ["codes", "scales"] + ["t"] * tensor]

    def dequant(self, scheme, format, per, tensor):
        """The files of the last quant."""
        extra = ["--tensor", self.path("t")] if tensor else []
        self.run("dequant", "--scheme", scheme, "--format", format, "--per", per, *extra,
                 "--scales", self.path("scales"), self.path("codes"), "-o", self.path("y"))
        return np.load(self.path("y"))


# ---- the packages: from x, a format and the shape of blocks to codes, scales, tensor's scale, values ----


def fp8(name):
    import torch

    return {"E4M3": torch.float8_e4m3fn, "E5M2": torch.float8_e5m2,
            "E4M3FNUZ": torch.float8_e4m3fnuz, "E5M2FNUZ": torch.float8_e5m2fnuz}[name]


def numbers(t):
    import torch

    return t.view(torch.uint8).numpy() if t.element_size() == 1 else t.float().numpy()


def block_of(per, shape):
    return {"tensor": shape, "row": (1, shape[1]), "1x128": (1, 128), "128x128": (128, 128)}[per]


def spread(scales, shape):
    """A scale for each element."""
    s = np.atleast_2d(scales)
    return np.repeat(np.repeat(s, shape[0] // s.shape[0], 0), shape[1] // s.shape[1], 1)


def torchao(x, name, per):
    from torchao.quantization.quant_primitives import (_choose_scale_float8,
                                                       _dequantize_affine_float8,
                                                       _quantize_affine_float8)
    import torch

    s = _choose_scale_float8(x, list(block_of(per, x.shape)), fp8(name))
    q = _quantize_affine_float8(x, s, fp8(name))
    s = s.reshape(x.shape[0] // block_of(per, x.shape)[0], -1)
    return numbers(q), numbers(s), None, numbers(_dequantize_affine_float8(q, s, torch.float32))


def torchao_training(x, name, per):
    from torchao.float8.config import ScalingGranularity
    from torchao.float8.float8_scaling_utils import hp_tensor_to_float8_dynamic
    from torchao.float8.float8_training_tensor import LinearMMConfig

    rows = per == "row"
    t = hp_tensor_to_float8_dynamic(
        x, fp8(name), LinearMMConfig(), axiswise_dim=-1 if rows else None,
        scaling_granularity=ScalingGranularity.AXISWISE if rows else ScalingGranularity.TENSORWISE)
    s = numbers(t._scale).reshape(x.shape[0] if rows else 1, 1)
    y = t.to_original_precision() if x.element_size() == 4 else None
    return numbers(t._data), s, None, None if y is None else numbers(y)


def torchao_blockwise(x, name, per):
    from torchao.prototype.blockwise_fp8_training import kernels

    f = {"1x128": kernels.torch_blockwise_scale_act_quant_lhs,
         "128x128": kernels.torch_blockwise_scale_weight_quant}[per]
    q, s = f(x, 128, fp8(name))
    return numbers(q), numbers(s), None, None


def compressed(x, args, scale, **more):
    from compressed_tensors.quantization.lifecycle.forward import dequantize, quantize

    q = quantize(x, scale, None, args, **more)
    return q, dequantize(q.float(), scale.float(), None, args, **more)  # in f32, as ours


def compressed_tensors(x, name, per):
    import torch
    from compressed_tensors.quantization import QuantizationArgs
    from compressed_tensors.quantization.utils import calculate_qparams

    strategy = {"tensor": {"strategy": "tensor"}, "row": {"strategy": "channel"},
                "1x128": {"strategy": "group", "group_size": 128},
                "128x128": {"strategy": "block", "block_structure": [128, 128]}}[per]
    args = QuantizationArgs(num_bits=8, type="float", **strategy)
    r, c = block_of(per, x.shape)
    tiles = x.reshape(x.shape[0] // r, r, x.shape[1] // c, c)
    scale, _ = calculate_qparams(tiles.amin((1, 3)), tiles.amax((1, 3)), args)
    q, y = compressed(x, args, scale.reshape(1) if per == "tensor" else scale)
    return numbers(q.to(torch.float8_e4m3fn)), numbers(scale), None, numbers(y)


def unpacked(codes):
    return packages.unpacked(numbers(codes))


def nvfp4_torchao(x, name, per):
    from torchao.prototype.mx_formats.nvfp4_tensor import (NVFP4Tensor, per_tensor_amax_to_scale)

    t = per_tensor_amax_to_scale(x.abs().amax())
    n = NVFP4Tensor.to_nvfp4(x, per_tensor_scale=t)
    y = numbers(n.dequantize()) if x.element_size() == 4 else None
    return unpacked(n.qdata), numbers(n.scale), numbers(t), y


def nvfp4_torchao_single(x, name, per):
    from torchao.prototype.mx_formats.nvfp4_tensor import NVFP4Tensor

    n = NVFP4Tensor.to_nvfp4(x)
    y = numbers(n.dequantize()) if x.element_size() == 4 else None
    return unpacked(n.qdata), numbers(n.scale), None, y


def nvfp4_compressed_tensors(x, name, per):
    import torch
    from compressed_tensors.compressors.nvfp4.helpers import pack_fp4_to_uint8
    from compressed_tensors.quantization import QuantizationArgs
    from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam

    args = QuantizationArgs(num_bits=4, type="float", strategy="tensor_group", group_size=16,
                            scale_dtype=torch.float8_e4m3fn, zp_dtype=torch.float8_e4m3fn)
    g = generate_gparam(x.amin(), x.amax())
    tiles = x.reshape(x.shape[0], -1, 16)
    scale, _ = calculate_qparams(tiles.amin(-1), tiles.amax(-1), args, global_scale=g)
    q, y = compressed(x, args, scale, global_scale=g)
    return (unpacked(pack_fp4_to_uint8(q)), numbers(scale.to(torch.float8_e4m3fn)), numbers(g),
            numbers(y))


def nvfp4_modelopt(x, name, per):
    import torch
    from modelopt.torch.quantization.qtensor.nvfp4_tensor import NVFP4QTensor

    q, scale, t = NVFP4QTensor.quantize(x.clone(), 16)
    y = q.dequantize(dtype=torch.float32, scale=scale, double_scale=t, block_sizes={-1: 16})
    codes = unpacked(q._quantized_data)
    y = np.where(codes == 8, np.copysign(numbers(y), -1), numbers(y))  # +0 in its table
    return codes, numbers(scale), numbers(t), y


def quark_pairs(x, name, per):
    """[exponent, bits, codes ...] of each 16, as floats."""
    import quark.torch.kernel.hw_emulation.hw_emulation_interface as quark
    from functools import partial

    bits = {"E0M4": 5, "E0M7": 8}[name]
    how = dict(quant_bit=bits, sub_block_size=2)
    t = quark.real_quantize_mx6_mx9(x, -1, 16, **how).float().reshape(x.shape[0], -1, 18).numpy()
    y = quark.fake_quantize_mx6_mx9(x, -1, 16, **how).float().numpy()
    codes = t[:, :, 2:].reshape(x.shape)
    codes = np.where(np.isnan(codes), 0, np.abs(codes)).astype(np.uint8) | (
        np.signbit(codes).astype(np.uint8) << bits - 1)
    scales = np.stack([t[:, :, 0] + 127, t[:, :, 1]], -1).astype(np.uint8)
    return codes, scales.reshape(x.shape[0], -1), None, y


def quark_mxint8(x, name, per):
    """Values alone: fake quantisation has no codes."""
    import quark.torch.kernel.hw_emulation.hw_emulation_interface as quark

    y = quark.fake_quantize_mx(x, -1, 32, "even", mx_element_dtype="int8")
    return None, None, None, numbers(y)


def ml(x, name, per):
    """The conversion of ml_dtypes, which overflows to NaN: the largest element if x is not NaN."""
    dtype = {"E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
             "E4M3": ml_dtypes.float8_e4m3fn, "E5M2": ml_dtypes.float8_e5m2}[name]
    max = np.float32(MAGNITUDES[name][-1])
    x = x.float().numpy()
    q = np.clip(x, -max, max).astype(dtype)
    return q.view(np.uint8), np.ones((1, 1), np.float32), None, q.astype(np.float32)


FP8 = ["E4M3", "E5M2", "E4M3FNUZ", "E5M2FNUZ"]
ALL = ["f32", "bf16", "f16"]
# Scheme, package, version, formats, shapes of blocks, dtypes, judge.
TABLE = [
    ("none", "ml_dtypes", None, FP8, ["tensor"], ALL, ml),
    ("torchao", "torchao", "0.18.0", FP8, ["tensor", "row", "1x128", "128x128"], ALL, torchao),
    ("torchao-training", "torchao", "0.18.0", FP8, ["tensor", "row"], ALL, torchao_training),
    ("torchao-blockwise", "torchao", "0.18.0", ["E4M3", "E4M3FNUZ"], ["1x128", "128x128"], ALL,
     torchao_blockwise),
    ("compressed-tensors", "compressed-tensors", "0.20.0", ["E4M3"],
     ["tensor", "row", "1x128", "128x128"], ALL, compressed_tensors),
    ("nvfp4-torchao", "torchao", "0.18.0", ["E2M1"], ["1x16"], ["f32", "bf16"], nvfp4_torchao),
    ("nvfp4-torchao-single", "torchao", "0.18.0", ["E2M1"], ["1x16"], ["f32", "bf16"],
     nvfp4_torchao_single),
    ("nvfp4-compressed-tensors", "compressed-tensors", "0.20.0", ["E2M1"], ["1x16"], ALL,
     nvfp4_compressed_tensors),
    ("nvfp4-modelopt", "nvidia-modelopt", "0.47.0", ["E2M1"], ["1x16"], ALL, nvfp4_modelopt),
    ("quark-mxint8", "amd-quark", "0.13", ["INT8"], ["1x32"], ["f32"], quark_mxint8),
    ("quark-mx6", "amd-quark", "0.13", ["E0M4"], ["1x16"], ALL, quark_pairs),
    ("quark-mx9", "amd-quark", "0.13", ["E0M7"], ["1x16"], ALL, quark_pairs),
]

# ---- comparing ----


def same_codes(name, a, b, x):
    nan = {"E4M3": (0x7F, 0x7F), "E5M2": (0x7F, 0x7D)}.get(name)
    same = a == b
    if nan:
        same |= ((a & 0x7F) >= nan[1]) & ((b & 0x7F) >= nan[1])
    if name in ("INT8", "E0M4", "E0M7"):
        same |= np.isnan(x)  # no code for it
    return same


def same_bits(a, b):
    if a.dtype != np.float32:
        return (a == b) | ((a & 0x7F == 0x7F) & (b & 0x7F == 0x7F))
    return (a.view(np.uint32) == b.view(np.uint32)) | (np.isnan(a) & np.isnan(b))


def made_nan(name, ours, theirs, x):
    """A scale 0 / 0 or infinity / infinity is +NaN on gfx950 and in mxcheck, but -NaN on x86; it
    changes E2M1 codes of torchao and compressed-tensors."""
    if name != "E2M1":
        return np.zeros(x.shape, bool)
    return (spread(ours[1], x.shape) & 0x7F == 0x7F) & (ours[0] ^ theirs == 8)


def tiny_step(name, ours, x):
    """Quark's fake quantiser keeps the step of a block at 2^-126 or above; for smaller steps its
    values are not MXINT8."""
    return spread(ours[1], x.shape) < 7 if name == "INT8" else np.zeros(x.shape, bool)


# The counts of known differences, by format; they must occur.
seen = {"E2M1": 0, "INT8": 0}


def known(name, mask):
    if name in seen:
        seen[name] += int(mask.sum())
    return mask


def place(bad, **arrays):
    at = tuple(np.argwhere(bad)[0])
    shown = ", ".join(f"{k} {v[at]!r}" for k, v in arrays.items())
    return f"{bad.sum()} differ, first at {at}: {shown}"


def differences(name, x, ours, theirs, y):
    codes, scales, tensor, values = theirs
    if tensor is not None and not same_bits(ours[2], np.asarray(tensor, np.float32).reshape(1)).all():
        yield f"tensor's scale: {ours[2]}, theirs {tensor}"
    if scales is not None:
        bad = ~same_bits(ours[1], np.asarray(scales, ours[1].dtype).reshape(ours[1].shape))
        if bad.any():
            yield "scales: " + place(bad, ours=ours[1], theirs=np.reshape(scales, bad.shape))
    if codes is not None:
        bad = ~same_codes(name, ours[0], codes, x)
        bad &= ~known(name, bad & made_nan(name, ours, codes, x))
        if bad.any():
            yield "codes: " + place(bad, x=x, ours=ours[0], theirs=codes)
    if values is not None:
        bad = ~same_bits(y, np.asarray(values, np.float32)) & ~skipped_values(name, x)
        bad &= ~known(name, bad & tiny_step(name, ours, x))
        if bad.any():
            yield "values: " + place(bad, x=x, ours=y, theirs=values)


def skipped_values(name, x):
    """Infinities and NaN pass through fake quantisers that have no code for them."""
    return ~np.isfinite(x) if name in ("INT8", "E0M4", "E0M7") else np.zeros(x.shape, bool)


def check(mx, scheme, name, per, dtype, judge):
    rng = np.random.default_rng(20251122)
    wrong = []
    for kind in KINDS:
        x, real = typed(kind(name, rng), dtype)
        theirs = judge(packages.tensor(x), name, per)
        ours = mx.quant(scheme, name, per, x, theirs[2] is not None, dtype)
        y = mx.dequant(scheme, name, per, theirs[2] is not None)
        wrong += [f"{kind.__name__}: {d}" for d in differences(name, real, ours, theirs, y)]
    ok(not wrong, f"{scheme}, {name} per {per}, {dtype}", "\n# ".join(wrong))


def decode(mx):
    """Every code of FNUZ."""
    for name, dtype in [("E4M3FNUZ", ml_dtypes.float8_e4m3fnuz), ("E5M2FNUZ", ml_dtypes.float8_e5m2fnuz)]:
        codes = np.arange(256, dtype=np.uint8)[None]
        np.save(mx.path("codes"), codes)
        np.save(mx.path("scales"), np.ones((1, 1), np.float32))
        y = mx.dequant("none", name, "tensor", False)
        ok(same_bits(y, codes.view(dtype).astype(np.float32)).all(), f"{name}: all 256 codes decode alike")


def main():
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as folder:
        mx = Schemes(sys.argv[1], folder)
        decode(mx)
        for scheme, package, version, formats, pers, dtypes, judge in TABLE:
            installed = packages.version(package)
            if wanted not in scheme:
                continue
            if not installed or version not in (None, installed):
                skip(scheme, f"{package} {version} is not installed")
                continue
            try:
                judge(packages.tensor(np.ones((128, 128), np.float32)), formats[0], pers[0])
            except ImportError as e:
                skip(scheme, f"{package} {installed} does not import: {e}".replace("\n", " "))
                continue
            for name, per, dtype in [(f, p, d) for f in formats for p in pers for d in dtypes]:
                check(mx, scheme, name, per, dtype, judge)
            if scheme in ("nvfp4-torchao", "quark-mxint8"):
                ok(seen[formats[0]], f"{scheme}: {seen[formats[0]]} known differences")
    return done()


if __name__ == "__main__":
    sys.exit(main())
