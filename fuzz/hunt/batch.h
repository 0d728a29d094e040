/* A batch: some runs in a row, and what came of them. */
#ifndef MX_BATCH_H
#define MX_BATCH_H

#include "hunt.h"

enum { MX_BATCH_RUNS = 64, MX_BATCH_NOTES = 8 };

struct mx_batch {
	uint64_t first, n; /* runs asked for */
	uint64_t done;     /* of them, in order */
	uint64_t same;     /* of these: with run 0's bytes */
	double seconds;    /* of the launches */
	uint32_t n_outputs, n_notes;
	struct mx_output outputs[MX_BATCH_RUNS]; /* of the others */
	struct mx_note notes[MX_BATCH_NOTES];
};

/* What every run is held against. */
struct mx_run_0 {
	bool failed;
	uint64_t hash;
	uint8_t *bytes[MX_MAX_BUFFERS];
};

int mx_run_0_keep(struct mx_run_0 *zero, const struct mx_bench *b, const struct mx_run_result *r,
                  struct mx_error *err);
void mx_run_0_free(struct mx_run_0 *zero);

/* How the run that the bench has just done parts from it: SAME, DIFFERS or FAULT. */
struct mx_output mx_run_0_against(const struct mx_run_0 *zero, const struct mx_bench *b,
                                  const struct mx_run_result *r);

/* Notes one more run of the batch, which the bench has just done. */
void mx_batch_note(struct mx_batch *batch, const struct mx_race_options *o,
                   const struct mx_run_0 *zero, struct mx_bench *b, const struct mx_run_result *r);

/* Notes one more run of the batch, which did not come to an end. */
void mx_batch_lost(struct mx_batch *batch, mx_run_outcome outcome, int cause);

/* "C[3][5] is 0x..., in run 0 0x..." */
void mx_output_text(const struct mx_output *x, const struct mx_plan *p, const char *other,
                    char *text, size_t room);

#endif
