/* The lanes of a register that an instruction reads for other lanes, whether they are in EXEC or not:
 * by DPP with FI, by moves between lanes, and as bytes of scales. */
#include "../alu/functions.h"
#include "../encoding/dpp.h"
#include "../machine/registers.h"
#include "../memory/ds.h"
#include "race.h"

/* The lane of which lane l takes the value; negative: none. `permuted`: of a move. */
static int taken(const struct mx_wave *w, const struct mx_inst *in, mx_operand_role role,
                 unsigned l, const int permuted[MX_LANES]) {
	unsigned from = 0, byte;
	if (role == MX_AS_DATA)
		return (int)mx_ds_other_lane(w, in, l);
	if (role == MX_AS_SRC0)
		return in->dpp.used ? mx_dpp_source(in, (int)l) : permuted[l];
	mx_cvt_scale_place(in->op->cvt, in->op_sel, l, &from, &byte);
	return (int)from;
}

uint64_t mx_race_taken_lanes(const struct mx_wave *w, const struct mx_inst *in,
                             const struct mx_operand *o) {
	uint64_t lanes = 0;
	int permuted[MX_LANES];
	unsigned l;
	if (mx_kind_of(in->op) == MX_IS_PERMUTE)
		mx_permuted_lanes(w, in, permuted);
	MX_FOR_LANES(l, mx_exec(w)) {
		int from = taken(w, in, o->role, l, permuted);
		lanes |= from < 0 ? 0 : 1ull << from;
	}
	return lanes;
}
