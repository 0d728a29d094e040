/* LDS of a workgroup: allocation, initial contents and range check. */
#include "lds.h"

#include <stdlib.h>

#include "../machine/findings.h"

bool mx_lds_new(struct mx_group *g) {
	g->lds = malloc(g->lds_bytes + 1);
	g->lds_unwritten = malloc(g->lds_bytes + 1);
	return g->lds && g->lds_unwritten;
}

void mx_lds_free(struct mx_group *g) {
	free(g->lds);
	free(g->lds_unwritten);
}

void mx_lds_start(struct mx_group *g, uint8_t pattern) {
	memset(g->lds, pattern, g->lds_bytes);
	memset(g->lds_unwritten, 0xff, g->lds_bytes);
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
