/* Places of findings: the code object, the kernel in it, and the source line. */
#ifndef MX_PLACE_H
#define MX_PLACE_H

#include "../cli/report.h"

struct mx_places;

/* NULL: out of memory. A code object is opened once, at its first finding. */
struct mx_places *mx_places_make(void);
void mx_places_free(struct mx_places *p);

struct mx_place {
	const char *code; /* path of the code object, as mxcheck was given it */
	const char *kernel;
	uint64_t address;      /* in the code object; 0: not known */
	const char *file;      /* source, below the working folder if it is there; NULL: no DWARF */
	unsigned line, column; /* column 0: not known */
	char instruction[256]; /* "ds_read_b128 v[168:171], v105 offset:2048"; "": not known */
};

/* The place of the instruction at `pc` of a step's kernel. Texts live as long as *p. */
struct mx_place mx_place_of(struct mx_places *p, const struct mx_result *r, unsigned step,
                            uint64_t pc);

/* A path for people and reports: without the working folder, if it is below it. */
const char *mx_short_path(const char *path);

#endif
