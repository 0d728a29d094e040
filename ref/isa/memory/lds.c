/* LDS of a workgroup: allocation, initial contents and range check. */
#include "lds.h"

#include <stdlib.h>

#include "../machine/findings.h"
#include "atomic.h"

bool mx_lds_new(struct mx_group *g) {
	g->lds = malloc(g->lds_bytes + 1);
	g->lds_unwritten = malloc(g->lds_bytes + 1);
	g->lds_pages = mx_pages_new(1);
	return g->lds && g->lds_unwritten && g->lds_pages;
}

void mx_lds_free(struct mx_group *g) {
	free(g->lds);
	free(g->lds_unwritten);
	mx_pages_free(g->lds_pages, 1);
}

void mx_lds_start(struct mx_group *g, uint8_t pattern) {
	memset(g->lds, pattern, g->lds_bytes);
	memset(g->lds_unwritten, 0xff, g->lds_bytes);
	if (g->lds_bytes)
		mx_pages_changed(g->lds_pages, MX_PAGES_CLEAN, 0, g->lds_bytes, true);
}

bool mx_lds_is_clean(const struct mx_group *g, uint64_t from, uint64_t to) {
	const struct mx_region all = { .size = g->lds_bytes, .state = g->lds_unwritten };
	return mx_pages_have(g->lds_pages, &all, MX_PAGES_CLEAN, from, to);
}

void mx_lds_cleaned(const struct mx_group *g, uint64_t from, uint64_t to, bool all) {
	const struct mx_region lds = { .size = g->lds_bytes, .state = g->lds_unwritten };
	if (all)
		mx_pages_gained(g->lds_pages, &lds, MX_PAGES_CLEAN, from, to);
	else
		mx_lds_changed(g, from, to, false);
}

void mx_lds_arrive(const struct mx_wave *w, const struct mx_inst *in, unsigned lane, uint32_t at) {
	uint32_t unwritten[2];
	uint64_t old = mx_lds_read(w, in, lane, at, 4, &unwritten[0]);
	old |= (uint64_t)mx_lds_read(w, in, lane, at + 4, 4, &unwritten[1]) << 32;
	uint64_t state = mx_rmw_arrive64(&(struct mx_rmw){ .old = old, .data = 1 });
	uint32_t taint = unwritten[0] | unwritten[1] ? ~0u : 0;
	mx_lds_write(w, in, lane, at, 4, (uint32_t)state, taint);
	mx_lds_write(w, in, lane, at + 4, 4, (uint32_t)(state >> 32), taint);
}

/* The launch gives the size. The device allocates units of 1280 bytes, so it may permit an access
 * just beyond the size (assumed not to; reported either way). */
bool mx_lds_check(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t offset,
                  unsigned bytes, bool write) {
	uint32_t size = w->group->lds_bytes;
	if (mx_lds_holds(w->group, offset, bytes))
		return true;
	mx_find_access(w, in, write ? MX_BOUNDS_WRITE : MX_BOUNDS_READ, lane, offset,
	               mx_finding_access_of(write, MX_SPACE_LDS, bytes),
	               MX_BECAUSE(BEYOND_LDS, size));
	return false;
}
