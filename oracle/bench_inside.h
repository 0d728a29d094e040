/* The inside of a bench, for the files of this folder. */
#ifndef MX_BENCH_INSIDE_H
#define MX_BENCH_INSIDE_H

#include "bench.h"

/* A product of this size takes about a minute to compute exactly on one core. */
#define MX_MOST_WORK 0x1p33

struct bench_buffer {
	size_t bytes;       /* guards included */
	uint8_t *before;    /* what is uploaded for each run */
	uint8_t *after;     /* what the last run left */
	uint8_t *unwritten; /* of the judged run: 1 for a byte not written whole */
	void *device;
};

struct mx_bench {
	struct mx_plan plan;
	struct mx_device *device;
	struct mx_module *module;
	struct mx_vary vary; /* of the corunners */
	struct mx_around around;
	struct mxhipLaunchOptions options; /* of the emulator; the seed is each run's */
	struct mx_data data;
	struct exact_epilogue *epilogue; /* of data; NULL: the case has none */
	struct bench_buffer buffer[MX_MAX_BUFFERS];
	uint8_t *kernarg;
	uint64_t data_seed;
	double most_work; /* M N K above which a product is checked, not computed again */
	char code[4096];  /* file */
	uint64_t code_hash;
	/* Filled in by the first judgement, M * N elements each. */
	uint32_t *expected;                /* codes of C's type; of judge set those of each split */
	struct exact_range *range;         /* of judge bound */
	double *dequantised, *unquantised; /* references for SNR; the second may stay NULL */
	char basis[192];
};

/* Calls `each` for the stretches of a buffer that a launch finds poisoned, in bytes from its first
 * guard on: guards, gaps between lines, padding, and all of a buffer that nothing fills. */
typedef void mx_stretch(void *context, size_t from, size_t bytes, bool guard);
void mx_poisoned(const struct mx_plan *plan, unsigned i, mx_stretch *each, void *context);

/* Finds the bytes that the last run, r, never wrote: b->buffer[i].unwritten. Returns 1, with a
 * note, where the launch is repeated for it and fails: then they are not known. */
int mx_unwritten_find(struct mx_bench *b, const struct mx_run_result *r, struct mx_verdict *v,
                      struct mx_error *err);

/* How many of the bytes of an element of a buffer were never written. */
unsigned mx_unwritten_bytes(const struct mx_bench *b, const struct mx_buffer *x, size_t row,
                            size_t col);

/* The verdict on the groups of a case that has them. */
int mx_judge_groups(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err);

#endif
