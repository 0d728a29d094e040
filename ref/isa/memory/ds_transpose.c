/* Transposing reads: a matrix with M or N contiguous in LDS, into the registers of an MFMA operand,
 * which has K contiguous [ISA 11.4].
 *
 * Sixteen lanes cooperate (assumed: the manual has no formula; the K of its tables, AMD's compilers
 * and kernels agree on this one). Each lane reads 64 or 96 bits from its own address. In the order
 * of lanes, the data forms rows of 16 elements. Lane i gets element i of each row, the first row in
 * the lowest bits:
 *
 *              16 bits: row r is what lanes 4r..4r+3 read
 *               8 bits:                  2r and 2r+1
 *         6 and 4 bits:                   r
 */
#include <string.h>

#include "../machine/findings.h"
#include "ds.h"
#include "lds.h"

enum { TEAM = 16, TEAM_DWORDS = TEAM * 3 };

mx_handler mx_x_ds_read_b64_tr_b16, mx_x_ds_read_b64_tr_b8, mx_x_ds_read_b64_tr_b4,
	mx_x_ds_read_b96_tr_b6;

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

/* Transposes the data of 16 lanes, `n` dwords per lane. */
static void transpose(mx_vreg *out, unsigned lane0, const uint32_t *string, unsigned bits,
                      unsigned n) {
	for (unsigned i = 0; i < TEAM; i++) {
		uint32_t column[3] = { 0 };
		for (unsigned row = 0; row < 32 * n / bits; row++)
			put_bits(column, row * bits, bits,
			         get_bits(string, (row * TEAM + i) * bits, bits));
		for (unsigned k = 0; k < n; k++)
			out[k][lane0 + i] = column[k];
	}
}

static void land(struct mx_wave *w, struct mx_memop *m, unsigned bits) {
	unsigned n = mx_ds_dwords(m->in);
	for (unsigned team = 0; team < MX_LANES; team += TEAM) {
		uint32_t value[TEAM_DWORDS] = { 0 }, unwritten[TEAM_DWORDS] = { 0 };
		for (unsigned i = 0; i < TEAM; i++) {
			uint32_t at = mx_ds_element(m, team + i, 0);
			for (unsigned k = 0; k < n; k++)
				if (m->inside[team + i] >> k & 1)
					value[i * n + k] =
						mx_lds_read(w, m->in, team + i, at + 4 * k, 4,
					                    &unwritten[i * n + k]);
		}
		transpose(m->data, team, value, bits, n);
		transpose(m->unwritten, team, unwritten, bits, n);
	}
	mx_ds_return(w, m, n);
}

/* The manual requires all lanes active and addresses aligned to the size. For 96 bits alignment to
 * a dword is enough, because matrices can have rows of 12 bytes (assumed). */
static mx_reason undefined(const struct mx_memop *m) {
	unsigned alignment = m->in->op->d == 8 ? 8 : 4;
	if (m->exec != ~0ull)
		return MX_BECAUSE_TRANSPOSE_EXEC;
	for (unsigned l = 0; l < MX_LANES; l++)
		if (mx_ds_element(m, l, 0) % alignment)
			return MX_BECAUSE_TRANSPOSE_ALIGNMENT;
	return MX_BECAUSE_NOTHING;
}

static void issue(struct mx_wave *w, const struct mx_inst *in,
                  void (*land_it)(struct mx_wave *w, struct mx_memop *m)) {
	struct mx_memop *m = mx_ds_begin(w, in);
	mx_reason why = m ? undefined(m) : MX_BECAUSE_NOTHING;
	if (why) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, (struct mx_because){ why });
		mx_memop_drop(w, m);
	} else if (m) {
		mx_ds_check_range(w, m);
		mx_ds_issue(w, m, land_it);
	}
}

#define TRANSPOSING_READ(name, bits)                                                               \
	static void land_##name(struct mx_wave *w, struct mx_memop *m) {                           \
		land(w, m, bits);                                                                  \
	}                                                                                          \
	void mx_x_##name(struct mx_wave *w, const struct mx_inst *in) {                            \
		issue(w, in, land_##name);                                                         \
	}
TRANSPOSING_READ(ds_read_b64_tr_b16, 16)
TRANSPOSING_READ(ds_read_b64_tr_b8, 8)
TRANSPOSING_READ(ds_read_b64_tr_b4, 4)
TRANSPOSING_READ(ds_read_b96_tr_b6, 6)
