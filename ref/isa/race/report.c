/* Findings of the analysis of order: both accesses, and the missing wait or barrier. */
#include <string.h>

#include "../machine/findings.h"
#include "race.h"

/* ---- what is missing ---- */

/* The weakest wait that covers operation `number` after `issued` operations. */
static struct mx_missing missing_wait(const struct mx_wave *w, unsigned stream, uint32_t issued,
                                      uint32_t number) {
	const struct mx_isa_stream *s = mx_race_stream(w, stream);
	unsigned most = w->group->run->isa->counter[s->counter].most - 1u;
	unsigned later = issued - number < most ? issued - number : most;
	return (struct mx_missing){ .kind = MX_MISSING_WAIT,
		                    .counter = s->counter,
		                    .count = s->order == MX_ANY_ORDER ? 0 : later };
}

static struct mx_missing missing(const struct mx_wave *w, mx_access earlier) {
	const struct mx_race_wave *o = mx_race_group_of(w->group)->wave[mx_access_wave(earlier)];
	const struct mx_race_past_wave *past = &mx_race_past_of(w)->wave[mx_access_wave(earlier)];
	unsigned stream = mx_access_stream(earlier);
	uint32_t number = mx_access_number(earlier);
	struct mx_missing m = { .kind = MX_MISSING_WAIT_AND_BARRIER,
		                .counter = mx_race_stream(w, stream)->counter };
	if (mx_access_wave(earlier) == w->index)
		return missing_wait(w, stream, o->issued[stream], number);
	if (past->signal && number <= past->issued[stream]) {
		m = missing_wait(w, stream, past->issued[stream], number);
		m.kind = MX_MISSING_WAIT_AT_BARRIER;
		m.barrier = mx_pc_of(w->group->run, past->signal->offset);
	} else if (number <= o->covered[stream])
		m = (struct mx_missing){ .kind = MX_MISSING_BARRIER };
	return m;
}

/* ---- what latency orders ---- */

/* Whether an LDS access comes before an operation whose effect follows a round trip to memory. */
static bool is_hidden(mx_path earlier, mx_path later) {
	return earlier == MX_PATH_LDS && (later == MX_PATH_MEMORY || later == MX_PATH_FLAT);
}

/* The class of a race is LATENCY if only a wait is missing, and latencies hide that. */
static void classify(struct mx_finding *n, const struct mx_wave *w, unsigned earlier_wave,
                     unsigned earlier, uint32_t number, mx_path later) {
	const struct mx_race_group *g = mx_race_group_of(w->group);
	const struct mx_race_wave *o = g->wave[earlier_wave], *me = g->wave[w->index];
	bool own = n->missing.kind == MX_MISSING_WAIT;
	bool fixed = own || n->missing.kind == MX_MISSING_WAIT_AT_BARRIER;
	if (!fixed || !is_hidden(mx_race_stream(w, earlier)->path, later))
		return;
	uint64_t issue = o->issue[earlier][number % MX_RACE_ISSUES];
	n->kind = n->kind == MX_RACE_LDS ? MX_RACE_LDS_LATENCY : MX_RACE_REGISTER_LATENCY;
	n->lead.operations = o->issued[earlier] - number;
	n->lead.instructions = own ? w->issued - issue
	                           : mx_race_past_of(w)->wave[earlier_wave].issues - issue +
	                                       w->issued - me->passed;
}

/* ---- findings ---- */

/* What an instruction accesses for each lane. */
static struct mx_finding_access access_of(const struct mx_inst *in, mx_race_kind kind,
                                          mx_space space) {
	static const mx_access_kind kinds[] = { [MX_RACE_READ] = MX_ACCESS_READ,
		                                [MX_RACE_WRITE] = MX_ACCESS_WRITE,
		                                [MX_RACE_ATOMIC] = MX_ACCESS_ATOMIC };
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

static bool is_internal(const struct mx_run *run, uint64_t address) {
	const struct mx_memory *m = &run->launch->memory;
	for (size_t i = 0; i < m->n; i++)
		if (m->regions[i].internal && address - m->regions[i].base < m->regions[i].size)
			return true;
	return false;
}

void mx_race_report(struct mx_wave *w, const struct mx_inst *in, int lane, bool lds,
                    uint64_t address, mx_race_kind does, mx_access earlier, uint32_t group,
                    mx_race_kind did, bool same) {
	const struct mx_inst *first =
		mx_program_at(w->group->run->launch->program, mx_access_offset(earlier));
	mx_space space = lds ? MX_SPACE_LDS : MX_SPACE_MEMORY;
	if (!lds && is_internal(w->group->run, address)) {
		mx_race_doubt_pair(w, in, first, MX_DOUBT_LIBRARY);
		return;
	}
	struct mx_finding n = { .kind = lds ? MX_RACE_LDS : MX_RACE_GLOBAL,
		                .lane = lane,
		                .address = address,
		                .access = access_of(in, does, space),
		                .earlier_access = access_of(first, did, space),
		                .missing = { .kind = MX_MISSING_FLAG } };
	if (group == w->group->index + 1)
		n.missing = missing(w, earlier);
	if (same)
		n.kind = MX_RACE_SAME_VALUE;
	else if (lds && in->mem.lds && in->op->flags & MX_LOAD)
		classify(&n, w, mx_access_wave(earlier), mx_access_stream(earlier),
		         mx_access_number(earlier), MX_PATH_MEMORY);
	place_earlier(&n, w, earlier, group);
	mx_find_as(w, in, first, &n);
}

void mx_race_report_register(struct mx_wave *w, const struct mx_inst *in,
                             const struct mx_race_load *l, bool write, unsigned stream) {
	const struct mx_race_wave *o = mx_race_wave_of(w);
	struct mx_finding n = {
		.kind = MX_RACE_REGISTER,
		.lane = -1,
		.reg = l->row,
		.access = { write ? MX_ACCESS_WRITE : MX_ACCESS_READ, MX_SPACE_REGISTER, 4 },
		.earlier_access = { MX_ACCESS_WRITE, MX_SPACE_REGISTER, 4 },
		.missing = missing_wait(w, l->stream, o->issued[l->stream], l->number),
		.earlier_wave = w->index,
	};
	memcpy(n.earlier_workgroup, w->group->id, sizeof n.earlier_workgroup);
	if (stream < MX_STREAMS)
		classify(&n, w, w->index, l->stream, l->number, mx_race_stream(w, stream)->path);
	mx_find_as(w, in, l->in, &n);
}
