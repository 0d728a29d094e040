/* Telling an observer what happens in a launch. Nothing here changes the launch. */
#include <string.h>

#include "../schedule/inflight.h"
#include "observe.h"

/* An event at the instruction that the wave executes or lands. */
static struct mx_event event(const struct mx_wave *w, mx_event_kind kind) {
	const struct mx_run *run = w->group->run;
	const struct mx_inst *in = w->at;
	uint64_t base = mx_program_base(run->launch->program) - run->launch->kernel->entry;
	struct mx_event e = {
		.kind = kind,
		.wave = w->index,
		.time = w->group->clock,
		.issue = !in          ? 0
		         : w->landing ? w->landing->issue
		                      : w->issued,
		.kernarg = run->launch->kernarg,
		.landing = w->landing != NULL,
		.pc = base + (in ? in->offset : w->pc),
		.code = in ? in->dwords : NULL,
		.dwords = in ? in->size / 4 : 0,
		.registers = { w->s, (const uint32_t(*)[MX_LANES])w->v, w->vgprs, w->agprs,
		               w->scc },
		.lane = -1,
	};
	memcpy(e.workgroup, w->group->id, sizeof e.workgroup);
	return e;
}

static void tell(const struct mx_wave *w, const struct mx_event *e) {
	const struct mx_observer *observer = w->group->run->launch->observer;
	if (w->observed & e->kind)
		observer->event(observer->context, e);
}

void mx_observe_begin(struct mx_wave *w) {
	const struct mx_observer *observer = w->group->run->launch->observer;
	w->landing = NULL;
	w->at = NULL;
	w->observed = observer ? observer->wants(observer->context, w->group->id, w->index) : 0;
}

void mx_observe_issue(struct mx_wave *w, const struct mx_inst *in) {
	w->at = in;
	struct mx_event e = event(w, MX_EVENT_ISSUE);
	tell(w, &e);
}

void mx_observe_land(struct mx_wave *w, const struct mx_memop *m) {
	w->landing = m;
	w->at = m ? m->in : NULL;
	if (!m)
		return;
	struct mx_event e = event(w, MX_EVENT_LAND);
	tell(w, &e);
}

void mx_observe_sgpr(const struct mx_wave *w, unsigned code) {
	struct mx_event e = event(w, MX_EVENT_SGPR);
	e.reg = code;
	e.value = &w->s[code];
	tell(w, &e);
}

void mx_observe_vgpr(const struct mx_wave *w, unsigned row, uint64_t lanes) {
	struct mx_event e = event(w, MX_EVENT_VGPR);
	e.reg = row;
	e.lanes = lanes;
	e.value = w->v[row];
	tell(w, &e);
}

/* The lanes whose data the address is part of. */
static uint64_t lanes_of(const struct mx_memop *m, uint64_t address) {
	uint64_t lanes = 0;
	unsigned l;
	if (!m || m->in->op->encoding == MX_SMEM)
		return 0;
	MX_FOR_LANES(l, m->exec)
	if (address >= m->address[l] && address - m->address[l] < m->in->op->d)
		lanes |= 1ull << l;
	return lanes;
}

/* Lanes go in order, so that of several that write one place the last one's data stays. */
static int lane_of(uint64_t lanes, bool write) {
	bool one = lanes && !(lanes & (lanes - 1));
	return one || (lanes && write) ? 63 - __builtin_clzll(lanes) : -1;
}

void mx_observe_memory(const struct mx_wave *w, uint64_t address, unsigned bytes, uint32_t value,
                       bool write) {
	struct mx_event e = event(w, MX_EVENT_MEMORY);
	e.lanes = lanes_of(w->landing, address);
	e.lane = lane_of(e.lanes, write);
	e.address = address;
	e.bytes = bytes;
	e.data = value;
	e.write = write;
	tell(w, &e);
}

void mx_observe_lds(const struct mx_wave *w, unsigned lane, uint64_t at, unsigned bytes,
                    bool write) {
	struct mx_event e = event(w, MX_EVENT_LDS);
	e.lane = (int)lane;
	e.lanes = 1ull << lane;
	e.write = write;
	for (unsigned k = 0; k < bytes && at + bytes <= w->group->lds_bytes; k += 4) {
		e.address = at + k;
		e.bytes = bytes - k < 4 ? bytes - k : 4;
		e.data = 0;
		memcpy(&e.data, w->group->lds + e.address, e.bytes);
		tell(w, &e);
	}
}
