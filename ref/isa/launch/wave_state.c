/* The initial state of a wave that all instruction sets share. */
#include <string.h>

#include "../machine/registers.h"
#include "../memory/scratch.h"
#include "launch.h"

/* Most rows of v_unwritten remain all ones while a wave runs: those that are written as a whole
 * have no unwritten lanes instead. */
static void renew_unwritten(struct mx_wave *w, unsigned vgprs) {
	for (unsigned i = 0; i < MX_VGPR_FILE / 64; i++) {
		for (uint64_t left = w->mixed[i]; left; left &= left - 1)
			memset(w->v_unwritten[64 * i + (unsigned)__builtin_ctzll(left)], 0xff,
			       sizeof *w->v_unwritten);
		w->mixed[i] = 0;
	}
	for (unsigned i = 0; i < vgprs; i++)
		w->unwritten_lanes[i] = w->lanes;
	for (unsigned i = 0; i < w->agprs; i++)
		w->unwritten_lanes[w->first_agpr + i] = w->lanes;
}

/* The initial pattern changes with the seed, so a result that depends on it changes, too. */
static void poison_registers(struct mx_wave *w, uint8_t pattern) {
	memset(w->s, pattern, sizeof w->s);
	memset(w->s_unwritten, 0xff, sizeof w->s_unwritten);
	unsigned all = w->vgprs + w->agprs, first = w->first_agpr;
	unsigned vgprs = all < first ? all : first;
	memset(w->v, pattern, vgprs * sizeof *w->v); /* the wave may take AGPRs as VGPRs */
	memset(w->v + first, pattern, w->agprs * sizeof *w->v);
	renew_unwritten(w, vgprs);
	w->scc = pattern & 1;
	w->scc_unwritten = true;
}

/* VGPR0 holds z, y, x in ten bits each. The fields of axes that the kernel does not request are 0:
 * compiled code that requests only x does not mask it. Lanes without a work-item are off in EXEC
 * and count as unwritten, because no source defines their value. */
void mx_start_lanes(struct mx_wave *w) {
	const uint32_t *size = w->group->size;
	unsigned lanes = w->group->run->isa->wave_size;
	uint32_t first = w->index * lanes, n = size[0] * size[1] * size[2] - first;
	uint32_t x = first % size[0], y = first / size[0] % size[1], z = first / size[0] / size[1];
	unsigned axes = w->group->run->launch->kernel->work_item_ids;
	mx_vreg ids;
	for (unsigned l = 0; l < lanes; l++) {
		ids[l] = x | (axes >= 1 ? y << 10 : 0) | (axes >= 2 ? z << 20 : 0);
		x = x + 1 < size[0] ? x + 1 : 0;
		y = x ? y : y + 1 < size[1] ? y + 1 : 0;
		z += !x && !y;
	}
	uint64_t exec = n >= lanes ? w->lanes : (1ull << n) - 1;
	mx_vwrite(w, 0, exec, ids, NULL);
	mx_swrite64(w, MX_EXEC, exec, 0);
}

void mx_wave_start(struct mx_wave *w, uint8_t pattern) {
	const struct mx_isa *isa = w->group->run->isa;
	const struct mx_kernel *k = w->group->run->launch->kernel;
	w->status = MX_READY;
	w->complete = 0;
	w->joined = 0;
	w->issued = 0;
	w->matrices = 0;
	w->products = NULL;
	w->lanes = ~0ull >> (64 - isa->wave_size);
	w->stream = isa->stream;
	w->limited_at = 0;
	w->priority = 0;
	w->banks = 0;
	w->sched_mode = 0;
	w->yields = w->unwritten_back = false;
	w->vgprs = k->vgprs;
	w->agprs = k->agprs;
	w->first_agpr = isa->vgprs;
	w->next_due = UINT64_MAX;
	mx_watch_wave_begin(w);
	poison_registers(w, pattern);
	mx_scratch_start(w, pattern);
	isa->start(w);
}

const char *mx_unsupported_state(const struct mx_launch *l) {
	const struct mx_isa *isa = mx_program_isa(l->program);
	if (l->kernel->unsupported)
		return l->kernel->unsupported;
	if (l->kernel->vgprs > isa->vgprs || l->kernel->agprs > isa->agprs)
		return "more vector registers than a wave has";
	return isa->unsupported(l);
}
