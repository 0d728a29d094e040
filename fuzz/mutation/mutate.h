/* Mutation: whether the checks detect a weaker wait, a missing barrier or a shorter nop. */
#ifndef MX_MUTATE_H
#define MX_MUTATE_H

#include "../../oracle/bench.h"

enum { MX_GUARDED = 64 };

/* An instruction that can be weakened, and what the original does there. */
struct mx_site {
	unsigned step; /* the first of its kernel: mx_bench_first_of */
	uint64_t pc;   /* from the kernel's start */
	uint32_t word;
	uint64_t reached;           /* number of executions */
	unsigned most[MX_COUNTERS]; /* of each counter: most in flight there if operations land as
	                               late as possible */
	unsigned n_guarded;         /* instructions with operations in flight there */
	uint64_t guarded[MX_GUARDED];
	unsigned margin; /* of a nop: margin.h */
	/* A wait that is the only one between vector memory and an operation that publishes
	 * something: bytes cannot judge a weaker wait that leaves more than `published` operations
	 * of a counter in flight. MX_GUARDS_NONE: not such a wait. */
	unsigned published[MX_COUNTERS];
	uint64_t publisher; /* pc of the store or atomic */
};
#define MX_GUARDS_NONE UINT32_MAX

typedef enum {
	MX_WEAKER_WAIT,
	MX_NO_BARRIER,
	MX_SHORTER_NOP,
	MX_WEAKER_ALU_WAIT, /* an s_wait_alu */
} mx_mutation_kind;

/* Whether rules alone judge it, because nothing executes what it changes. */
static inline bool mx_has_rules_alone(mx_mutation_kind k) {
	return k == MX_SHORTER_NOP || k == MX_WEAKER_ALU_WAIT;
}

struct mx_mutant {
	mx_mutation_kind kind;
	size_t site;
	uint32_t word;                /* the new dword */
	unsigned counter, was, count; /* of a weaker wait */
	unsigned shorter;             /* wait states that a nop loses */
	bool has_rule; /* of a weaker s_wait_alu: the code uses expert scheduling mode, whose rule
	                  (ref/isa/waitstates/dependence.h) is all that it needs one for */
	char what[64];
};

/* All mutants of n dwords of code of an instruction set, from the start of a kernel. The caller
 * frees the arrays; -1: out of memory. */
int mx_mutants_find(const struct mx_isa *isa, const uint32_t *code, size_t n,
                    struct mx_site **sites, size_t *n_sites, struct mx_mutant **mutants,
                    size_t *n_mutants);

/* points.c: runs the original with all operations as late as possible and records what happens at
 * its sites; *hash is that of memory after the run. */
int mx_sites_watch(struct mx_bench *b, struct mx_site *sites, size_t n, uint64_t *hash,
                   struct mx_error *err);

/* The runs of an original and its mutants: one with schedule `seed` that is judged, and `schedules`
 * more. A proof of a mutant's order makes the others superfluous. */
struct mx_trials {
	uint64_t seed;
	unsigned schedules;
	bool past_proof; /* run them all the same */
};

/* The original: its memory after the run, and its own findings and notes of wait states. */
struct mx_original {
	uint64_t hash;
	double seconds; /* of the longest launch */
	bool varies;    /* it has findings, and leaves wrong bytes, or other bytes under other
	                   schedules: bytes do not judge its mutants */
	size_t n_known, room, n_findings; /* of the known ones, n_findings are no notes */
	struct mx_known {
		unsigned step; /* as in struct mx_site */
		mx_finding_kind kind;
		uint64_t pc, earlier;
		unsigned lacks; /* wait states */
	} * known;
};
void mx_original_free(struct mx_original *o);

/* Watches the original at its sites and runs it like its mutants: once judged, then under
 * the other schedules. It must run to its end. It may have findings: its mutants are judged by
 * those that it lacks, and by its bytes unless they vary. Without a finding it must pass. */
int mx_original_run(struct mx_bench *b, struct mx_site *sites, size_t n,
                    const struct mx_trials *trials, struct mx_original *o, struct mx_error *err);

/* The result of a mutant. If the bytes of a case may differ between runs, its judge decides. */
struct mx_mutant_end {
	bool flagged;   /* by a finding, or by its bytes */
	bool disproved; /* flagged by another schedule than the one whose order was proved */
	bool noted;     /* not flagged, but with a note of wait states that the original lacks */
	char by[40];    /* the finding or note, or the kind of schedule that left other bytes */
	char text[MX_LINE_ROOM];
	unsigned extremes; /* runs with the guarded operations at their earliest or latest; 0 of a
	                      wait or barrier that is not flagged: its order is proved */
};

/* Judges one run of the mutant in the bench. Then compares the other runs, and the extremes of the
 * operations that the site guards, with the bytes of the original. A launch that takes much longer
 * than the original's does not end. */
int mx_mutant_run(struct mx_bench *b, const struct mx_site *site, const struct mx_mutant *m,
                  const struct mx_original *original, const struct mx_trials *trials,
                  struct mx_mutant_end *end, struct mx_error *err);

#endif
