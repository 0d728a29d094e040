/* SDWA and DPP: parts of dwords, and sources from other lanes [ISA 13.3.7 to 13.3.9]. */
#include <string.h>

#include "../encoding/dpp.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "vector.h"

/* ---- SDWA ---- */

uint32_t mx_sub_dword(uint32_t v, unsigned sel, bool sext) {
	unsigned shift = sel < 4 ? 24 - 8 * sel : sel == 4 ? 16 : 0;
	unsigned width = sel < 4 ? 8 : sel < 6 ? 16 : 32;
	uint32_t high = v << shift;
	return sext ? (uint32_t)((int32_t)high >> (32 - width)) : high >> (32 - width);
}

void mx_select_sub_dword(const struct mx_inst *in, unsigned i, const uint32_t *v, uint32_t *d) {
	for (unsigned l = 0; l < MX_LANES; l++)
		d[l] = mx_sub_dword(v[l], in->sdwa.sel[i], in->sdwa.sext[i]);
}

/* Inserts a result into its part of the old destination. */
void mx_place_sub_dword(const struct mx_inst *in, const uint32_t *old, uint32_t *d) {
	unsigned sel = in->sdwa.dst_sel;
	unsigned shift = sel < 4 ? 8 * sel : sel == 5 ? 16 : 0;
	uint32_t mask = sel < 4 ? 0xff : sel < 6 ? 0xffff : ~0u;
	uint32_t sign = (mask >> 1) + 1;
	enum { PAD, SEXT, PRESERVE };
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint32_t part = d[l] & mask, rest = 0;
		if (in->sdwa.dst_unused == PRESERVE)
			rest = old[l] & ~(mask << shift);
		else if (in->sdwa.dst_unused == SEXT && part & sign)
			rest = ~(((uint64_t)mask << shift) | ((1ull << shift) - 1));
		d[l] = part << shift | rest;
	}
}

/* ---- DPP: source 0 from other lanes ---- */

enum { BANK = 4 /* lanes */ };

/* A source lane outside the row or wave gives 0, or the reading lane keeps its destination. An
 * inactive lane counts as outside: later generations document this for FI = 0, the only behaviour
 * of gfx950 (assumed). */
void mx_plan_dpp(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s) {
	uint64_t exec = mx_exec(w);
	for (int l = 0; l < MX_LANES; l++) {
		int from = mx_dpp_source(in, l);
		bool on = in->dpp.row_mask >> l / MX_DPP_ROW & 1 &&
		          in->dpp.bank_mask >> l % MX_DPP_ROW / BANK & 1;
		if (from == MX_DPP_UNKNOWN)
			mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(DPP_CTRL, in->dpp.ctrl));
		if (from >= 0 && !in->dpp.fetch_inactive && !(exec >> from & 1))
			from = MX_DPP_NO_LANE;
		s->from[l] = from < 0 ? MX_DPP_NO_LANE : (int8_t)from;
		if (!on || (from < 0 && !in->dpp.bound_zero))
			s->lanes &= ~(1ull << l);
	}
}

void mx_move_lanes(const struct mx_sources *s, const uint32_t *v, uint32_t *d) {
	mx_vreg old;
	memcpy(old, v, sizeof old);
	for (unsigned l = 0; l < MX_LANES; l++)
		d[l] = s->from[l] < 0 ? 0 : old[s->from[l]];
}
