/* The definition of a bench, private to this folder. */
#ifndef MX_BENCH_INSIDE_H
#define MX_BENCH_INSIDE_H

#include "bench.h"

/* A product of this size takes about a minute to compute exactly on one core. */
#define MX_MOST_WORK 0x1p33

/* M N K above which the SNR is that of a sample of rows and columns, of a quarter of it. */
#define MX_SNR_WORK 0x1p30

/* A poisoned range, in bytes from the first guard. */
struct bench_stretch {
	size_t from, bytes;
	bool guard;
};

struct bench_buffer {
	size_t bytes;       /* guards included */
	uint8_t *before;    /* contents at the start of each run */
	uint8_t *after;     /* contents after the last run; of the emulator, the device's memory */
	uint8_t *unwritten; /* of the judged run: 1 for a byte that was not written whole */
	bool has_unwritten; /* its extent may have such a byte */
	void *device;       /* of a buffer in another one all but `bytes` point into that one's */
	struct bench_stretch *poisoned; /* its ranges, for the emulator; NULL: not yet computed */
	size_t n_poisoned;
	uint64_t fresh;   /* version of the emulator's memory while it has `before`; 0: none */
};

struct bench_step {
	struct mx_module *module;
	uint8_t *kernarg;
	char code[4096]; /* file */
	uint64_t code_hash;
	struct mx_report report; /* of the last run */
};

struct mx_bench {
	struct mx_plan plan;
	struct mx_device *device;
	struct bench_step step[MX_MAX_STEPS];
	unsigned running;             /* step */
	struct mx_coverage *coverage; /* of each step; or NULL */
	struct mx_vary vary;          /* of the corunners */
	struct mx_around around;
	struct mx_arithmetic arithmetic;
	struct mxhipLaunchOptions options; /* of the emulator; each run sets the seed */
	uint64_t *workgroups;              /* of options; of the plan's tiles */
	struct mx_data data;
	struct exact_epilogue *epilogue; /* of data; NULL: no epilogue */
	struct bench_buffer buffer[MX_MAX_BUFFERS];
	uint64_t data_seed;
	double most_work; /* M N K above which a product is checked, not recomputed */
	double snr_work;  /* MX_SNR_WORK */
	/* Set by the first judgement, M * N elements each. */
	uint32_t *expected;                /* codes of C's type; judge set: those of each split */
	struct exact_range *range;         /* for judge bound */
	double *dequantised, *unquantised; /* references for SNR; unquantised may be NULL */
	char basis[MX_BASIS];
	struct mx_maps *maps; /* of the last judgement; NULL: none */
};

/* Calls `each` for the byte ranges of a buffer that are poisoned before a launch, in bytes from the
 * first guard: guards, gaps between lines, padding, and a whole buffer that nothing fills. A buffer
 * in another one has none; that one has its ranges, and bytes that no buffer uses are guard. */
typedef void mx_stretch(void *context, size_t from, size_t bytes, bool guard);
void mx_poisoned(const struct mx_plan *plan, unsigned i, mx_stretch *each, void *context);

/* Finds the bytes that the last run, r, never wrote: b->buffer[i].unwritten. Returns 1, with a
 * note, if a repeated launch fails; then the bytes are unknown. */
int mx_unwritten_find(struct mx_bench *b, const struct mx_run_result *r, struct mx_verdict *v,
                      struct mx_error *err);

void mx_unwritten_free(struct mx_bench *b, unsigned i);

/* The number of bytes of an element that were never written. */
unsigned mx_unwritten_bytes(const struct mx_bench *b, const struct mx_buffer *x, size_t row,
                            size_t col);

/* The waiver that covers a finding of a step and holds for its code object today; or NULL. */
const struct mx_waiver *mx_waived(const struct mx_bench *b, unsigned step,
                                  const struct mx_finding *f);

/* Keeps the location of the first fault: a byte of the buffer, from its start. */
void mx_verdict_locate(struct mx_verdict *v, const struct mx_bench *b, const struct mx_buffer *s,
                       long long offset);

/* Judge close, of the buffers that expect a file; judge repack; and whatever the judge, the buffers
 * that are copies or quantised. */
int mx_judge_close_files(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err);
int mx_judge_repack(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err);
int mx_judge_made(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err);

/* Judges a case with groups. */
int mx_judge_groups(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err);

#endif
