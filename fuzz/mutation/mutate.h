/* Mutation: does anything notice when a wait, a barrier or a nop is weakened? */
#ifndef MX_MUTATE_H
#define MX_MUTATE_H

#include "../../oracle/bench.h"

enum { MX_GUARDED = 64, MX_ORIGINAL_NOTES = 256 };

/* An instruction that can be weakened, and what the original does there. */
struct mx_site {
	uint64_t pc; /* from the kernel's start */
	uint32_t word;
	uint64_t reached;            /* times */
	unsigned most_vm, most_lgkm; /* in flight there, where everything lands as late as it may */
	unsigned n_guarded;          /* instructions whose operations were */
	uint64_t guarded[MX_GUARDED];
	unsigned margin; /* of a nop: margin.h */
	/* Of a wait that alone has vector memory done before its wave publishes something: a
	 * weaker one that lets more than `published` of it through is nothing that bytes can
	 * judge. MX_GUARDS_NONE: of no such wait. */
	unsigned published;
	uint64_t publisher; /* pc of the store or atomic */
};
#define MX_GUARDS_NONE UINT32_MAX

typedef enum { MX_WEAKER_WAIT, MX_NO_BARRIER, MX_SHORTER_NOP } mx_mutation_kind;

struct mx_mutant {
	mx_mutation_kind kind;
	size_t site;
	uint32_t word;     /* instead */
	unsigned vm, lgkm; /* what a weaker wait waits for */
	unsigned shorter;  /* a nop: by how much */
	char what[64];
};

/* All mutants of n dwords of code from a kernel's start. Arrays to free; -1 where memory is short.
 */
int mx_mutants_find(const uint32_t *code, size_t n, struct mx_site **sites, size_t *n_sites,
                    struct mx_mutant **mutants, size_t *n_mutants);

/* sites.c: runs the original, all operations as late as may be, and notes what happens at its
 * sites; *hash is what it left. */
int mx_sites_watch(struct mx_bench *b, struct mx_site *sites, size_t n, uint64_t *hash,
                   struct mx_error *err);

/* What the original leaves, and the notes of wait states that it has itself. */
struct mx_original {
	uint64_t hash;
	size_t n_notes;
	struct {
		uint64_t pc, earlier;
	} notes[MX_ORIGINAL_NOTES];
};

/* Watches the original at its sites, and runs it as its mutants will be: judged once, then under so
 * many schedules more. It must pass, or its mutants prove nothing. */
int mx_original_run(struct mx_bench *b, struct mx_site *sites, size_t n, uint64_t seed,
                    unsigned schedules, struct mx_original *o, struct mx_error *err);

/* What became of a mutant. Of a case whose bytes may differ from run to run, its judge says. */
struct mx_mutant_end {
	bool flagged; /* by a finding, or by its bytes */
	bool noted;   /* not flagged, but by a note of wait states that the original lacks */
	char by[40];  /* the finding or note, or how its bytes showed it */
	char text[200];
	unsigned extremes; /* runs with what the site guarded at its earliest and latest */
};

/* Judges one run of the mutant in the bench, holds `schedules` more from `seed` against the
 * original's bytes, and then the extremes of the operations that the site guards. */
int mx_mutant_run(struct mx_bench *b, const struct mx_site *site, const struct mx_mutant *m,
                  const struct mx_original *original, uint64_t seed, unsigned schedules,
                  struct mx_mutant_end *end, struct mx_error *err);

#endif
