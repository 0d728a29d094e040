/* Mutation: does anything notice when a wait, a barrier or a nop is weakened? */
#ifndef MX_MUTATE_H
#define MX_MUTATE_H

#include "../oracle/bench.h"

enum { MX_GUARDED = 64 };

/* An instruction that can be weakened, and what the original does there. */
struct mx_site {
	uint64_t pc; /* from the kernel's start */
	uint32_t word;
	uint64_t reached;            /* times */
	unsigned most_vm, most_lgkm; /* in flight there, where everything lands as late as it may */
	unsigned n_guarded;          /* instructions whose operations were */
	uint64_t guarded[MX_GUARDED];
	unsigned slack; /* of a nop: slack.h */
};

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

/* Runs the original and notes what happens at its sites; *hash is what it left. */
int mx_sites_watch(struct mx_bench *b, struct mx_site *sites, size_t n, uint64_t *hash,
                   struct mx_error *err);

/* What became of a mutant. Of a case whose bytes may differ from run to run, its judge says. */
struct mx_mutant_end {
	bool flagged;
	char by[40]; /* the finding, or how its bytes showed it */
	char text[200];
	unsigned extremes; /* runs with what the site guarded at its earliest and latest */
};

/* Judges one run of the mutant in the bench, holds `schedules` more from `seed` against the
 * original's bytes, and then the extremes of the operations that the site guards. */
int mx_mutant_run(struct mx_bench *b, const struct mx_site *site, const struct mx_mutant *m,
                  uint64_t hash, uint64_t seed, unsigned schedules, struct mx_mutant_end *end,
                  struct mx_error *err);

#endif
