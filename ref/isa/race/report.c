/* Findings of the analysis of order: both accesses, and which wait or barrier is missing. */
#include <string.h>

#include "../machine/findings.h"
#include "race.h"

/* ---- what is missing ---- */

static mx_counter counter(unsigned stream) {
	return stream == MX_STREAM_DS || stream == MX_STREAM_SM ? MX_COUNTER_LGKM : MX_COUNTER_VM;
}

/* The weakest wait that covers operation `number` where `issued` have been. */
static unsigned target(unsigned stream, uint32_t issued, uint32_t number) {
	unsigned most = stream == MX_STREAM_DS ? MX_LGKMCNT_MAX - 1 : MX_VMCNT_MAX - 1;
	if (!mx_stream_is_ordered(stream))
		return 0;
	return issued - number < most ? issued - number : most;
}

static struct mx_missing missing_wait(unsigned stream, uint32_t issued, uint32_t number) {
	return (struct mx_missing){ .kind = MX_MISSING_WAIT,
		                    .counter = counter(stream),
		                    .count = target(stream, issued, number) };
}

static struct mx_missing missing(const struct mx_wave *w, mx_access earlier) {
	const struct mx_order_wave *o = &mx_order_kept(w->group)->wave[mx_access_wave(earlier)];
	unsigned stream = mx_access_stream(earlier);
	uint32_t number = mx_access_number(earlier);
	struct mx_missing m = { .kind = MX_MISSING_WAIT_AND_BARRIER, .counter = counter(stream) };
	if (mx_access_wave(earlier) == w->index)
		return missing_wait(stream, o->issued[stream], number);
	if (o->barrier && number <= o->before[stream]) {
		m = missing_wait(stream, o->before[stream], number);
		m.kind = MX_MISSING_WAIT_AT_BARRIER;
		m.barrier = mx_pc_of(w->group->run, o->barrier->offset);
	} else if (number <= o->covered[stream])
		m = (struct mx_missing){ .kind = MX_MISSING_BARRIER };
	return m;
}

/* ---- findings ---- */

/* What an instruction accesses for each lane. */
static struct mx_finding_access access_of(const struct mx_inst *in, mx_order_kind kind,
                                          mx_space space) {
	static const mx_access_kind kinds[] = { [MX_ORDER_READ] = MX_ACCESS_READ,
		                                [MX_ORDER_WRITE] = MX_ACCESS_WRITE,
		                                [MX_ORDER_ATOMIC] = MX_ACCESS_ATOMIC };
	uint32_t bytes = in->op->flags & MX_FORMAT ? 0 : in->op->d;
	return (struct mx_finding_access){ kinds[kind], space, bytes };
}

/* Fills in the wave of the earlier access; `group`: as in a cell. */
static void place_earlier(struct mx_finding *n, const struct mx_wave *w, mx_access earlier,
                          uint32_t group) {
	const uint32_t *grid = w->group->run->launch->grid;
	uint32_t i = group - 1;
	const uint32_t id[] = { i % grid[0], i / grid[0] % grid[1], i / grid[0] / grid[1] };
	n->earlier_wave = mx_access_wave(earlier);
	n->earlier_elsewhere = group == MX_SEVERAL_GROUPS;
	if (!n->earlier_elsewhere)
		memcpy(n->earlier_workgroup, id, sizeof id);
}

void mx_order_report(struct mx_wave *w, const struct mx_inst *in, int lane, bool lds,
                     uint64_t address, mx_order_kind does, mx_access earlier, uint32_t group,
                     mx_order_kind did) {
	const struct mx_inst *first =
		mx_program_at(w->group->run->launch->program, (earlier >> 32 & 0xffffff) * 4);
	mx_space space = lds ? MX_SPACE_LDS : MX_SPACE_MEMORY;
	struct mx_finding n = { .kind = lds ? MX_RACE_LDS : MX_RACE_GLOBAL,
		                .lane = lane,
		                .address = address,
		                .access = access_of(in, does, space),
		                .earlier_access = access_of(first, did, space),
		                .missing = { .kind = MX_MISSING_FLAG } };
	if (group == w->group->index + 1)
		n.missing = missing(w, earlier);
	place_earlier(&n, w, earlier, group);
	mx_find_as(w, in, first, &n);
}

void mx_order_report_register(struct mx_wave *w, const struct mx_inst *in,
                              const struct mx_order_load *l, bool write) {
	const struct mx_order_wave *o = mx_order_wave_of(w);
	struct mx_finding n = {
		.kind = MX_RACE_REGISTER,
		.lane = -1,
		.reg = l->row,
		.access = { write ? MX_ACCESS_WRITE : MX_ACCESS_READ, MX_SPACE_REGISTER, 4 },
		.earlier_access = { MX_ACCESS_WRITE, MX_SPACE_REGISTER, 4 },
		.missing = missing_wait(l->stream, o->issued[l->stream], l->number),
		.earlier_wave = w->index,
	};
	memcpy(n.earlier_workgroup, w->group->id, sizeof n.earlier_workgroup);
	mx_find_as(w, in, l->in, &n);
}
