"""Recipes as the packages themselves compute them. Each judge takes a format and blocks, one to a
row, and gives codes, one to a byte, and scales."""
import importlib.metadata
import warnings

import ml_dtypes
import numpy as np

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


ALL = ["E2M1", "E2M3", "E3M2", "E4M3", "E5M2"]
# Recipe, package, version, formats, dtypes that the package takes, judge (made on use).
ROWS = [(f"torchao-0.18-{m}", "torchao", "0.18.0", ALL, ["f32", "bf16"], lambda m=m: torchao(m.upper()))
        for m in ("floor", "ceil", "even", "rceil")]


def version(package):
    """What is installed, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
