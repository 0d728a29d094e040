/* The command line of mxcheck. */
#ifndef MX_OPTIONS_H
#define MX_OPTIONS_H

#include <limits.h>

#include "../inspect/trace.h"

/* The time limit of a run that is not of a hunt, in seconds. */
enum { MX_USUAL_TIME_OUT = 120 };

struct mx_options {
	const char *program;  /* argv[0] */
	const char *device;   /* NULL: hip if there is a gfx950, else emu */
	bool beside;          /* --device hip,emu: the emulator runs beside the device */
	char device_name[16]; /* then: that of the device */
	uint64_t seed;
	unsigned long race;   /* 0: one run of each case */
	double time;          /* of a hunt, in seconds; 0: no limit */
	double time_out;      /* of one of its runs, or of a run alone; 0: the default */
	const char *resume;   /* journal of the hunt, or NULL */
	const char *schedule; /* text or file, instead of the seed's schedule; or NULL */
	struct mx_vary vary;  /* what surrounds the runs of a hunt */
	bool varies;
	unsigned shard, shards;        /* --shard: this one, from 1, of how many; shards 0: all */
	char shard_names[6][PATH_MAX]; /* of reports and the journal, with {shard} replaced */
	unsigned jobs;
	bool has_jobs;    /* --jobs was given */
	const char *save; /* folder for the buffers after the launch; or NULL */
	bool list, tap, verbose, mutate;
	unsigned assume;      /* MX_ASSUME_..., added to those of the case */
	const char *profile;  /* --profile: in place of that of the case; or NULL */
	bool notes;           /* print each note */
	bool assumptions;     /* print each assumption */
	const char *base;     /* of mxcheck ci: the revision to compare with; or NULL */
	const char *cases;    /* of mxcheck ci: the folder of cases; NULL: cases */
	bool ci;              /* mxcheck ci */
	bool allow_deleted;   /* of mxcheck ci: a change may delete runs */
	bool fuzz;            /* mxcheck fuzz */
	unsigned long count;  /* --count: shapes of each case; 0: no limit */
	bool coverage;        /* --coverage */
	const char *regress;  /* --regress: the folder of failing cases */
	const char *baseline; /* --baseline: the file of the accuracy of runs */
	bool update_baseline;
	const char *cache;                       /* --cache: a folder of verdicts; or NULL */
	const char *json, *junit, *sarif, *html; /* files of reports */
	bool github;                             /* --github */
	const char *history;                     /* --history: an SQLite file */
	bool no_shrink;                          /* a hunt does not look for a short schedule */
	const char *races;   /* --races: classes of races that fail, are reported or ignored */
	const char *waive;   /* --waive: a file of waivers */
	const char *expect;  /* --expect: a file of expected failures */
	bool require_proof;  /* a case that passes without a proof of its order fails */
	unsigned analysis;   /* MX_ANALYSE_... for the judged run */
	const char *shape;   /* sizes, as in --shape; or NULL */
	unsigned tiles;      /* --tiles; 0: those of the run */
	bool nops, progress; /* mutate: mutants of nops, and progress without a terminal */
	bool has_regime;
	mx_regime regime;
	const char *who; /* --who */
	unsigned depth;
	bool has_depth; /* --depth was given */
	struct mx_trace_options trace;
	const char *case_file, *code_object; /* of `mxcheck run` */
	const char *code_dir;                /* --code; or NULL */
	char **globs;
	int n_globs;
};

/* The files of reports that were asked for. Returns their number. */
enum { MX_REPORTS = 4 };
struct mx_report_path {
	const char *option, *path; /* "--json", its value */
};
size_t mx_options_reports(const struct mx_options *o, struct mx_report_path reports[MX_REPORTS]);

/* Seconds from "90", "90s", "30m" or "8h". */
bool mx_parse_duration(const char *text, double *seconds);

/* Whether an option looks into one launch: --who, --trace, --watch, --break. */
bool mx_options_look(const struct mx_options *o);

/* Returns true to go on; false to exit with *status (--help, or wrong usage). */
bool mx_options_parse(int argc, char **argv, struct mx_options *o, int *status);

#endif
