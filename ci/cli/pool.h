/* Runs in worker processes: one that crashes, or that does not end in time, is a finding of its
 * run, and the others go on. */
#ifndef MX_POOL_H
#define MX_POOL_H

#include "report.h"

struct mx_pool {
	unsigned jobs;
	double time_out; /* of a run, in seconds; 0: none */
	bool ends_early; /* SIGTERM ends a run with its results until then, as it does a hunt */
	bool renews;     /* a run that ends with a fault of the device is the last of its process */
	void *context;
	/* In a worker: does results[i], which has its run. */
	void (*work)(void *context, struct mx_result *r);
	/* In this process: results[i] is complete. */
	void (*done)(void *context, size_t i);
};

/* Does all runs of the selection, or as many as can be reported. SIGINT and SIGTERM end the runs in
 * progress. *interrupted: a signal came, and runs without `done` have no result. A worker's counts
 * of waivers are added to those of this process. 0, or -1 with err->text: no process could be
 * started. */
int mx_pool_run(const struct mx_pool *p, const struct mx_selection *s, struct mx_result *results,
                bool *interrupted, struct mx_error *err);

#endif
