"""Blocks of 32 numbers that a recipe could get wrong: amax at every rounding boundary of every
exponent, every tie of the element format with the neighbours of each, subnormals, infinities, NaN
and zeros. The formats are typed again here."""
import numpy as np

BLOCK = 32
# Exponent bits, mantissa bits, bias, number of largest codes that are special [OCP MX v1.0, 5.3].
FORMATS = {
    "E2M1": (2, 1, 1, 0),
    "E2M3": (2, 3, 1, 0),
    "E3M2": (3, 2, 3, 0),
    "E4M3": (4, 3, 7, 1),
    "E5M2": (5, 2, 15, 4),
}
INF, NAN = 0x7F800000, 0x7FC00000


def magnitudes(name):
    """All magnitudes of the format, from zero up."""
    exp_bits, man_bits, bias, specials = FORMATS[name]
    codes = np.arange((1 << exp_bits + man_bits) - specials)
    field, man = codes >> man_bits, codes & (1 << man_bits) - 1
    sig = np.where(field > 0, man + (1 << man_bits), man)
    return sig * 2.0 ** (np.maximum(field, 1) - bias - man_bits)


def largest_exponent(name):
    return int(np.log2(magnitudes(name)[-1]))


def ties(name):
    """Ties, the largest element and the next one in an unlimited range."""
    m = magnitudes(name)
    m = np.append(m, 2 * m[-1] - m[-2])
    return np.concatenate([(m[1:] + m[:-1]) / 2, m[-2:]])


def bits(x):
    return np.asarray(x, np.float32).view(np.uint32).astype(np.int64)


def floats(u):
    return np.asarray(u).astype(np.uint32).view(np.float32)


def amaxes(name):
    """Bits of amax: in every binade both ends and all thresholds of the rules."""
    points = [(0, range(-46, 26)), (1 << 22, range(-2, 14))]
    points += [(k << 19, range(-2, 3)) for k in range(1, 16)]  # halves of units, and max / 2^k
    man = np.unique([p + d for p, reach in points for d in reach])
    u = (np.arange(256)[:, None] << 23) + man
    return u[(u >= 0) & (u <= INF)]


def with_amax(name, amax, rng):
    """A block for each amax: the other elements are ties at its possible scales, or any numbers below."""
    n = len(amax)
    exponent = (amax >> 23)[:, None] - 127 - largest_exponent(name) + rng.integers(-1, 3, (n, BLOCK))
    with np.errstate(over="ignore"):
        x = bits((rng.choice(ties(name), (n, BLOCK)) * 2.0 ** exponent).astype(np.float32))
    x += rng.integers(-2, 3, (n, BLOCK))
    below = rng.integers(0, amax[:, None] + 1, (n, BLOCK))
    x = np.where(rng.random((n, BLOCK)) < 0.25, below, x)
    x = np.clip(x, 0, amax[:, None])
    x[np.arange(n), rng.integers(0, BLOCK, n)] = amax
    return floats(x | rng.integers(0, 2, (n, BLOCK)) << 31)


def all_ties(name):
    """Every tie and its neighbours, with both signs, in the first, middle and last binades."""
    t = bits(ties(name))
    t = (t[:, None] + np.arange(-2, 3)).ravel()
    t = np.concatenate([t, t | 1 << 31])
    t = np.append(t, np.zeros(-len(t) % (BLOCK - 1), np.int64)).reshape(-1, BLOCK - 1)
    t = floats(t).astype(np.float64)
    emax, blocks = largest_exponent(name), []
    for scale in [-126, -125, -101, -30, -1, 0, 1, 40, 100, 126 - emax]:
        for top in [1.0, 1.5]:
            x = np.column_stack([np.full(len(t), top * 2.0 ** emax), t]) * 2.0 ** scale
            x = np.clip(x, -x[:, :1], x[:, :1])
            blocks.append(x.astype(np.float32))
    return np.vstack(blocks)


def specials(name, rng):
    """Infinities and NaN among numbers, alone, and together; zeros."""
    amax = np.repeat(np.arange(0, 255, 3) << 23, 8) + rng.integers(0, 1 << 23, 85 * 8)
    x = bits(with_amax(name, amax, rng))
    kind = np.arange(len(x)) % 8
    x[kind == 0, 3] = INF
    x[kind == 1, 3] = INF | 1 << 31
    x[kind == 2, 7] = NAN
    x[kind == 3, 7] = NAN | 1 << 31
    x[kind == 4, 1], x[kind == 4, 30] = NAN, INF
    x[kind == 5] = np.where(rng.random(x[kind == 5].shape) < 0.5, NAN, NAN | 1 << 31)
    x[kind == 6] = np.where(rng.random(x[kind == 6].shape) < 0.5, 0, 1 << 31)
    x[kind == 7] = np.where(rng.random(x[kind == 7].shape) < 0.5, INF, INF | 1 << 31)
    return floats(x)


def f32(name):
    rng = np.random.default_rng(20261122)
    return np.vstack([with_amax(name, amaxes(name), rng), all_ties(name), specials(name, rng)])


def bf16(name):
    """As uint16: the upper halves."""
    return (f32(name).view(np.uint32) >> 16).astype(np.uint16)


def f16(name):
    """Every magnitude as amax, infinity and one NaN too."""
    rng = np.random.default_rng(20261123)
    amax = np.append(np.arange(0x7C01), 0x7E00)
    x = rng.integers(0, np.minimum(amax, 0x7C00)[:, None] + 1, (len(amax), BLOCK))
    near = np.maximum(amax[:, None] - rng.integers(0, 4 << 10, x.shape) // 128 * 128, 0)
    x = np.where(rng.random(x.shape) < 0.5, np.minimum(near, 0x7C00), x)
    x[np.arange(len(x)), rng.integers(0, BLOCK, len(x))] = amax
    return (x | rng.integers(0, 2, x.shape) << 15).astype(np.uint16).view(np.float16)
