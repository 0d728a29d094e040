/* The report of mxcheck: a line for each case, its findings, a summary. */
#ifndef MX_REPORT_H
#define MX_REPORT_H

#include <stdio.h>

#include "../../fuzz/hunt/hunt.h"
#include "../inspect/scene.h"
#include "expect.h"
#include "select.h"

struct mx_beside;
struct mx_outputs;

/* One case's result. */
struct mx_result {
	const struct mx_selected *run;
	bool alone;     /* the only case of this command */
	bool cached;    /* from the cache: it passed before, with the same inputs */
	bool bad_input; /* nothing ran; err has the reason */
	bool lost;      /* a launch did not end, and the device did not come back */
	struct mx_error err;
	struct mx_verdict verdict;
	const struct mx_expected
		*expected; /* the row of --expect that covers its failure; or NULL */
	char *code; /* paths of the steps' code objects, a line each; owned; NULL: not loaded */
	uint64_t code_hash;     /* of the code objects of all steps, XXH3 */
	struct mx_race race;    /* runs 0: not a hunt */
	struct mx_vary vary;    /* what surrounded its runs, with amounts */
	double seconds;         /* of the launch; of a hunt: of one launch, on average */
	char origin[1024];      /* the instruction that wrote the first wrong byte; "": not known */
	char origin_at[160];    /* the location of this byte, for --who */
	char witness[3072];     /* lines about a divergence; "": none */
	char *schedule;         /* the schedule of the witness, for --schedule; owned, or NULL */
	struct mx_maps *maps;   /* where the outputs are wrong; owned; NULL: not known */
	struct mx_scene *scene; /* --html: writers, and steps around a race; owned; or NULL */
	struct mx_outputs *outputs; /* kept to compare a device with them; owned, or NULL */
	struct mx_beside *beside;   /* the same run on the emulator; owned, or NULL */
	char details[8192];         /* -v: counts of the emulator */
};

int mx_result_status(const struct mx_result *r);

/* The verdict with the proof of order: the emulator's, which may be beside a device. */
const struct mx_verdict *mx_result_order(const struct mx_result *r);

/* The path of a step's code object, which is loaded. Returns path. */
const char *mx_result_code(const struct mx_result *r, unsigned step, char path[4096]);

/* Whether a case is one line: it passes among others. What it assumes is printed at the end of the
 * run, once for all. */
bool mx_result_is_brief(const struct mx_options *o, const struct mx_result *r);

void mx_report_start(const struct mx_options *o, const struct mx_device *d, size_t n);
/* Prints results[i] of n, after those before it. On a terminal the passes of many runs are printed
 * at the end, a line for each case. */
void mx_report_result(const struct mx_options *o, const struct mx_device *d,
                      const struct mx_result *results, size_t n, size_t i);
void mx_report_end(const struct mx_options *o, const struct mx_result *results, size_t n,
                   size_t n_absent, double seconds);

/* Writes the command that repeats a run, without options that its callers add. */
void mx_report_command(FILE *f, const struct mx_options *o, const struct mx_device *d,
                       const struct mx_result *r);

/* Writes what the emulator has of a run beside a real device: numbers, order, and how the outputs
 * differ. */
void mx_report_beside(FILE *f, const struct mx_result *r, const char *lead);

/* The code objects and the emulator's counts for the last run, for -v. */
void mx_report_details(const struct mx_bench *b, char *text, size_t room);

#endif
