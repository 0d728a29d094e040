/* Schemes: the table, the checks of a call, and the loop over the blocks of a matrix. */
#include "scheme.h"

#include <string.h>
#include <strings.h>

/* ---- the table ---- */

enum { SKIP, KEEP };
enum { F32, INPUT, BOTH };
enum { FULL, F224 };
enum { FLOOR, EVEN };
enum {
	ANY = (1 << MX_ELEMENTS) - 1,
	OCP = 1 << MX_E4M3,
	E4M3S = OCP | 1 << MX_E4M3FNUZ,
	FP8S = E4M3S | 1 << MX_E5M2 | 1 << MX_E5M2FNUZ,
};
enum {
	TENSOR = 1 << MX_PER_TENSOR,
	ROW = 1 << MX_PER_ROW,
	B1X16 = 1 << MX_PER_1X16,
	B1X32 = 1 << MX_PER_1X32,
	B1X128 = 1 << MX_PER_1X128,
	B128 = B1X128 | 1 << MX_PER_128X128,
};

static const struct mx_scheme_row rows[] = {
#define MX_FP8_SCHEME(id, name, formats, per, nan, max, least, scale, small, code, of_nan, in,     \
                      source)                                                                      \
	[MX_SCHEME_##id] = { { name, source, formats, per, MX_SCALE_F32, false },                  \
		             &mx_family_fp8,                                                       \
		             { nan, max, least, MX_SCALE_##scale, MX_SMALL_##small, MX_BY_##code,  \
		               MX_OF_NAN_##of_nan, in >= INPUT, in == BOTH } },
#define MX_NVFP4_SCHEME(id, name, nan, r, source)                                                  \
	[MX_SCHEME_##id] = { { name, source, 1 << MX_E2M1, B1X16, MX_SCALE_E4M3,                   \
		               MX_SCHEME_##id != MX_SCHEME_NVFP4_TORCHAO_SINGLE },                 \
		             &mx_family_nvfp4,                                                     \
		             { .keeps_nan = nan, .nvfp4 = &mx_nvfp4_##r } },
#define MX_INT8_SCHEME(id, name, scale, least, source)                                             \
	[MX_SCHEME_##id] = { { name, source, 1 << MX_INT8, B1X32, MX_SCALE_E8M0, false },          \
		             &mx_family_int8,                                                      \
		             { .keeps_nan = KEEP, .even = scale, .least_code = least } },
#define MX_PAIR_SCHEME(id, name, format, source)                                                   \
	[MX_SCHEME_##id] = { { name, source, 1 << MX_##format, B1X16, MX_SCALE_PAIRS, false },     \
		             &mx_family_pairs,                                                     \
		             { 0 } },
#include "schemes.def"
};
_Static_assert(sizeof rows / sizeof *rows == MX_SCHEMES, "mxref.h and schemes.def agree");

static const struct {
	const char *name;
	size_t rows, cols; /* 0: all */
} pers[MX_PERS] = {
	[MX_PER_TENSOR] = { "tensor", 0, 0 }, [MX_PER_ROW] = { "row", 1, 0 },
	[MX_PER_1X16] = { "1x16", 1, 16 },    [MX_PER_1X32] = { "1x32", 1, 32 },
	[MX_PER_1X128] = { "1x128", 1, 128 }, [MX_PER_128X128] = { "128x128", 128, 128 },
};

static size_t scale_bytes(mx_scale_kind k) {
	return k == MX_SCALE_F32 ? 4 : k == MX_SCALE_PAIRS ? 2 : 1;
}

const struct mx_scheme_info *mx_scheme_info(mx_scheme s) {
	return (unsigned)s < MX_SCHEMES ? &rows[s].info : NULL;
}

bool mx_scheme_by_name(const char *name, mx_scheme *s) {
	for (int i = 0; name && s && i < MX_SCHEMES; i++)
		if (!strcasecmp(name, rows[i].info.name))
			return *s = i, true;
	return false;
}

const char *mx_per_name(mx_per p) {
	return (unsigned)p < MX_PERS ? pers[p].name : NULL;
}

bool mx_per_by_name(const char *name, mx_per *p) {
	for (int i = 0; name && p && i < MX_PERS; i++)
		if (!strcasecmp(name, pers[i].name))
			return *p = i, true;
	return false;
}

/* ---- amax ---- */

mx_f32 mx_in_input_type(const struct mx_scheme_call *c, mx_f32 x) {
	switch (c->x->dtype) {
	case MX_DTYPE_BF16: return mx_bf16_to_f32(mx_bf16_from_f32(x));
	case MX_DTYPE_F16: return mx_f16_to_f32(mx_f16_from_f32(x));
	default: return x;
	}
}

mx_f32 mx_tile_amax(const struct mx_scheme_call *c, const struct mx_tile *b) {
	uint32_t amax = 0;
	for (size_t r = b->row; r < b->row + b->rows; r++)
		for (size_t k = b->col; k < b->col + b->cols; k++) {
			uint32_t m = mx_tensor_get(c->x, r, k) & ~MX_F32_SIGN;
			if (m > amax && (m <= MX_F32_INF || c->s->rule.keeps_nan))
				amax = m;
		}
	return (mx_f32){ amax };
}

/* ---- checks of a call ---- */

static mx_status check_args(const struct mx_scheme_args *a) {
	if (!a)
		return MX_BAD_POINTER;
	if ((unsigned)a->scheme >= MX_SCHEMES)
		return MX_BAD_RECIPE;
	if ((unsigned)a->format >= MX_ELEMENTS || !(rows[a->scheme].info.formats >> a->format & 1))
		return MX_BAD_FORMAT;
	if ((unsigned)a->per >= MX_PERS || !(rows[a->scheme].info.per >> a->per & 1))
		return MX_BAD_OPTION;
	return MX_OK;
}

static size_t block_size(size_t size, size_t all) {
	return size ? size : all;
}

static size_t blocks(size_t size, size_t all) {
	return (all - 1) / size + 1;
}

mx_status mx_scheme_scales(const struct mx_scheme_args *a, size_t n, size_t k,
                           struct mx_scales_shape *shape) {
	mx_status s = check_args(a);
	if (s || !shape)
		return s ? s : MX_BAD_POINTER;
	size_t high = block_size(pers[a->per].rows, n), wide = block_size(pers[a->per].cols, k);
	bool empty = !n || !k;
	*shape = (struct mx_scales_shape){ empty ? 0 : blocks(high, n), empty ? 0 : blocks(wide, k),
		                           scale_bytes(rows[a->scheme].info.scale), high, wide };
	return MX_OK;
}

/* `count` rows of `bytes` each, `stride` bytes apart. */
static mx_status check_rows(size_t count, size_t bytes, size_t stride) {
	size_t end;
	if (count > 1 && stride < bytes)
		return MX_BAD_STRIDE;
	if (__builtin_mul_overflow(count - 1, stride, &end) || bytes > PTRDIFF_MAX ||
	    end > PTRDIFF_MAX - bytes)
		return MX_BAD_SHAPE;
	return MX_OK;
}

/* Neither n nor k is 0. */
static mx_status check_quantised(const struct mx_scheme_args *a, const struct mx_quantised *q,
                                 size_t n, size_t k) {
	struct mx_scales_shape shape;
	size_t bytes;
	mx_scheme_scales(a, n, k, &shape);
	if (!q || !q->codes || !q->scales)
		return MX_BAD_POINTER;
	if (__builtin_mul_overflow(shape.cols, shape.bytes, &bytes))
		return MX_BAD_SHAPE;
	mx_status s = check_rows(n, mx_packed_bytes(a->format, k), q->row_bytes);
	return s ? s : check_rows(shape.rows, bytes, q->scale_row_bytes);
}

static mx_status check_quantize(const struct mx_scheme_args *a, const struct mx_tensor *x,
                                const struct mx_quantised *out, const mx_f32 *tensor_scale) {
	mx_status s = check_args(a);
	if (s)
		return s;
	if (!x || (rows[a->scheme].info.tensor_scale && !tensor_scale))
		return MX_BAD_POINTER;
	if ((unsigned)x->dtype >= MX_DTYPES)
		return MX_BAD_OPTION;
	if (!x->rows || !x->cols)
		return MX_OK;
	s = mx_check_tensor(x);
	return s ? s : check_quantised(a, out, x->rows, x->cols);
}

/* ---- quantising ---- */

static void put_scale(const struct mx_quantised *out, size_t row, size_t col, size_t bytes,
                      uint32_t stored) {
	uint8_t *at = out->scales + row * out->scale_row_bytes + col * bytes;
	for (size_t i = 0; i < bytes; i++)
		at[i] = stored >> 8 * i;
}

static uint32_t get_scale(const struct mx_quantised *q, size_t row, size_t col, size_t bytes) {
	const uint8_t *at = q->scales + row * q->scale_row_bytes + col * bytes;
	uint32_t stored = 0;
	for (size_t i = 0; i < bytes; i++)
		stored |= (uint32_t)at[i] << 8 * i;
	return stored;
}

static void put_codes(const struct mx_scheme_call *c, const struct mx_tile *b,
                      const struct mx_factor *f, const struct mx_quantised *out) {
	for (size_t r = b->row; r < b->row + b->rows; r++)
		for (size_t i = 0; i < b->cols; i++) {
			mx_f32 x = { mx_tensor_get(c->x, r, b->col + i) };
			mx_elem_set(c->format, out->codes + r * out->row_bytes, b->col + i,
			            c->s->family->code(c, f, x, i));
		}
}

static size_t least(size_t a, size_t b) {
	return a < b ? a : b;
}

static void quantize(const struct mx_scheme_call *c, mx_per per, const struct mx_quantised *out) {
	size_t n = c->x->rows, k = c->x->cols, bytes = scale_bytes(c->s->info.scale);
	size_t high = block_size(pers[per].rows, n), wide = block_size(pers[per].cols, k);
	for (size_t r = 0; r < n; r++)
		memset(out->codes + r * out->row_bytes, 0, mx_packed_bytes(c->format, k));
	for (size_t r = 0; r < n; r += least(high, n - r))
		for (size_t j = 0; j < k; j += least(wide, k - j)) {
			struct mx_tile b = { r, j, least(high, n - r), least(wide, k - j) };
			struct mx_factor f = c->s->family->scale(c, &b);
			put_scale(out, r / high, j / wide, bytes, f.stored);
			put_codes(c, &b, &f, out);
		}
}

mx_status mx_scheme_quantize(const struct mx_scheme_args *a, const struct mx_tensor *x,
                             const struct mx_quantised *out, mx_f32 *tensor_scale) {
	mx_status s = check_quantize(a, x, out, tensor_scale);
	if (s)
		return s;
	struct mx_scheme_call c = { &rows[a->scheme], a->format, x, { 0 } };
	struct mx_tile all = { 0, 0, x->rows, x->cols };
	if (c.s->info.tensor_scale) {
		c.tensor = a->tensor_scale ? *a->tensor_scale
		                           : c.s->family->tensor_scale(&c, mx_tile_amax(&c, &all));
		*tensor_scale = c.tensor;
	}
	if (x->rows && x->cols)
		quantize(&c, a->per, out);
	return MX_OK;
}

/* ---- dequantising ---- */

static mx_status check_dequantize(const struct mx_scheme_args *a, const struct mx_quantised *q,
                                  size_t n, size_t k, const mx_f32 *out, size_t row_bytes,
                                  size_t col_bytes) {
	mx_status s = check_args(a);
	if (s)
		return s;
	if (rows[a->scheme].info.tensor_scale && !a->tensor_scale)
		return MX_BAD_POINTER;
	if (!n || !k)
		return MX_OK;
	if (!out)
		return MX_BAD_POINTER;
	s = check_quantised(a, q, n, k);
	return s ? s : mx_check_strides(n, k, row_bytes, col_bytes);
}

mx_status mx_scheme_dequantize(const struct mx_scheme_args *a, const struct mx_quantised *q,
                               size_t n, size_t k, mx_f32 *out, size_t row_bytes,
                               size_t col_bytes) {
	mx_status s = check_dequantize(a, q, n, k, out, row_bytes, col_bytes);
	if (s || !n || !k)
		return s;
	struct mx_scheme_call c = { &rows[a->scheme], a->format, NULL, { 0 } };
	size_t high = block_size(pers[a->per].rows, n), wide = block_size(pers[a->per].cols, k);
	if (c.s->info.tensor_scale)
		c.tensor = *a->tensor_scale;
	for (size_t r = 0; r < n; r++)
		for (size_t j = 0; j < k; j++) {
			mx_f32 y = c.s->family->value(
				&c, get_scale(q, r / high, j / wide, scale_bytes(c.s->info.scale)),
				mx_elem_get(a->format, q->codes + r * q->row_bytes, j), j % wide);
			memcpy((uint8_t *)out + r * row_bytes + j * col_bytes, &y, sizeof y);
		}
	return MX_OK;
}
