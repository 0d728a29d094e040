/* Pages that record accesses by operation; shadow.c and accesses.c use them. */
#ifndef MX_SUMMARY_H
#define MX_SUMMARY_H

#include "accesses.h"
#include "footprint.h"

/* What lanes access, or a copy beside them; and the contents that they leave if they write: rows of
 * dwords, the addresses of LDS-DMA, or neither: unknown. */
struct mx_wave_access {
	mx_written_kind kind;
	const mx_vreg *rows;     /* MX_VALUE; NULL: zeros */
	const uint64_t *sources; /* MX_LOADED: of each lane */
	const uint64_t *at;      /* the addresses of the lanes, plus `offset`; NULL: of no lanes */
	uint64_t offset;
	unsigned bytes; /* of a lane */
};

/* ---- summary.c ---- */

/* The functions for a step of the CPU. */
struct mx_summary_functions {
	mx_footprint_maker *footprint;
	/* Checks and records the accesses of an operation's lanes to the pages of a footprint.
	 * Returns those of which each cell must be examined, a bit each: nothing is recorded
	 * there. */
	uint64_t (*access)(struct mx_race_range *r, struct mx_race_map *m,
	                   struct mx_race_page *const *page, const struct mx_footprint *f,
	                   const struct mx_wave_access *c);
};
typedef const struct mx_summary_functions *mx_summary_of_step(void);
extern mx_summary_of_step MX_STEPS_OF(mx_summary);

/* ---- summary_cells.c ---- */

/* Makes cells of the records of the page with an address. False if memory is short. */
bool mx_summary_to_cells(struct mx_race_map *m, struct mx_race_page *p, uint64_t address);

/* Splits each cell of the masks into cells of at least 4 bytes. */
void mx_summary_split(struct mx_race_page *p, unsigned unit);

/* Whether the page, with cells or without, has a write to the byte at an address, or with `reads`
 * any access. */
bool mx_summary_has(const struct mx_race_page *p, uint64_t at, bool reads);

/* Whether all reads of the byte at an address that the page has are by instructions of a set, by
 * dword of code. */
bool mx_summary_reads_are(const struct mx_race_map *m, const struct mx_race_page *p, uint64_t at,
                          const bool *set);

/* Whether two pages of the same bytes, with cells or without, have accesses to the same dword, one
 * of them a write. */
bool mx_summary_pages_meet(const struct mx_race_page *a, const struct mx_race_page *b);

#endif
