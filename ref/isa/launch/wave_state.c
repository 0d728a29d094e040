/* The initial state of a wave that all instruction sets share. */
#include <string.h>

#include "../machine/registers.h"
#include "../memory/scratch.h"
#include "../schedule/course.h"
#include "launch.h"

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

void mx_wave_start(struct mx_wave *w) {
	const struct mx_isa *isa = w->group->run->isa;
	w->status = MX_READY;
	w->complete = 0;
	w->joined = 0;
	w->issued = 0;
	w->lanes = ~0ull >> (64 - isa->wave_size);
	w->stream = isa->stream;
	w->limited_at = 0;
	w->priority = 0;
	w->yields = false;
	w->next_due = UINT64_MAX;
	mx_watch_wave_begin(w);
	if (!mx_course_begin(w))
		mx_registers_start(w);
	mx_scratch_start(w, w->group->pattern);
	isa->start(w);
	mx_course_started(w);
}

const char *mx_unsupported_state(const struct mx_launch *l) {
	const struct mx_isa *isa = mx_program_isa(l->program);
	if (l->kernel->unsupported)
		return l->kernel->unsupported;
	if (l->kernel->vgprs > isa->vgprs || l->kernel->agprs > isa->agprs)
		return "more vector registers than a wave has";
	return isa->unsupported(l);
}
