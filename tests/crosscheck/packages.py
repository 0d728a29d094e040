"""Recipes computed by their packages. Each judge takes a format and blocks, one to a row, and gives
codes, one to an integer, and scales; code -1 if the package does not return the code."""
import importlib.metadata
import warnings

import numpy as np

import blocks

warnings.filterwarnings("ignore")


def tensor(x):
    """A torch tensor of float32, float16, or of bfloat16 for uint16."""
    import torch

    t = torch.from_numpy(np.ascontiguousarray(x).view(np.int16 if x.dtype == np.uint16 else x.dtype))
    return t.view(torch.bfloat16) if x.dtype == np.uint16 else t


def unpacked(codes):
    return np.stack([codes & 15, codes >> 4], -1).reshape(len(codes), -1)


def torchao(mode):
    import torch
    from torchao.prototype.mx_formats.config import ScaleCalculationMode
    from torchao.prototype.mx_formats.constants import DTYPE_FP6_E2M3, DTYPE_FP6_E3M2
    from torchao.prototype.mx_formats.mx_tensor import to_mx

    types = {"E2M1": torch.float4_e2m1fn_x2, "E2M3": DTYPE_FP6_E2M3, "E3M2": DTYPE_FP6_E3M2,
             "E4M3": torch.float8_e4m3fn, "E5M2": torch.float8_e5m2}

    def judge(name, x):
        scales, codes = to_mx(tensor(x), types[name], 32, getattr(ScaleCalculationMode, mode))
        codes = codes.view(torch.uint8).numpy()
        return unpacked(codes) if name == "E2M1" else codes, scales.view(torch.uint8).numpy()

    return judge


def compressed_tensors(name, x):
    """Like a compressed weight, but the byte of an infinite scale is its exponent, 255. The package
    stores infinity converted to an integer, 127 on x86."""
    import torch
    from compressed_tensors.compressors.mxfp6.helpers import pack_fp6_to_uint8
    from compressed_tensors.compressors.nvfp4.helpers import pack_fp4_to_uint8
    from compressed_tensors.quantization import QuantizationArgs
    from compressed_tensors.quantization.lifecycle.forward import quantize
    from compressed_tensors.quantization.utils.helpers import compute_dynamic_scales_and_zp

    width = {"E2M1": 4, "E2M3": 6, "E4M3": 8}[name]
    how = QuantizationArgs(num_bits=width, type="float", strategy="group", group_size=32,
                           scale_dtype=torch.uint8)
    t = tensor(x)
    scales, _ = compute_dynamic_scales_and_zp(t, how, None)
    codes = quantize(t, scales, None, how)  # as a symmetric weight: no zero point
    if width == 4:
        codes = unpacked(pack_fp4_to_uint8(codes).numpy())
    elif width == 6:
        p = pack_fp6_to_uint8(codes).numpy().reshape(len(x), -1, 3).astype(np.uint32)
        word = p[..., 0] | p[..., 1] << 8 | p[..., 2] << 16
        codes = np.stack([word >> k & 63 for k in (0, 6, 12, 18)], -1).reshape(len(x), -1)
    else:
        codes = codes.to(torch.float8_e4m3fn).view(torch.uint8).numpy()
    return codes.astype(int), torch.log2(scales.double()).add(127).clamp(0, 255).numpy().astype(np.uint8)


def quark_triton(mode):
    """The torch version of the Triton kernel. It differs only for NaN: torch's maximum is NaN if one
    element of the block is, Triton's if all are."""
    import torch
    from quark.torch.kernel.mx.triton import DequantScaleRoundingMode, downcast_to_mxfp_torch

    types = {"E2M1": torch.uint8, "E4M3": torch.float8_e4m3fn, "E5M2": torch.float8_e5m2}

    def judge(name, x):
        codes, scales = downcast_to_mxfp_torch(
            tensor(x), types[name], -1, DEQUANT_SCALE_ROUNDING_MODE=getattr(DequantScaleRoundingMode, mode))[:2]
        codes = codes.view(torch.uint8).numpy()
        return unpacked(codes) if name == "E2M1" else codes, scales.numpy()

    return judge


def codes_of(name, values, x):
    """Values of the format as codes; NaN as in mxcheck, with the sign of x."""
    m = blocks.magnitudes(name)
    with np.errstate(invalid="ignore"):
        codes = np.searchsorted(m, np.abs(values))
    nan = {"E4M3": 0x7F, "E5M2": 0x7E}.get(name, len(m) - 1)
    codes = np.where(np.isnan(values), nan, codes)
    sign = np.where(np.isnan(values), np.signbit(x), np.signbit(values))
    return codes | sign.astype(int) << sum(blocks.FORMATS[name][:2])


def hidden(out, scale, least):
    """Elements without a code from fake quantisation: those that overflow or lose bits when they are
    written back, infinities that stay unchanged, and elements with a scale outside E8M0."""
    lost = np.isfinite(scale) & np.isinf(out)
    return lost | (np.abs(out) < least) & (out != 0) | (scale < 2.0**-127)


def quark(mode):
    """Fake quantisation: the result divided by its scale. A wrapped masked_fill, the last step of the
    scale's computation, records the scale."""
    import torch
    from quark.torch.kernel.hw_emulation import hw_emulation_interface as hw

    types = {"E2M1": "fp4", "E2M3": "fp6_e2m3", "E3M2": "fp6_e3m2", "E4M3": "fp8_e4m3", "E5M2": "fp8_e5m2"}
    plain = torch.Tensor.masked_fill

    def judge(name, x):
        recorded = []

        def masked_fill(t, *a):
            recorded.append(plain(t, *a))
            return recorded[-1]

        torch.Tensor.masked_fill = masked_fill
        try:
            t = tensor(x)
            out = hw.fake_quantize_mx(t, -1, 32, mode, mx_element_dtype=types[name])
        finally:
            torch.Tensor.masked_fill = plain
        scale = recorded[0].reshape(-1, 1).to(torch.float64).numpy()
        x, out = t.double().numpy(), out.double().numpy()
        with np.errstate(all="ignore"):
            codes = codes_of(name, out / scale, x)
            scales = np.clip(np.log2(scale) + 127, 0, 255)
        scales[~np.isfinite(scale)] = 255
        least = 0 if t.dtype == torch.float32 else torch.finfo(t.dtype).smallest_normal
        return np.where(hidden(out, scale, least), -1, codes), scales.astype(np.uint8)

    return judge


ALL = ["E2M1", "E2M3", "E3M2", "E4M3", "E5M2"]
# Recipe, package, version, formats, dtypes that the package takes, judge (made on use).
ROWS = [(f"torchao-0.18-{m}", "torchao", "0.18.0", ALL, ["f32", "bf16"], lambda m=m: torchao(m.upper()))
        for m in ("floor", "ceil", "even", "rceil")]
ROWS += [("compressed-tensors", "compressed-tensors", "0.20.0", ["E2M1", "E2M3", "E4M3"], ["f32", "bf16"],
          lambda: compressed_tensors)]
ROWS += [(f"quark-triton-{m.split('_')[-1].lower()}", "amd-quark", "0.13", ["E2M1"], ["f32", "bf16", "f16"],
          lambda m=m: quark_triton(m)) for m in ("ROUND_UP", "ROUND_DOWN", "EVEN")]
ROWS += [("quark-triton-down8", "amd-quark", "0.13", ["E4M3", "E5M2"], ["f32", "bf16", "f16"],
          lambda: quark_triton("ROUND_DOWN"))]
ROWS += [("quark-even", "amd-quark", "0.13", ALL, ["f32", "bf16", "f16"], lambda: quark("even"))]
ROWS += [(f"quark-{m}{suffix}", "amd-quark", "0.13", ALL, [dtype], lambda m=m: quark(m))
         for m in ("floor", "ceil") for suffix, dtype in (("", "f32"), ("-bf16", "bf16"))]


def version(package):
    """The installed version, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
