/* The gate: the selected runs on a device, judged, compared with what is expected, and reported. */
#ifndef MX_GATE_H
#define MX_GATE_H

#include <pthread.h>

#include "../reports/history.h"
#include "../reports/json.h"
#include "baseline.h"
#include "cache.h"
#include "expect.h"
#include "report.h"

/* The data that the threads share. */
struct mx_gate {
	const struct mx_options *o;
	struct mx_device *device;
	const char *kernel_dir;
	struct mx_schedule schedule; /* --schedule */
	struct mx_json *json;        /* --json, or NULL */
	struct mx_history *history;  /* --history, or NULL */
	struct mx_device *emu;       /* beside the device, of --device hip,emu; or NULL */
	struct mx_result *emulated;  /* its results */
	struct mx_history *history_of_emu;
	bool keeps_outputs;           /* to compare those of a device with them */
	struct mx_places *places;     /* of findings, for reports */
	struct mx_baseline *baseline; /* --baseline, or NULL */
	struct mx_cache *cache;       /* --cache, or NULL */
	struct mx_expect *expect;     /* --expect, or NULL */
	struct mx_selection selection;
	struct mx_result *results;
	bool *done;
	size_t next, printed, n_done;
	double start;
	bool interrupted; /* some runs were not done */
	size_t stale;     /* rows of --expect, and deleted runs */
	pthread_mutex_t lock;
};

/* Does one run and judges it, or takes its verdict from the cache. `gate` is the struct mx_gate; a
 * real device that it describes is opened. */
void mx_gate_case(void *gate, struct mx_result *r);

/* Does all runs in processes of their own: unknown code, and the runtime of a real device, can
 * crash them. done: as in pool.h. */
int mx_gate_work(struct mx_gate *g, void (*done)(void *gate, size_t i), struct mx_error *err);

/* Of --device hip,emu: does all runs on the emulator. 0, or -1 with err->text. */
int mx_gate_emulate(struct mx_gate *g, struct mx_error *err);

/* What a report gets of the runs. */
struct mx_record mx_gate_record(const struct mx_gate *g, double seconds);

/* Opens the reports before anything runs. A file or folder that cannot be written is found here. */
int mx_gate_begin_reports(struct mx_gate *g, struct mx_error *err);

/* The ends of reports that grow, and the other reports. One that fails does not stop the next. */
int mx_gate_end_reports(struct mx_gate *g, double seconds);

/* Does all runs, in parallel; returns the exit status. */
int mx_gate_run(struct mx_gate *g);

#endif
