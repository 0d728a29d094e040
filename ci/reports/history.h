/* The history of runs, in an SQLite file. `mxcheck report` reads it.
 *
 * entry  one for each start of mxcheck: id, time (seconds since 1970), version, device, arch,
 *        runtime, seed (text, because SQLite has no unsigned integers of 64 bits), hardware (name,
 *        driver and clocks of a real device, else NULL), profile (of --profile, else NULL).
 * `--device hip,emu` adds an entry for each run    one for each run: entry, name, kernel, code
 * (hash of the code object), compiler, revision (commit of the repository that has the code object,
 * else of that of the case file), outcome and status as in json.h, findings (kinds that failed,
 * between spaces), snr_deq, snr_unq, worst_row, equal, ulp, seconds. A number that a run does not
 * have is NULL; an exact run has no SNR and no worst_row.
 *
 * Functions return 0, or -1 with err->text, which names the file. */
#ifndef MX_HISTORY_H
#define MX_HISTORY_H

#include "../cli/accuracy.h"
#include "record.h"

/* ---- writing ---- */

struct mx_history;

/* Opens the file, or makes it, and adds the entry. */
int mx_history_begin(const char *path, const struct mx_record *r, struct mx_history **h,
                     struct mx_error *err);
/* Adds a run as soon as it has ended: what was done stays if the process is killed. */
void mx_history_run(struct mx_history *h, const struct mx_result *r);
/* Fails if a run could not be added. */
int mx_history_end(struct mx_history *h, struct mx_error *err);

/* ---- reading ---- */

struct mx_past_entry {
	long long id, time;
	char *device, *arch, *seed, *hardware, *profile;
	char *revision; /* of its first run */
	size_t runs, failed;
};

struct mx_past_run {
	size_t entry; /* index in entries */
	char *name, *revision, *compiler, *code, *outcome, *findings;
	int status;
	struct mx_accuracy accuracy;
	double seconds; /* NAN: it could not run */
};

struct mx_past {
	struct mx_past_entry *entries; /* by id */
	struct mx_past_run *runs;      /* by name, then by entry */
	size_t n_entries, n_runs;
};

int mx_past_read(const char *path, struct mx_past *p, struct mx_error *err);
void mx_past_free(struct mx_past *p);

#endif
