/* The bytes that a memory operation accesses, and with which content: what the same operation needs
 * to land again without registers. memory/access.c makes and lands it. */
#ifndef MX_ACCESS_H
#define MX_ACCESS_H

#include "../machine/spans.h"
#include "inflight.h"

typedef enum { MX_READS, MX_WRITES, MX_COPIES, MX_READS_LDS, MX_WRITES_LDS } mx_access_effect;

struct mx_access {
	mx_access_effect effect;
	mx_together counted;       /* in mx_stats */
	uint64_t from, to;         /* the bytes of memory are in [from, to) */
	size_t region;             /* of those that are read */
	uint64_t version;          /* with which the region has what it read; or 0 */
	uint32_t lds_from, lds_to; /* those of LDS */
	bool gapless;              /* these are all bytes there */
	unsigned n;
	size_t size;          /* of all, in bytes */
	const uint8_t *image; /* bytes of the spans, one after the other; of a copy those in LDS, if
	                         it is gapless and has a version, or NULL */
	struct mx_span span[];
};

#endif
