"""Recipes of packages that are not on PyPI, transcribed from their published sources. Each judge
takes a format and the float32 values of blocks, one to a row."""
import numpy as np

import blocks

ONE = np.float32(1)


def bits(x):
    return np.ascontiguousarray(x, np.float32).view(np.uint32)


def floats(u):
    return np.ascontiguousarray(u).astype(np.uint32).view(np.float32)


def field(x):
    return (bits(x) >> 23 & 0xFF).astype(np.int64)


def sign(name, x):
    return np.signbit(x).astype(np.int64) << sum(blocks.FORMATS[name][:2])


def largest(name):
    return np.float32(blocks.magnitudes(name)[-1])


def power(name):
    """The largest power of two of the format."""
    return np.float32(2.0 ** blocks.largest_exponent(name))


# ---- amax ----

def amax_nan(x):
    """torch.amax, numpy.max: NaN if any element is."""
    return np.abs(x).max(axis=1, keepdims=True)


def amax_number(x):
    """fmaxf, tl.max: NaN if all elements are."""
    return np.fmax.reduce(np.abs(x), axis=1, keepdims=True)


# ---- elements ----

def nearest(name, q, away=False):
    """Codes of the nearest values, saturating; q is not NaN."""
    m = blocks.magnitudes(name)
    middle = (m[1:] + m[:-1]) / 2
    below = np.searchsorted(middle, np.abs(q), side="left")
    above = np.searchsorted(middle, np.abs(q), side="right")
    return np.where((below < above) & (away | below % 2), above, below)


def converted(name, q, away=False):
    """By v_cvt instructions with FP16_OVFL: NaN stays NaN in FP8; in FP4 it is the largest (assumed)."""
    nan = {"E4M3": 0x7F, "E5M2": 0x7E}.get(name, len(blocks.magnitudes(name)) - 1)
    return np.where(np.isnan(q), nan, nearest(name, np.nan_to_num(q, posinf=1e30, neginf=-1e30), away)) + sign(name, q)


def by_bits(name, q):
    """FP4 by integer arithmetic: add half minus one and the odd bit, shift, keep the low byte. FP8 as
    in PyTorch."""
    exp_bits, man_bits, bias, _ = blocks.FORMATS[name]
    if name in ("E4M3", "E5M2"):
        nan = np.full(q.shape, 0x7F)
    else:
        u = (bits(q) & 0x7FFFFFFF).astype(np.int64)
        drop = 23 - man_bits
        odd = u >> drop & 1
        nan = (u + ((bias - 127) << 23) + (1 << drop - 1) - 1 + odd >> drop) & 0xFF
    return np.where(np.isnan(q), nan | sign(name, q), converted(name, q))


def scale_of(byte):
    """A byte as float32, as software builds it: 0 is 2^-127, 255 the NaN 0x7F800001."""
    return floats(np.where(byte == 0, 0x00400000, np.where(byte == 255, 0x7F800001, byte << 23)))


def hardware(name, x, byte):
    """x / 2^(byte - 127) by v_cvt_scalef32; byte 255 makes every element NaN with its sign."""
    with np.errstate(all="ignore"):
        q = (x.astype(np.float64) * 2.0 ** (127.0 - byte)).astype(np.float32)
    nan = floats(0x7FC00000 | bits(x) & 0x80000000)
    return converted(name, np.where(byte == 255, nan, q))


# ---- AITER 0b3d7161, csrc/include/mx_quant_utils.h ----

def up(d):
    """Exponent field, one more for any mantissa; infinity and NaN 255."""
    f = field(d)
    return f + ((f < 255) & (bits(d) & 0x7FFFFF != 0))


def even(name, amax):
    """Half a unit of the element's mantissa added to the bits: the exponent field, and the f32."""
    u = bits(amax).astype(np.int64) + (1 << 22 - blocks.FORMATS[name][1])
    return floats(u & 0xFF800000)


def aiter_hip(mode):
    def judge(name, x):
        amax = amax_number(x)
        with np.errstate(all="ignore"):
            byte = {
                "round-up": lambda: up(amax * (ONE / largest(name))),
                "round-down": lambda: field(amax * (ONE / power(name))),
                "ceil": lambda: up(amax * (ONE / power(name))),
                "even": lambda: np.maximum(field(even(name, amax)) - blocks.largest_exponent(name), 0),
            }[mode]()
        return hardware(name, x, byte), byte

    return judge


# ---- AITER 0b3d7161, aiter/utility/fp4_utils.py, and per_1x32_f4_quant of aiter/ops/quant.py ----

def aiter_py(mode):
    def judge(name, x):
        amax = amax_nan(x)
        with np.errstate(all="ignore"):
            byte = {
                "round-up": lambda: up(amax / largest(name)),
                "round-down": lambda: field(amax / power(name)),
                "ceil": lambda: up(amax / power(name)),
                "even": lambda: field(even(name, amax) / power(name)),
            }[mode]()
            q = np.where(np.isnan(x), x, x / scale_of(byte))  # of two NaNs the first
        return by_bits(name, q), byte

    return judge


# ---- AITER 04bbef5c, Triton _mxfp4_quant_op and _mxfp8_quant_op: the same exponent for both ----

def aiter_triton(name, x):
    p = even("E2M1", amax_number(x))
    with np.errstate(all="ignore"):
        unbiased = np.clip(np.floor(np.log2(np.abs(p))) - blocks.largest_exponent(name), -127, 127)
        q = x * np.exp2(-unbiased.astype(np.float64)).astype(np.float32)
    return (by_bits if name == "E2M1" else converted)(name, q), (unbiased + 127).astype(np.int64)


# ---- triton_kernels 018a674f, numerics_details/mxfp.py ----

def triton_kernels(mode):
    def judge(name, x):
        amax = amax_number(x)
        with np.errstate(all="ignore"):
            if mode == "up":
                u = (bits(amax / largest(name)).astype(np.int64) + 0x7FFFFF) & 0x7F800000
            else:
                u = bits(amax / power(name)).astype(np.int64) & 0x7F800000
            scale = floats(u)
            q = x * np.where(scale == 0, np.float32(0), ONE / scale)
        q = np.where(np.isnan(q) & ~np.isnan(x), np.float32("nan"), q)  # +NaN, as on gfx950
        return converted(name, q), u >> 23

    return judge


# ---- torchao 050515e8 (main), mx_tensor.py to_mx ----

def torchao_main(mode):
    def judge(name, x):
        amax = amax_nan(x)
        emax = blocks.largest_exponent(name)
        with np.errstate(all="ignore"):
            if mode == "rceil":
                d = amax * np.float32(1.0 / float(largest(name)))
                byte = field(d) + np.where(field(d) == 0, bits(d) > 0x400000, bits(d) & 0x7FFFFF != 0)
                finite = np.isfinite(d)
            else:
                m = even(name, amax) if mode == "even" else amax
                byte = np.clip(field(m) + ((mode == "ceil") & (bits(m) & 0x7FFFFF != 0)) - emax, 0, 255)
                finite = np.isfinite(m) & ~np.isnan(amax)
            byte = np.where(finite, byte, 255)
            q = x * scale_of(np.where(byte == 255, 255, 254 - byte))
        # PyTorch's product of two NaNs is the second, that of the scale.
        return by_bits(name, np.where(byte == 255, floats(0x7FC00001), q)), byte

    return judge


# ---- microxcaling 3b429a84, mx_ops.py _quantize_mx and elemwise_ops.py, with numpy's log2 of a
# double for an f32 one ----

def f32_log2(x):
    with np.errstate(all="ignore"):
        return np.log2(x.astype(np.float64)).astype(np.float32)


def microxcaling(name, x):
    exp_bits, man_bits, bias, _ = blocks.FORMATS[name]
    amax = amax_nan(x)
    with np.errstate(all="ignore"):
        shared = np.floor(f32_log2(np.where(amax == 0, np.float32(2.0**-126), amax))) - blocks.largest_exponent(name)
        shared = np.where(shared > 127, np.float32("nan"), np.maximum(shared, -127)).astype(np.float32)
        a = x / np.exp2(shared.astype(np.float64)).astype(np.float32)
        private = np.maximum(np.floor(f32_log2(np.abs(np.where(a == 0, ONE, a)))), 1 - bias)
        unit = np.exp2(private.astype(np.float64) - man_bits).astype(np.float32)
        rounded = np.floor(np.abs(a) / unit + np.float32(0.5)) * unit
        q = np.copysign(np.minimum(rounded, largest(name)), x)
    q = np.where(np.isnan(shared), np.copysign(np.float32("nan"), x), q)
    byte = np.where(np.isnan(shared), 255, np.nan_to_num(shared) + 127).astype(np.int64)
    return converted(name, q), byte


# ---- PTX ISA 8.6, cvt.rp.satfinite.ue8m0x2.f32 of amax / max ----

def nvidia(name, x):
    with np.errstate(all="ignore"):
        d = amax_number(x) / largest(name)
    byte = field(d) + np.where(field(d) == 0, bits(d) > 0x400000, bits(d) & 0x7FFFFF != 0)
    byte = np.where(np.isinf(d), 254, np.where(np.isnan(d), 255, byte))
    return hardware(name, x, byte), byte


# ---- Primus-Turbo 0f7fd0cd, quantization_mxfp8.cu and quantization_mxfp4.cu ----

def primus(name, x):
    u = bits(amax_number(x)).astype(np.int64) + (1 << 22 - blocks.FORMATS[name][1])
    byte = np.clip((u >> 23 & 0x1FF) - blocks.largest_exponent(name), 0, 255)
    if name == "E2M1":
        return hardware(name, x, byte), byte
    # The scale's bits are byte << 23: zero for byte 0, which the conversion reads as 2^-127.
    with np.errstate(all="ignore"):
        limit = largest(name) * floats(byte << 23)
    clamped = np.where(np.isnan(x), -limit, np.copysign(np.minimum(np.abs(x), limit), x))
    codes = hardware(name, clamped, byte)
    infinite = {"E4M3": 0x7F, "E5M2": 0x7C}[name]  # without FP16_OVFL
    return np.where(np.isinf(clamped), infinite | sign(name, clamped), codes), byte


ALL = list(blocks.FORMATS)
ROWS = [(f"aiter-{m}", ["E2M1", "E4M3"], aiter_hip(m)) for m in ("round-up", "round-down", "ceil", "even")]
ROWS += [(f"aiter-py-{m}", ["E2M1", "E4M3"], aiter_py(m)) for m in ("round-up", "round-down", "ceil", "even")]
ROWS += [("triton", ["E2M1"], aiter_triton), ("aiter-mxfp8", ["E4M3"], aiter_triton)]
ROWS += [(f"triton-kernels-{m}", ["E2M1", "E4M3", "E5M2"], triton_kernels(m)) for m in ("up", "down")]
ROWS += [(m, ALL, torchao_main(m)) for m in ("ceil", "even", "rceil")]
ROWS += [("microxcaling", ALL, microxcaling), ("nvidia", ALL, nvidia)]
ROWS += [("primus", ["E2M1", "E4M3", "E5M2"], primus)]
