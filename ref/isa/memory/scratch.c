/* Scratch: each lane's private segment. The hardware interleaves the lanes [ISA table 56]. No lane
 * can address another lane's bytes, so here the segments are consecutive. */
#include <stdlib.h>
#include <string.h>

#include "../machine/findings.h"
#include "../machine/registers.h"
#include "scratch.h"
#include "together.h"

/* Launches of kernels with more scratch are refused. */
static uint32_t size(const struct mx_run *run) {
	uint32_t bytes = run->launch->kernel->scratch_bytes;
	return bytes <= MX_SCRATCH_MAX ? bytes : 0;
}

static uint32_t segment(const struct mx_wave *w) {
	return size(w->group->run);
}

bool mx_scratch_new(struct mx_wave *w, const struct mx_run *run) {
	size_t bytes = (size_t)size(run) * MX_LANES;
	w->scratch = malloc(bytes + 1);
	w->scratch_unwritten = malloc(bytes + 1);
	return w->scratch && w->scratch_unwritten;
}

void mx_scratch_free(struct mx_wave *w) {
	free(w->scratch);
	free(w->scratch_unwritten);
}

void mx_scratch_start(struct mx_wave *w, uint8_t pattern) {
	size_t bytes = (size_t)segment(w) * MX_LANES;
	memset(w->scratch, pattern, bytes);
	memset(w->scratch_unwritten, 0xff, bytes);
}

static bool holds(const struct mx_wave *w, uint32_t offset, unsigned bytes) {
	return (uint64_t)offset + bytes <= segment(w);
}

bool mx_scratch_check(struct mx_wave *w, const struct mx_inst *in, unsigned lane, uint32_t offset,
                      unsigned bytes, bool write) {
	if (holds(w, offset, bytes))
		return true;
	mx_find_access(w, in, write ? MX_BOUNDS_WRITE : MX_BOUNDS_READ, (int)lane, offset,
	               mx_finding_access_of(write, MX_SPACE_SCRATCH, bytes),
	               MX_BECAUSE(BEYOND_SCRATCH, segment(w)));
	return false;
}

uint32_t mx_scratch_read(const struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                         uint32_t offset, unsigned bytes, uint32_t *unwritten) {
	size_t at = (size_t)lane * segment(w) + offset;
	uint32_t v = 0;
	*unwritten = bytes == 4 ? ~0u : (1u << 8 * bytes) - 1;
	if (!holds(w, offset, bytes))
		return 0;
	memcpy(&v, w->scratch + at, bytes);
	memcpy(unwritten, w->scratch_unwritten + at, bytes);
	if (w->wanted & MX_WATCH_SCRATCH)
		mx_watch_access(w, in,
		                (struct mx_touch){ MX_WATCH_SCRATCH, false, false, (int)lane,
		                                   offset, bytes, v, *unwritten });
	return v;
}

void mx_scratch_write(const struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                      uint32_t offset, unsigned bytes, uint32_t value, uint32_t unwritten) {
	size_t at = (size_t)lane * segment(w) + offset;
	if (!holds(w, offset, bytes))
		return;
	memcpy(w->scratch + at, &value, bytes);
	memcpy(w->scratch_unwritten + at, &unwritten, bytes);
	if (w->wanted & MX_WATCH_SCRATCH)
		mx_watch_access(w, in,
		                (struct mx_touch){ MX_WATCH_SCRATCH, true, false, (int)lane, offset,
		                                   bytes, value, unwritten });
}

/* ---- all lanes together ---- */

bool mx_scratch_holds_wave(const struct mx_wave *w, const struct mx_memop *m) {
	return m->to <= segment(w);
}

/* The bytes of the lanes, by their place in the wave's scratch. */
static struct mx_lane_bytes lane_bytes(const struct mx_wave *w, const struct mx_memop *m,
                                       uint64_t at[MX_LANES]) {
	unsigned l;
	MX_FOR_LANES(l, m->exec)
	at[l] = (uint64_t)l * segment(w) + m->address[l];
	return (struct mx_lane_bytes){ .lanes = m->exec, .at = at, .bytes = m->in->op->d };
}

bool mx_scratch_load_together(struct mx_wave *w, struct mx_memop *m) {
	uint64_t at[MX_LANES];
	const struct mx_lane_bytes x = lane_bytes(w, m, at);
	if (mx_lane_bytes_any((uintptr_t)w->scratch_unwritten, &x, 0xff))
		return false;
	mx_load_together(w, m, mx_row_at(m->in, MX_AT_RESULT), (uintptr_t)w->scratch, &x);
	return true;
}

void mx_scratch_store_together(struct mx_wave *w, struct mx_memop *m) {
	uint64_t at[MX_LANES];
	const struct mx_lane_bytes x = lane_bytes(w, m, at);
	mx_lane_rows_store((uintptr_t)w->scratch, &x, m->data);
	if (m->clean)
		mx_lane_bytes_set((uintptr_t)w->scratch_unwritten, &x, 0);
	else
		mx_lane_rows_store((uintptr_t)w->scratch_unwritten, &x, m->unwritten);
}
