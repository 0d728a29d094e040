/* LDS of a workgroup: its bytes and their unwritten bits. All accesses of instructions use these
 * functions. */
#ifndef MX_LDS_H
#define MX_LDS_H

#include <string.h>

#include "../machine/lane_bytes.h"
#include "../machine/pages.h"

bool mx_lds_new(struct mx_group *g); /* of g->lds_bytes; false if memory is short */
void mx_lds_free(struct mx_group *g);
void mx_lds_start(struct mx_group *g, uint8_t pattern);

/* Whether an access is in the workgroup's LDS; reports a finding if not. */
bool mx_lds_check(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t offset,
                  unsigned bytes, bool write);

static inline bool mx_lds_holds(const struct mx_group *g, uint64_t at, unsigned bytes) {
	return at + bytes <= g->lds_bytes;
}

/* Whether bytes are in pages without unwritten bits. */
bool mx_lds_is_clean(const struct mx_group *g, uint64_t from, uint64_t to);
/* Unwritten bits of [from, to) have changed; lost: some may be set. */
static inline void mx_lds_changed(const struct mx_group *g, uint64_t from, uint64_t to, bool lost) {
	mx_pages_changed(g->lds_pages, MX_PAGES_CLEAN, from, to, lost);
}

/* Whether bytes are in pages that are known to have no unwritten bits. */
static inline bool mx_lds_is_known_clean(const struct mx_group *g, uint64_t from, uint64_t to) {
	return mx_pages_known(g->lds_pages, MX_PAGES_CLEAN, from, to);
}
/* [from, to) has lost unwritten bits: all, or some. */
void mx_lds_cleaned(const struct mx_group *g, uint64_t from, uint64_t to, bool all);

/* Accesses up to 4 bytes for a lane when an instruction lands. Outside LDS a read gives 0, and a
 * write is dropped. */
static inline uint32_t mx_lds_read(const struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                                   uint32_t at, unsigned bytes, uint32_t *unwritten) {
	const struct mx_group *g = w->group;
	uint32_t v = 0;
	*unwritten = 0;
	if (!mx_lds_holds(g, at, bytes))
		return 0;
	if (bytes == 4) {
		memcpy(&v, g->lds + at, 4);
		memcpy(unwritten, g->lds_unwritten + at, 4);
	} else {
		memcpy(&v, g->lds + at, bytes);
		memcpy(unwritten, g->lds_unwritten + at, bytes);
	}
	if (w->wanted & MX_WATCH_LDS)
		mx_watch_access(w, in,
		                (struct mx_touch){ MX_WATCH_LDS, false, false, (int)lane, at, bytes,
		                                   v, *unwritten });
	return v;
}

static inline void mx_lds_write(const struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                                uint32_t at, unsigned bytes, uint32_t value, uint32_t unwritten) {
	const struct mx_group *g = w->group;
	if (!mx_lds_holds(g, at, bytes))
		return;
	if (bytes == 4) {
		memcpy(g->lds + at, &value, 4);
		memcpy(g->lds_unwritten + at, &unwritten, 4);
	} else {
		memcpy(g->lds + at, &value, bytes);
		memcpy(g->lds_unwritten + at, &unwritten, bytes);
	}
	if (unwritten)
		mx_lds_changed(g, at, at + bytes, true);
	if (w->wanted & MX_WATCH_LDS)
		mx_watch_access(w, in,
		                (struct mx_touch){ MX_WATCH_LDS, true, false, (int)lane, at, bytes,
		                                   value, unwritten });
}

/* A lane arrives once at a barrier in LDS, which is in range. */
void mx_lds_arrive(const struct mx_wave *w, const struct mx_inst *in, unsigned lane, uint32_t at);

/* ---- all lanes of a wave together, in range; no watcher is called ---- */

/* Whether bytes at lanes' addresses plus an offset have unwritten bits. */
static inline bool mx_lds_any_unwritten(const struct mx_group *g, uint32_t offset,
                                        const struct mx_lane_bytes *x) {
	return mx_lane_bytes_any((uintptr_t)g->lds_unwritten + offset, x, 0xff);
}

/* Writes rows into [x->from, x->to); unwritten: their unwritten bits, or NULL if there are none. */
static inline void mx_lds_write_wave(const struct mx_group *g, uint32_t offset,
                                     const struct mx_lane_bytes *x, const mx_vreg *row,
                                     const mx_vreg *unwritten) {
	mx_lane_rows_store((uintptr_t)g->lds + offset, x, row);
	if (!unwritten && mx_lds_is_clean(g, x->from, x->to))
		return;
	if (unwritten)
		mx_lane_rows_store((uintptr_t)g->lds_unwritten + offset, x, unwritten);
	else
		mx_lane_bytes_set((uintptr_t)g->lds_unwritten + offset, x, 0);
	mx_lds_changed(g, x->from, x->to, unwritten);
}

/* Whether bytes are in LDS and written. */
static inline bool mx_lds_is_written(const struct mx_group *g, uint32_t at, unsigned bytes) {
	uint8_t any = 0;
	if (!mx_lds_holds(g, at, bytes))
		return false;
	for (unsigned i = 0; i < bytes; i++)
		any |= g->lds_unwritten[at + i];
	return !any;
}

/* Copies a lane's bytes, which are written, from memory. */
static inline void mx_lds_copy(const struct mx_group *g, uint32_t at, const void *from,
                               unsigned bytes) {
	memcpy(g->lds + at, from, bytes);
	memset(g->lds_unwritten + at, 0, bytes);
	mx_lds_changed(g, at, at + bytes, false);
}

#endif
