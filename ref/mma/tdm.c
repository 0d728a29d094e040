/* Tensor descriptors of gfx1250: their fields, and the copies that they describe. */
#include "../mxref.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- fields ---- */

enum { GROUP0 = 0, GROUP1 = 4, GROUP2 = 12, GROUP3 = 16 }; /* their first dwords */

/* Up to 63 bits from bit `at` of a group. */
static uint64_t field(const uint32_t *d, unsigned group, unsigned at, unsigned bits) {
	uint64_t v = 0;
	for (unsigned i = 0; i < bits; i++) {
		unsigned bit = at + i;
		v |= (uint64_t)(d[group + bit / 32] >> bit % 32 & 1) << i;
	}
	return v;
}

static void decode_rows(const uint32_t *d, struct mx_tdm *t) {
	unsigned bits = field(d, GROUP0, 30, 1) ? 32 : 16;
	t->dims = 2;
	for (unsigned i = 0; i < t->tile[1] && i < 256 / bits; i++)
		t->row[i] = (uint32_t)field(d, GROUP2, bits * i, bits);
}

static void decode_repeats(const uint32_t *d, struct mx_tdm *t) {
	t->lds_step = (uint32_t)field(d, GROUP2, 32, 32);
	t->memory_step = field(d, GROUP2, 64, 48);
	t->repeats = 1 + (unsigned)field(d, GROUP2, 112, 16);
}

/* Dimensions 2 to 2 + n - 1. */
static void decode_higher(const uint32_t *d, unsigned n, struct mx_tdm *t) {
	static const struct {
		uint8_t tile_group, tile, tensor_group, tensor, stride_group, stride;
	} at[] = { { GROUP1, 144, GROUP2, 0, GROUP1, 208 },
		   { GROUP2, 112, GROUP2, 32, GROUP2, 64 },
		   { GROUP3, 80, GROUP3, 48, GROUP3, 0 } };
	for (unsigned i = 0; i < n; i++) {
		t->tile[2 + i] = (uint32_t)field(d, at[i].tile_group, at[i].tile, 16);
		t->tensor[2 + i] = (uint32_t)field(d, at[i].tensor_group, at[i].tensor, 32);
		t->stride[2 + i] = field(d, at[i].stride_group, at[i].stride, 48);
	}
}

/* What loads have and stores ignore. */
static void decode_load(const uint32_t *d, struct mx_tdm *t) {
	t->workgroups = (uint16_t)field(d, GROUP1, 0, 16);
	t->early_timeout = field(d, GROUP1, 21, 1);
	if (field(d, GROUP1, 20, 1)) {
		t->pad_every = 8u << field(d, GROUP1, 22, 3);
		t->pad = 4 * (1 + (unsigned)field(d, GROUP1, 25, 7));
	}
}

static void decode_fields(const uint32_t *d, struct mx_tdm *t) {
	t->null = !field(d, GROUP0, 0, 2);
	t->gather = field(d, GROUP0, 31, 1);
	t->lds = (uint32_t)field(d, GROUP0, 32, 32);
	t->memory = field(d, GROUP0, 64, 57);
	t->bytes = 1u << field(d, GROUP1, 16, 2);
	t->arrives = field(d, GROUP1, 18, 1);
	t->barrier = 8 * (uint32_t)field(d, GROUP1, 32, 16);
	t->tensor[0] = (uint32_t)field(d, GROUP1, 48, 32);
	t->tensor[1] = (uint32_t)field(d, GROUP1, 80, 32);
	t->tile[0] = (uint32_t)field(d, GROUP1, 112, 16);
	t->tile[1] = (uint32_t)field(d, GROUP1, 128, 16);
	t->stride[0] = 1;
	t->stride[1] = field(d, GROUP1, 160, 48);
	t->repeats = 1;
	if (!t->store)
		decode_load(d, t);
	if (t->gather) {
		decode_rows(d, t);
	} else {
		bool repeats = field(d, GROUP1, 19, 1);
		if (repeats)
			decode_repeats(d, t);
		decode_higher(d, repeats ? 1 : 3, t);
		for (unsigned i = 0; i < MX_TDM_DIMS; i++)
			t->dims = t->tile[i] ? i + 1 : t->dims;
	}
	if (!t->tile[0])
		t->dims = 0;
}

/* ---- what is not defined ---- */

static bool is_empty(const struct mx_tdm *t) {
	bool empty = false;
	for (unsigned i = 0; i < t->dims; i++)
		empty |= !t->tensor[i];
	return empty;
}

/* The dimensions along which the tensor has several elements, by descending stride. */
static unsigned by_stride(const struct mx_tdm *t, unsigned order[MX_TDM_DIMS]) {
	unsigned n = 0;
	for (unsigned i = 0; i < t->dims; i++) {
		unsigned k = n;
		if (t->tensor[i] < 2)
			continue;
		for (; k && t->stride[order[k - 1]] <= t->stride[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
		n++;
	}
	return n;
}

/* Whether no two elements of the tensor share an address, as repeats need. */
static bool is_nested(const struct mx_tdm *t) {
	unsigned order[MX_TDM_DIMS], n = by_stride(t, order);
	unsigned __int128 span = 1;
	while (n--) {
		if (t->stride[order[n]] < span)
			return false;
		span += (unsigned __int128)t->stride[order[n]] * (t->tensor[order[n]] - 1);
	}
	return true;
}

static const char *invalid_group0(const uint32_t *d) {
	if (field(d, GROUP0, 126, 2) != 2)
		return "its type is not 2";
	if (field(d, GROUP0, 0, 2) > 1)
		return "its count is above 1, which is for context restore";
	if (field(d, GROUP0, 2, 3) || field(d, GROUP0, 10, 1))
		return "bit 2, 3, 4 or 10 of group 0 is set, which is for context restore";
	if (field(d, GROUP0, 11, 19) || field(d, GROUP0, 121, 5))
		return "a reserved bit of group 0 is set";
	return NULL;
}

static const char *invalid_rows(const uint32_t *d, const struct mx_tdm *t) {
	if (!t->gather)
		return field(d, GROUP0, 30, 1) ? "its rows have an index size, but it is no gather"
		                               : NULL;
	return t->tile[1] > (field(d, GROUP0, 30, 1) ? 8 : 16) ? "it has more rows than indices"
	                                                       : NULL;
}

static const char *invalid_repeats(const uint32_t *d, const struct mx_tdm *t) {
	if (t->gather || !field(d, GROUP1, 19, 1))
		return NULL;
	if (t->repeats > 256)
		return "it repeats more than 256 times";
	if (field(d, GROUP3, 80, 16))
		return "it repeats a tile of five dimensions";
	if (t->dims == 1)
		return "it repeats a tile of one dimension";
	bool moves = t->repeats > 1 && t->memory_step && !is_empty(t);
	return moves && !is_nested(t) ? "it repeats in a tensor whose elements overlap" : NULL;
}

static const char *invalid_tile(const uint32_t *d, const struct mx_tdm *t) {
	if (!t->gather && field(d, GROUP3, 96, 32))
		return "a reserved bit of group 3 is set";
	for (unsigned i = 1; i < t->dims && !t->gather; i++)
		if (!t->tile[i])
			return "a dimension of its tile is unused below one that is used";
	if (t->pad && t->bytes * t->tile[0] % 4)
		return "it pads rows that are no whole dwords";
	return NULL;
}

static const char *invalid(const uint32_t *d, const struct mx_tdm *t) {
	const char *why = invalid_group0(d);
	why = why ? why : invalid_rows(d, t);
	why = why ? why : invalid_repeats(d, t);
	return why ? why : invalid_tile(d, t);
}

mx_status mx_tdm_decode(const uint32_t d[MX_TDM_DWORDS], bool store, struct mx_tdm *t) {
	if (!d || !t)
		return MX_BAD_POINTER;
	*t = (struct mx_tdm){ .store = store };
	decode_fields(d, t);
	if (!t->null)
		t->invalid = invalid(d, t);
	return MX_OK;
}

/* ---- copies ---- */

/* Elements of one copy of the tile; UINT64_MAX if they are too many to count. */
static uint64_t elements(const struct mx_tdm *t) {
	uint64_t n = t->dims > 0;
	for (unsigned i = 0; i < t->dims; i++)
		if (__builtin_mul_overflow(n, t->tile[i], &n))
			return UINT64_MAX;
	return n;
}

static uint64_t padding_before(const struct mx_tdm *t, uint64_t position) {
	return t->pad ? position / t->pad_every * t->pad : 0;
}

/* 64 bits hold all but the number of elements: fields of LDS have 32. */
uint64_t mx_tdm_lds_end(const struct mx_tdm *t) {
	uint64_t n = !t || t->null || t->invalid ? 0 : elements(t);
	if (!n || n > UINT32_MAX)
		return n ? UINT64_MAX : 0;
	uint64_t last = ((t->repeats - 1) * (uint64_t)t->lds_step + n) * t->bytes - 1;
	return t->lds + last + padding_before(t, last) + 1;
}

struct walk {
	const struct mx_tdm *t;
	mx_tdm_visit *visit;
	void *context;
};

/* Bytes of one row that are all inside or all outside; `position` counts the bytes before them in
 * LDS without padding. */
static void visit_bytes(const struct walk *w, uint64_t memory, uint64_t position, uint32_t bytes,
                        bool inside) {
	const struct mx_tdm *t = w->t;
	while (bytes) {
		uint32_t left = t->pad ? t->pad_every - (uint32_t)(position % t->pad_every) : bytes;
		struct mx_tdm_move m = { .memory = memory,
			                 .lds = (uint32_t)(t->lds + position +
			                                   padding_before(t, position)),
			                 .bytes = left < bytes ? left : bytes,
			                 .inside = inside };
		w->visit(w->context, &m);
		memory += m.bytes;
		position += m.bytes;
		bytes -= m.bytes;
	}
}

/* A row of the tile: its coordinates in the tensor, and `element`, its first in LDS. */
static void visit_row(const struct walk *w, uint64_t memory, const uint64_t at[MX_TDM_DIMS],
                      uint64_t element) {
	const struct mx_tdm *t = w->t;
	uint64_t inside = at[0] < t->tensor[0] ? t->tensor[0] - at[0] : 0;
	for (unsigned i = 1; i < t->dims; i++)
		inside = at[i] < t->tensor[i] ? inside : 0;
	uint32_t n = inside < t->tile[0] ? (uint32_t)inside : t->tile[0];
	visit_bytes(w, memory, element * t->bytes, n * t->bytes, true);
	visit_bytes(w, memory + n * t->bytes, (element + n) * t->bytes, (t->tile[0] - n) * t->bytes,
	            false);
}

/* Sets the coordinates in the tensor of the element at this distance from the tile's first. They
 * are outside if there is no such element. */
static void origin_of(const struct mx_tdm *t, uint64_t distance, uint64_t origin[MX_TDM_DIMS]) {
	unsigned order[MX_TDM_DIMS], n = by_stride(t, order);
	memset(origin, 0, MX_TDM_DIMS * sizeof *origin);
	if (is_empty(t) || !distance)
		return;
	for (unsigned i = 0; i < n; i++) {
		origin[order[i]] = distance / t->stride[order[i]];
		distance %= t->stride[order[i]];
	}
	origin[0] += distance; /* only if dimension 0 is not among them */
}

/* One copy of the tile. */
static void visit_tile(const struct walk *w, uint64_t copy) {
	const struct mx_tdm *t = w->t;
	uint64_t origin[MX_TDM_DIMS], at[MX_TDM_DIMS], rows = elements(t) / t->tile[0];
	uint64_t distance = copy * t->memory_step;
	origin_of(t, distance, origin);
	for (uint64_t r = 0; r < rows; r++) {
		uint64_t rest = r, element = distance;
		memcpy(at, origin, sizeof at);
		for (unsigned i = 1; i < t->dims; i++) {
			uint64_t x = t->gather ? t->row[rest] : rest % t->tile[i];
			rest /= t->tile[i];
			at[i] += x;
			element += x * t->stride[i];
		}
		visit_row(w, t->memory + element * t->bytes, at,
		          copy * t->lds_step + r * t->tile[0]);
	}
}

mx_status mx_tdm_moves(const struct mx_tdm *t, mx_tdm_visit *visit, void *context) {
	const struct walk w = { t, visit, context };
	if (!t || !visit)
		return MX_BAD_POINTER;
	if (t->invalid)
		return MX_BAD_OPTION;
	uint64_t end = mx_tdm_lds_end(t);
	if (end > 1ull << 32)
		return MX_BAD_SHAPE;
	for (unsigned i = 0; end && i < t->repeats; i++)
		visit_tile(&w, i);
	return MX_OK;
}

/* ---- text ---- */

struct text {
	char *at;
	size_t room, size;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *x, const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	size_t left = x->size < x->room ? x->room - x->size : 0;
	int n = vsnprintf(left ? x->at + x->size : NULL, left, format, ap);
	va_end(ap);
	x->size += n > 0 ? (size_t)n : 0;
}

static void put_dims(struct text *x, const uint32_t *n, unsigned dims) {
	while (dims--)
		put(x, "[%u]", n[dims]);
}

static void put_rows(struct text *x, const struct mx_tdm *t) {
	unsigned n = t->tile[1] < MX_TDM_ROWS ? t->tile[1] : MX_TDM_ROWS;
	put(x, "rows");
	for (unsigned i = 0; i < n; i++)
		put(x, "%s %u", i ? "," : "", t->row[i]);
	put(x, " of [%u]", t->tile[0]);
}

static void put_tile(struct text *x, const struct mx_tdm *t) {
	if (t->gather)
		put_rows(x, t);
	else
		put_dims(x, t->tile, t->dims);
	put(x, " of %u byte%s at 0x%llx", t->bytes, t->bytes == 1 ? "" : "s",
	    (unsigned long long)t->memory);
	for (unsigned i = t->dims; i-- > 1;)
		put(x, "%s[%llu]", i == t->dims - 1 ? ", strides " : "",
		    (unsigned long long)t->stride[i]);
	put(x, "; tensor from there ");
	put_dims(x, t->tensor, t->dims);
	put(x, "; LDS 0x%x", t->lds);
	if (t->pad)
		put(x, ", %u bytes after each %u", t->pad, t->pad_every);
}

static void put_options(struct text *x, const struct mx_tdm *t) {
	if (t->repeats > 1)
		put(x, "; %u times, memory + %llu, LDS + %u elements", t->repeats,
		    (unsigned long long)t->memory_step, t->lds_step);
	if (t->workgroups)
		put(x, "; multicast 0x%04x%s", t->workgroups,
		    t->early_timeout ? " with early timeout" : "");
	if (t->arrives)
		put(x, "; arrives at LDS 0x%x", t->barrier);
}

size_t mx_tdm_text(const struct mx_tdm *t, char *text, size_t room) {
	struct text x = { text, text ? room : 0, 0 };
	if (!t)
		return 0;
	put(&x, "%s ", t->store ? "store" : "load");
	if (t->null) {
		put(&x, "null");
		return x.size;
	}
	if (t->invalid)
		put(&x, "(invalid: %s) ", t->invalid);
	if (!t->dims)
		put(&x, "nothing");
	else
		put_tile(&x, t);
	put_options(&x, t);
	return x.size;
}
