/* A batch: consecutive runs of a hunt, and their results. */
#ifndef MX_BATCH_H
#define MX_BATCH_H

#include "hunt.h"

enum { MX_BATCH_RUNS = 64, MX_BATCH_NOTES = 8 };

struct mx_batch {
	uint64_t first, n; /* requested runs */
	uint64_t done;     /* runs done, in order */
	uint64_t same;     /* done runs that left the bytes of run 0 */
	double seconds;    /* of the launches */
	uint32_t n_outputs, n_notes;
	struct mx_output outputs[MX_BATCH_RUNS]; /* results of the other runs */
	struct mx_note notes[MX_BATCH_NOTES];
};

/* The result of run 0, with which all runs are compared. */
struct mx_run_0 {
	bool failed;
	uint64_t hash;
	uint8_t *bytes[MX_MAX_BUFFERS];
	bool unchanged[MX_MAX_BUFFERS]; /* by the run, as far as is known */
};

int mx_run_0_keep(struct mx_run_0 *zero, const struct mx_bench *b, const struct mx_run_result *r,
                  struct mx_error *err);
void mx_run_0_free(struct mx_run_0 *zero);

/* Compares the last run of the bench with run 0: SAME, DIFFERS or FAULT. */
struct mx_output mx_run_0_compare(const struct mx_run_0 *zero, const struct mx_bench *b,
                                  const struct mx_run_result *r);

/* Adds the last run of the bench to the batch. */
void mx_batch_add(struct mx_batch *batch, const struct mx_race_options *o,
                  const struct mx_run_0 *zero, struct mx_bench *b, const struct mx_run_result *r);

/* Adds a run that did not end to the batch. */
void mx_batch_add_lost(struct mx_batch *batch, mx_run_outcome outcome, int cause);

/* "C[3][5] is 0x..., in run 0 0x..." */
void mx_output_text(const struct mx_output *x, const struct mx_plan *p, const char *other,
                    char *text, size_t room);

#endif
