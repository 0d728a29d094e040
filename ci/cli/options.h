/* The command line of mxcheck. */
#ifndef MX_OPTIONS_H
#define MX_OPTIONS_H

#include "../inspect/trace.h"

struct mx_options {
	const char *program; /* as it was called */
	const char *device;  /* NULL: hip where there is a gfx950, else emu */
	uint64_t seed;
	unsigned long race;    /* 0: one run of each case */
	double time, time_out; /* of a hunt, of one of its runs, in seconds; 0: none */
	const char *resume;    /* the hunt's journal, or NULL */
	const char *schedule;  /* text or file, instead of the seed's; or NULL */
	struct mx_vary vary;   /* around the runs of a hunt */
	bool varies;
	unsigned jobs;
	bool has_jobs;    /* --jobs was said */
	const char *save; /* folder for buffers as the launch left them; or NULL */
	bool list, tap, verbose, mutate;
	unsigned assume;    /* MX_ASSUME_..., besides what a case does */
	bool notes;         /* print each */
	bool require_proof; /* a pass that the analysis of order does not prove fails */
	unsigned analysis;  /* MX_ANALYSE_... of the run that is judged */
	bool has_shape, has_regime;
	int64_t shape[3];
	mx_regime regime;
	const char *who; /* --who */
	unsigned depth;
	struct mx_trace_options trace;
	const char *case_file, *code_object; /* of `mxcheck run` */
	char **globs;
	int n_globs;
};

/* Seconds from "90", "90s", "30m" or "8h". */
bool mx_parse_duration(const char *text, double *seconds);

/* Whether one launch is to be looked into: --who, --trace, --watch, --break. */
bool mx_options_look(const struct mx_options *o);

/* Returns true to go on; false to exit with *status (help was asked for, or usage was wrong). */
bool mx_options_parse(int argc, char **argv, struct mx_options *o, int *status);

#endif
