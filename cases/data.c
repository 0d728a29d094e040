/* The contents of a plan's buffers before the launch. */
#include "dtype.h"
#include "epilogue.h"
#include "fill.h"
#include "groups.h"
#include "layout.h"
#include "plant.h"
#include "quantised.h"
#include "quantised_tensor.h"
#include "reference.h"
#include "tiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint8_t max_finite_code(mx_format f) {
	uint8_t code = (1u << (mx_format_info(f)->bits - 1)) - 1;
	while (mx_elem_unpack(f, (mx_elem){ code }).kind != MX_NUMBER)
		code--;
	return code;
}

double operand_value(const struct operand *o, size_t row, size_t col) {
	mx_f32 bits = mx_elem_to_f32(o->format, mx_elem_get(o->format, operand_row(o, row), col));
	uint8_t scale = *operand_scale(o, row, col / MX_BLOCK);
	float value;
	memcpy(&value, &bits, sizeof value);
	return scale == 0xFF ? NAN : ldexp((double)value, scale - 127);
}

/* Eight codes are as many bytes as a code has bits. */
void operand_put_block(const struct operand *o, size_t row, size_t block,
                       const mx_elem codes[MX_BLOCK]) {
	unsigned bits = mx_format_info(o->format)->bits;
	uint8_t *to = operand_row(o, row) + block * (MX_BLOCK / 8 * bits);
	for (size_t i = 0; i < MX_BLOCK; i += 8, to += bits) {
		uint64_t word = 0;
		for (unsigned k = 0; k < 8; k++)
			word |= (uint64_t)codes[i + k].v << k * bits;
		memcpy(to, &word, bits);
	}
}

static void *allocate(const struct mx_plan *p, const char *name, size_t bytes,
                      struct mx_error *err) {
	void *memory = malloc(bytes ? bytes : 1);
	if (!memory)
		mx_fail(err, "%s: %s: no memory for %zu bytes", p->name, name, bytes);
	return memory;
}

static int allocate_all(const struct mx_plan *p, struct mx_data *data, struct mx_error *err) {
	for (unsigned i = 0; i < p->n_buffers; i++) {
		const struct mx_buffer *b = &p->buffers[i];
		if (mx_tiles_divide(p, i)) {
			if (!(data->bytes[i] = mx_sparse_new(b->data_bytes)))
				return mx_fail(err, "%s: %s: no memory for %zu bytes", p->name,
				               b->name, b->data_bytes);
			data->sparse[i] = b->data_bytes;
			continue;
		}
		if (mx_buffer_is_poison(p, i)) {
			if (!(data->bytes[i] = mx_poison_new(b->data_bytes)))
				return mx_fail(err, "%s: %s: no memory for %zu bytes", p->name,
				               b->name, b->data_bytes);
			data->poison[i] = b->data_bytes;
			continue;
		}
		data->bytes[i] = allocate(p, b->name, b->data_bytes, err);
		if (!data->bytes[i])
			return -1;
		memset(data->bytes[i], MX_POISON, b->data_bytes);
	}
	return 0;
}

static struct operand make_operand(const struct mx_plan *p, const struct mx_data *data,
                                   const struct mx_buffer *codes, mx_role scale_role,
                                   uint64_t seed) {
	const struct mx_buffer *scales = mx_plan_role(p, scale_role);
	return (struct operand){
		.codes = codes,
		.scales = scales,
		.format = dtype_format(codes->type),
		.code_bytes = data->bytes[codes - p->buffers],
		.scale_bytes = data->bytes[scales - p->buffers],
		.quantised = mx_buffer_is_quantised(p, codes),
		.to = codes->rows,
		.stream = draw_stream(seed, p->c->name, codes->name),
	};
}

/* Properties of the operands that the data of an epilogue depend on. */
struct drawn {
	int unit; /* products are multiples of 2^unit, in the exact regime */
	struct planted planted;
};

/* The limit of the sum of magnitudes in the exact regime, in units of the products. */
static uint64_t exact_limit(const struct mx_plan *p) {
	return p->c->epilogue ? (1u << EPILOGUE_ACC_BITS) / epilogue_dyadic(p->epilogue.alpha).odd
	                      : 1u << 24;
}

/* The operands' rows and blocks of one product or group. */
static struct product product_of(const struct mx_plan *p, const struct operand *a,
                                 const struct operand *b, size_t index) {
	const struct mx_groups *g = &p->groups;
	struct product whole = { .rows = { a->codes->rows, b->codes->rows },
		                 .blocks = a->scales->cols,
		                 .whole = a->scales->cols,
		                 .split = (size_t)p->k_split / MX_BLOCK };
	if (!g->n)
		return whole;
	if (p->c->groups->of == MX_GROUPS_COLS) {
		whole.block = g->begin[index] / MX_BLOCK;
		whole.blocks = (g->rows[index] + MX_BLOCK - 1) / MX_BLOCK;
		whole.whole = g->rows[index] / MX_BLOCK;
		return whole;
	}
	whole.row[0] = g->begin[index];
	whole.rows[0] = g->rows[index];
	whole.row[1] = index * (size_t)p->N;
	whole.rows[1] = (size_t)p->N;
	return whole;
}

static mx_buffer_type output_type(const struct mx_plan *p) {
	const struct mx_buffer *c = mx_plan_role(p, MX_ROLE_C);
	return c ? c->type : MX_DT_F32;
}

static size_t products(const struct mx_plan *p) {
	return p->groups.n ? p->groups.n : 1;
}

enum { F16_BASE = -12 }; /* sums below 2^24 units of 2^-11 to 2^-9 are numbers of f16 */

/* The base of B; `other` is A's. */
static int base_of_b(const struct mx_plan *p, const struct operand *b, int other) {
	if (p->c->epilogue)
		return exact_base_against(b, other);
	return output_type(p) == MX_DT_F16 ? exact_base_against(b, other) + F16_BASE
	                                   : exact_base(b);
}

/* An epilogue changes the sums, so it has no ties. Neither have tiles, because ties are planted in
 * rows of the whole product. */
static int plant_all_ties(const struct mx_plan *p, const struct exact_side side[2], uint64_t seed,
                          struct mx_error *err) {
	struct stream s = draw_stream(seed, p->c->name, "");
	for (size_t i = 0; !p->c->epilogue && !p->n_tiles && i < products(p); i++) {
		struct product one = product_of(p, side[0].o, side[1].o, i);
		if (plant_ties(side, &one, i, output_type(p), s, err))
			return -1;
	}
	return 0;
}

/* The operand's rows of each tile; without tiles, all. */
static unsigned parts(const struct mx_plan *p) {
	return p->n_tiles ? p->n_tiles : 1;
}

static struct operand part_of(const struct mx_plan *p, const struct operand *o, unsigned i) {
	struct operand part = *o;
	if (p->n_tiles)
		tiles_rows(p, o->codes->role, i, &part.from, &part.to);
	return part;
}

static void fill_parts_exact(const struct mx_plan *p, const struct operand *o, struct reach reach,
                             int base) {
	for (unsigned i = 0; i < parts(p); i++) {
		struct operand part = part_of(p, o, i);
		fill_exact(&part, reach, base);
	}
}

/* a or b may be NULL. */
static int fill_both_exact(const struct mx_plan *p, const struct operand *a,
                           const struct operand *b, uint64_t seed, struct drawn *drawn,
                           struct mx_error *err) {
	struct reach ra, rb;
	int base_a = a ? exact_base(a) : 0;
	int base_b = b ? base_of_b(p, b, base_a) : 0;
	bool by_cols = p->groups.n && p->c->groups->of == MX_GROUPS_COLS;
	int64_t K = by_cols ? (int64_t)groups_most(&p->groups) : p->K;
	if (!exact_reach(a, b, K ? K : 1, exact_limit(p), &ra, &rb))
		return mx_fail(err, "%s: K = %" PRId64 " is too long for the exact regime%s",
		               p->name, K, p->c->epilogue ? " with this alpha" : "");
	if (a)
		fill_parts_exact(p, a, ra, base_a);
	if (b)
		fill_parts_exact(p, b, rb, base_b);
	drawn->unit = base_a + base_b;
	struct exact_side side[2] = { { a, ra, base_a }, { b, rb, base_b } };
	return a && b ? plant_all_ties(p, side, seed, err) : 0;
}

static int fill_part_general(const struct mx_plan *p, const struct operand *o,
                             struct mx_error *err) {
	const char *wrong = fill_general(o);
	return wrong ? mx_fail(err, "%s: general regime: %s %s", p->name, o->codes->name, wrong)
	             : 0;
}

/* A kernel that quantises gets the unquantised values. Otherwise to draw some of a large operand
 * again takes less time than to keep all. Those of tiles have no use. */
static int fill_one_general(const struct mx_plan *p, const struct operand *o, float **values,
                            bool *draws_again, struct mx_error *err) {
	enum { KEPT = 1 << 20 };
	if (!o)
		return 0;
	size_t n = o->codes->rows * o->codes->cols;
	bool keeps = !p->n_tiles && (o->quantised || n <= KEPT);
	if (keeps && !(*values = allocate(p, o->codes->name, n * sizeof **values, err)))
		return -1;
	*draws_again = !p->n_tiles && !keeps;
	for (unsigned i = 0; i < parts(p); i++) {
		struct operand part = part_of(p, o, i);
		part.values = *values;
		if (fill_part_general(p, &part, err))
			return -1;
	}
	return 0;
}

/* The operand (0 for A, 1 for B) with rows that the f32 bias belongs to. */
static int bias_side(const struct mx_plan *p) {
	if (!p->c->epilogue || p->epilogue.bias < 0 ||
	    p->buffers[p->epilogue.bias].type != MX_DT_F32)
		return NO_BIAS;
	return p->buffers[p->epilogue.bias].role == MX_ROLE_BIAS_COLS;
}

static int fill_both_special(const struct mx_plan *p, const struct operand *a,
                             const struct operand *b, uint64_t seed, struct planted *planted,
                             struct mx_error *err) {
	const struct operand *const side[2] = { a, b };
	struct stream s = draw_stream(seed, p->c->name, "");
	if (a)
		fill_special(a);
	if (b)
		fill_special(b);
	for (size_t i = 0; a && b && i < products(p); i++) {
		struct product one = product_of(p, a, b, i);
		if (plant_results(side, &one, i, output_type(p), bias_side(p), s, planted, err))
			return -1;
	}
	return 0;
}

static int fill_by_regime(const struct mx_plan *p, struct operand *a, struct operand *b,
                          struct mx_data *data, uint64_t seed, struct drawn *drawn,
                          struct mx_error *err) {
	switch (p->regime) {
	case MX_REGIME_EXACT: return fill_both_exact(p, a, b, seed, drawn, err);
	case MX_REGIME_GENERAL:
		if (fill_one_general(p, a, &data->a, &data->draws_again[0], err))
			return -1;
		return fill_one_general(p, b, &data->b, &data->draws_again[1], err);
	case MX_REGIME_SPECIAL: return fill_both_special(p, a, b, seed, &drawn->planted, err);
	}
	return 0;
}

static void clear_parts(const struct mx_plan *p, const struct operand *o) {
	for (unsigned i = 0; i < parts(p); i++) {
		struct operand part = part_of(p, o, i);
		groups_clear(&p->groups, p->c->groups->of, &part);
	}
}

static int fill_operands(const struct mx_plan *p, uint64_t seed, struct mx_data *data,
                         struct drawn *drawn, struct mx_error *err) {
	const struct mx_buffer *codes_a = mx_plan_role(p, MX_ROLE_A);
	const struct mx_buffer *codes_b = mx_plan_role(p, MX_ROLE_B);
	struct operand both[2], *a = NULL, *b = NULL;
	if (codes_a)
		*(a = &both[0]) = make_operand(p, data, codes_a, MX_ROLE_A_SCALE, seed);
	if (codes_b)
		*(b = &both[1]) = make_operand(p, data, codes_b, MX_ROLE_B_SCALE, seed);
	if (fill_by_regime(p, a, b, data, seed, drawn, err))
		return -1;
	const struct mx_groups_spec *groups = p->c->groups;
	if (groups && groups->zero && a)
		clear_parts(p, a);
	if (groups && groups->zero && b && groups->of == MX_GROUPS_COLS)
		clear_parts(p, b);
	return 0;
}

static void fill_bytes(const struct mx_plan *p, const struct mx_buffer *b, uint64_t seed,
                       uint8_t *bytes) {
	struct stream s = draw_stream(seed, p->c->name, b->name);
	for (size_t line = 0; line < b->lines; line++)
		for (size_t i = 0; i < b->line_bytes; i += sizeof(struct draw)) {
			struct draw d = draw_at(s, DRAW_ELEMENT, line, i / sizeof d);
			size_t left = b->line_bytes - i;
			memcpy(bytes + mx_buffer_data(b, line) + i, &d,
			       left < sizeof d ? left : sizeof d);
		}
}

/* The same bytes of what tiles use. */
struct drawn_bytes {
	const struct mx_buffer *b;
	struct stream s;
	uint8_t *bytes;
};

static void fill_used(void *context, size_t from, size_t bytes) {
	const struct drawn_bytes *f = context;
	for (size_t at = from; at < from + bytes; at++) {
		size_t i = at % f->b->ld;
		struct draw d = draw_at(f->s, DRAW_ELEMENT, at / f->b->ld, i / sizeof d);
		f->bytes[at] = ((const uint8_t *)&d)[i % sizeof d];
	}
}

static void fill_random(const struct mx_plan *p, unsigned i, uint64_t seed, uint8_t *bytes) {
	const struct mx_buffer *b = &p->buffers[i];
	struct drawn_bytes f = { b, draw_stream(seed, p->c->name, b->name), bytes };
	if (mx_tiles_divide(p, i))
		mx_tiles_bytes(p, i, fill_used, &f);
	else
		fill_bytes(p, b, seed, bytes);
}

/* Each element is its number, counted along lines. */
static void fill_index(const struct mx_buffer *b, uint8_t *bytes) {
	size_t n = b->order == MX_ORDER_COL ? b->rows : b->cols, width = dtype_bytes(b->type, 1);
	for (size_t line = 0; line < b->lines; line++)
		for (size_t i = 0; i < n; i++) {
			uint64_t v = line * n + i;
			memcpy(bytes + mx_buffer_data(b, line) + i * width, &v, width);
		}
}

static bool is_operand(mx_role role) {
	return role >= MX_ROLE_A && role <= MX_ROLE_B_SCALE;
}

/* Operands from a file are not quantised from these values. */
static void free_unquantised(struct mx_data *data) {
	free(data->a);
	free(data->b);
	data->a = data->b = NULL;
	data->draws_again[0] = data->draws_again[1] = false;
}

static bool is_added(const struct mx_plan *p, unsigned i) {
	return (int)i == p->epilogue.c || (int)i == p->epilogue.bias;
}

/* Fills a buffer by its `data` key. Without the key, operands keep the regime's data, outputs stay
 * poison, and other buffers are random. */
static int fill_by_key(const struct mx_plan *p, unsigned i, uint64_t seed,
                       const struct drawn *drawn, struct mx_data *data, struct mx_error *err) {
	const struct mx_buffer *b = &p->buffers[i];
	const char *how = p->c->buffers[i].data;
	int slot = reference_slot_of(p->c, i);
	if (quantised_gives(p, i))
		return 0;
	if (tensor_draws(p, i)) {
		tensor_draw(p, i, seed, data->bytes[i]);
		return 0;
	}
	bool typed = b->role == MX_ROLE_NONE && (how ? !strcmp(how, "regime") : slot >= 0);
	if (typed && reference_draws_table(slot))
		return fill_table(p, (mx_slot)slot, i, seed, data->bytes[i], err);
	if (typed && mx_buffer_is_filled(p, b)) {
		fill_typed(p, i, seed, data->bytes[i]);
		return 0;
	}
	if (how ? !strcmp(how, "regime") : is_added(p, i))
		return epilogue_fill(p, i, seed, drawn->unit, &drawn->planted, data->bytes[i], err);
	if (!how && (b->role == MX_ROLE_GROUP_BEGIN || b->role == MX_ROLE_GROUP_ROWS))
		groups_fill(&p->groups, b->role, dtype_bytes(b->type, 1), data->bytes[i]);
	if (!how && (b->role != MX_ROLE_NONE || !mx_buffer_is_filled(p, b)))
		return 0;
	if (is_operand(b->role))
		free_unquantised(data);
	if (!how || !strcmp(how, "random"))
		fill_random(p, i, seed, data->bytes[i]);
	else if (!strcmp(how, "index"))
		fill_index(b, data->bytes[i]);
	else if (!strcmp(how, "zero")) /* tiles begin with zeros */
		for (size_t line = 0; line < b->lines && !data->sparse[i]; line++)
			memset(data->bytes[i] + mx_buffer_data(b, line), 0, b->line_bytes);
	else if (strcmp(how, "poison"))
		return mx_data_read(p, i, how, data->bytes[i], err);
	return 0;
}

bool mx_buffer_holds_others(const struct mx_plan *p, unsigned i) {
	for (unsigned k = 0; k < p->n_buffers; k++)
		if (p->buffers[k].in == (int)i)
			return true;
	return false;
}

bool mx_buffer_is_filled(const struct mx_plan *plan, const struct mx_buffer *b) {
	const char *how = plan->c->buffers[b - plan->buffers].data;
	int slot = reference_slot_of(plan->c, (unsigned)(b - plan->buffers));
	bool is_output = b->role == MX_ROLE_C ||
	                 (slot >= 0 && reference_slot_is_output((mx_slot)slot)) ||
	                 plan->c->buffers[b - plan->buffers].of ||
	                 mx_buffer_holds_others(plan, (unsigned)(b - plan->buffers));
	if (mx_buffer_is_quantised(plan, b))
		return false;
	return how ? strcmp(how, "poison") != 0 : !is_output;
}

bool mx_buffer_is_poison(const struct mx_plan *p, unsigned i) {
	return p->buffers[i].in < 0 && !mx_tiles_divide(p, i) && !mx_buffer_holds_others(p, i) &&
	       !mx_buffer_is_filled(p, &p->buffers[i]);
}

int mx_data_make(const struct mx_plan *plan, uint64_t seed, struct mx_data *data,
                 struct mx_error *err) {
	struct drawn drawn = { 0 };
	*data = (struct mx_data){ .seed = seed };
	if (allocate_all(plan, data, err) || fill_operands(plan, seed, data, &drawn, err)) {
		mx_data_free(data);
		return -1;
	}
	for (unsigned i = 0; i < plan->n_buffers; i++)
		if (fill_by_key(plan, i, seed, &drawn, data, err)) {
			mx_data_free(data);
			return -1;
		}
	if (quantised_fill(plan, data, err)) {
		mx_data_free(data);
		return -1;
	}
	return 0;
}

bool mx_data_has_unquantised(const struct mx_data *data) {
	return data->a || data->draws_again[0];
}

void mx_data_unquantised(const struct mx_plan *plan, const struct mx_data *data, mx_role role,
                         size_t row, float *values) {
	const struct mx_buffer *codes = mx_plan_role(plan, role);
	const float *kept = role == MX_ROLE_A ? data->a : data->b;
	struct operand o = make_operand(plan, data, codes, role + 1, data->seed);
	if (kept)
		memcpy(values, kept + row * codes->cols, codes->cols * sizeof *values);
	else
		draw_general_row(&o, row, values);
}

static void fill_beside(const struct mx_buffer *b, uint8_t *bytes) {
	size_t from, to = 0;
	while (mx_buffer_unpacked(b, to, &from, &to))
		for (size_t at = from; at < to; at++)
			bytes[at] = mx_packing_fill(&b->packing, at);
}

void mx_buffer_pack(const struct mx_buffer *b, const uint8_t *data, uint8_t *bytes) {
	for (size_t line = 0; line < b->lines; line += b->plane_lines)
		mx_pack(&b->packing, data + line * b->ld, b->ld,
		        bytes + line / b->plane_lines * b->plane);
	fill_beside(b, bytes);
}

void mx_data_pack(const struct mx_plan *plan, unsigned i, const struct mx_data *data,
                  uint8_t *bytes) {
	const struct mx_buffer *b = &plan->buffers[i];
	if (!mx_buffer_is_filled(plan, b))
		memset(bytes, MX_POISON, b->bytes);
	else if (b->packing.layout)
		mx_buffer_pack(b, data->bytes[i], bytes);
	else
		memcpy(bytes, data->bytes[i], b->bytes);
}

void mx_data_free(struct mx_data *data) {
	for (unsigned i = 0; i < MX_MAX_BUFFERS; i++)
		if (data->sparse[i])
			mx_sparse_free(data->bytes[i], data->sparse[i]);
		else if (data->poison[i])
			mx_poison_free(data->bytes[i], data->poison[i]);
		else
			free(data->bytes[i]);
	free(data->a);
	free(data->b);
	*data = (struct mx_data){ 0 };
}
