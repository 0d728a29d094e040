/* Transposing loads: a matrix with M or N contiguous in memory, into the registers of an operand of
 * a matrix instruction, which has K contiguous [ISA 11.4].
 *
 * Sixteen lanes cooperate (assumed: the manual has no formula; the K of its tables, AMD's compilers
 * and kernels agree on this one). Each lane reads 64 to 128 bits from its own address. In the order
 * of lanes, the data forms rows of 16 elements. Lane i gets element i of each row, the first row in
 * the lowest bits:
 *
 *              16 bits: row r is what lanes 4r..4r+3 read
 *               8 bits:                  2r and 2r+1
 *         6 and 4 bits:                   r
 *
 * gfx1250 has another order of lanes for 16 and 8 bits [Triton on MI450; AMD's tests of
 * ds_load_tr8_b64]:
 *
 *              16 bits: row r is what lanes r and 8 + r read
 *               8 bits:                  r and 4 + r, of the next 4 rows 8 later
 */
#include "../machine/findings.h"
#include "ds.h"
#include "lds.h"
#include "vmem.h"

enum { TEAM = 16, TEAM_DWORDS = TEAM * 4 };

mx_handler mx_x_ds_read_b64_tr_b16, mx_x_ds_read_b64_tr_b8, mx_x_ds_read_b64_tr_b4,
	mx_x_ds_read_b96_tr_b6, mx_x_ds_load_tr16_b128, mx_x_ds_load_tr8_b64;

/* Bits [at, at + n) of a string of dwords, n up to 16. */
static uint32_t get_bits(const uint32_t *s, unsigned at, unsigned n) {
	uint64_t v = s[at / 32];
	if (at % 32 + n > 32)
		v |= (uint64_t)s[at / 32 + 1] << 32;
	return (uint32_t)(v >> at % 32) & ((1u << n) - 1);
}

static void put_bits(uint32_t *s, unsigned at, unsigned n, uint32_t v) {
	s[at / 32] |= v << at % 32;
	if (at % 32 + n > 32)
		s[at / 32 + 1] |= v >> (32 - at % 32);
}

/* How the data of 16 lanes form rows: where each lane's are, or NULL for their order. */
struct shape {
	mx_opcode op;
	uint8_t bits;
	const uint8_t *place;
};

static const uint8_t by_8[TEAM] = { 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15 };
static const uint8_t by_4[TEAM] = { 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15 };
static const struct shape shapes[] = {
	{ MX_OP_ds_read_b64_tr_b16, 16, NULL },    { MX_OP_ds_read_b64_tr_b8, 8, NULL },
	{ MX_OP_ds_read_b96_tr_b6, 6, NULL },      { MX_OP_ds_read_b64_tr_b4, 4, NULL },
	{ MX_OP_ds_load_tr16_b128, 16, by_8 },     { MX_OP_ds_load_tr8_b64, 8, by_4 },
	{ MX_OP_global_load_tr16_b128, 16, by_8 }, { MX_OP_global_load_tr8_b64, 8, by_4 },
	{ MX_OP_global_load_tr6_b96, 6, NULL },    { MX_OP_global_load_tr4_b64, 4, NULL },
};

static const struct shape *shape_of(const struct mx_inst *in) {
	const struct shape *s = shapes;
	while (s->op != in->op->id)
		s++;
	return s;
}

/* Transposes the data of 16 lanes, `n` dwords per lane. */
static void transpose(mx_vreg *data, unsigned lane0, const struct shape *s, unsigned n) {
	uint32_t string[TEAM_DWORDS];
	for (unsigned i = 0; i < TEAM; i++)
		for (unsigned k = 0; k < n; k++)
			string[(s->place ? s->place[i] : i) * n + k] = data[k][lane0 + i];
	for (unsigned i = 0; i < TEAM; i++) {
		uint32_t column[4] = { 0 };
		for (unsigned row = 0; row < 32 * n / s->bits; row++)
			put_bits(column, row * s->bits, s->bits,
			         get_bits(string, (row * TEAM + i) * s->bits, s->bits));
		for (unsigned k = 0; k < n; k++)
			data[k][lane0 + i] = column[k];
	}
}

void mx_transpose_lanes(const struct mx_wave *w, struct mx_memop *m) {
	const struct shape *s = shape_of(m->in);
	unsigned n = m->in->op->d / 4;
	for (unsigned lane0 = 0; lane0 < MX_LANES && w->lanes >> lane0 & 1; lane0 += TEAM) {
		transpose(m->data, lane0, s, n);
		transpose(m->unwritten, lane0, s, n);
	}
}

static void land(struct mx_wave *w, struct mx_memop *m) {
	unsigned n = mx_ds_dwords(m->in), l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned k = 0; k < n; k++) {
		uint32_t at = mx_ds_element(m, l, 0) + 4 * k;
		m->data[k][l] = m->unwritten[k][l] = 0;
		if (m->inside[l] >> k & 1)
			m->data[k][l] = mx_lds_read(w, m->in, l, at, 4, &m->unwritten[k][l]);
	}
	mx_transpose_lanes(w, m);
	mx_ds_return(w, m, n);
}

/* The manual requires all lanes active and addresses aligned to the size. For 96 bits alignment to
 * a dword is enough, because matrices can have rows of 12 bytes (assumed). */
bool mx_may_transpose(struct mx_wave *w, const struct mx_memop *m) {
	unsigned alignment = m->in->op->d == 12 ? 4 : m->in->op->d, l;
	bool lds = m->in->op->encoding == MX_DS, aligned = true;
	MX_FOR_LANES(l, m->exec)
	aligned &= (lds ? mx_ds_element(m, l, 0) : m->address[l]) % alignment == 0;
	if (m->exec == w->lanes && aligned)
		return true;
	mx_find(w, m->in, MX_UNSUPPORTED, -1, 0,
	        (struct mx_because){ aligned ? MX_BECAUSE_TRANSPOSE_EXEC
	                                     : MX_BECAUSE_TRANSPOSE_ALIGNMENT });
	return false;
}

static void issue(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_memop *m = mx_ds_begin(w, in);
	if (m && !mx_may_transpose(w, m)) {
		mx_memop_drop(w, m);
	} else if (m) {
		mx_ds_check_range(w, m);
		mx_ds_issue(w, m, land);
	}
}

#define TRANSPOSING_READ(name)                                                                     \
	void mx_x_##name(struct mx_wave *w, const struct mx_inst *in) {                            \
		issue(w, in);                                                                      \
	}
TRANSPOSING_READ(ds_read_b64_tr_b16)
TRANSPOSING_READ(ds_read_b64_tr_b8)
TRANSPOSING_READ(ds_read_b64_tr_b4)
TRANSPOSING_READ(ds_read_b96_tr_b6)
TRANSPOSING_READ(ds_load_tr16_b128)
TRANSPOSING_READ(ds_load_tr8_b64)
