/* The inside of a bench, for the files of this folder. */
#ifndef MX_BENCH_INSIDE_H
#define MX_BENCH_INSIDE_H

#include "bench.h"

struct bench_buffer {
	size_t bytes;    /* guards included */
	uint8_t *before; /* what is uploaded for each run */
	uint8_t *after;  /* what the last run left */
	void *device;
};

struct mx_bench {
	struct mx_plan plan;
	struct mx_device *device;
	struct mx_module *module;
	struct mx_data data;
	struct bench_buffer buffer[MX_MAX_BUFFERS];
	uint8_t *kernarg;
	/* Filled in by the first judgement, M * N elements each. */
	uint32_t *expected;                /* bit patterns of C's type */
	double *dequantised, *unquantised; /* references for SNR; the second may stay NULL */
	char basis[160];
};

/* The verdict on the groups of a case that has them. */
int mx_judge_groups(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err);

#endif
