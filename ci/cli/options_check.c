/* Which options of mxcheck go together, and which files they may name. */
#include "options_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../cases/files.h"

bool mx_options_bad(int *status, const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	fputs("mxcheck: ", stderr);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputs("; see mxcheck --help\n", stderr);
	*status = 2;
	return false;
}

static bool check_run(bool is_run, const struct mx_options *o, int *status) {
	if (o->code_dir && access(o->code_dir, R_OK | X_OK))
		return mx_options_bad(status, "--code %s: not a folder that can be read",
		                      o->code_dir);
	if (o->ci != (o->base != NULL))
		return mx_options_bad(status, "%s",
		                      o->ci ? "ci: --base REV is missing"
		                            : "--base: only with 'mxcheck ci'");
	if (o->cases && !o->ci)
		return mx_options_bad(status, "--cases %s: only with 'mxcheck ci'", o->cases);
	if (o->allow_deleted && !o->ci)
		return mx_options_bad(status, "%s", "--allow-deleted: only with 'mxcheck ci'");
	if (o->shards && (o->mutate || o->list))
		return mx_options_bad(status, "%s", "--shard is for runs and for mxcheck fuzz");
	if (o->mutate || o->fuzz)
		return true;
	if (o->nops || o->progress)
		return mx_options_bad(status, "%s",
		                      "--nops and --progress: only with 'mxcheck mutate'");
	if (is_run && !o->case_file)
		return mx_options_bad(status, "%s", "run: --case FILE.yaml is missing");
	if (!is_run && o->case_file)
		return mx_options_bad(status, "--case %s: only with 'mxcheck run'", o->case_file);
	if (o->code_object && o->code_dir)
		return mx_options_bad(status, "--co %s does not go with --code", o->code_object);
	if (!is_run && o->code_object)
		return mx_options_bad(status, "--co %s: only with 'mxcheck run'", o->code_object);
	return true;
}

bool mx_options_look(const struct mx_options *o) {
	return o->who || o->trace.wave || o->trace.watch || o->trace.stop;
}

/* What a shape that fuzz draws does not take. */
static bool check_fuzz(const struct mx_options *o, int *status) {
	const struct {
		const char *name;
		bool given;
	} of_runs[] = {
		{ "--shape", o->shape != NULL },
		{ "--tiles", o->tiles != 0 },
		{ "--regime", o->has_regime },
		{ "--race", o->race != 0 },
		{ "--schedule", o->schedule != NULL },
		{ "--resume", o->resume != NULL },
		{ "--time-out", o->time_out > 0 },
		{ "--vary", o->varies },
		{ "--save", o->save != NULL },
		{ "--tap", o->tap },
		{ "--require-proof", o->require_proof },
		{ "--no-analysis", !o->analysis },
		{ "--who", o->who != NULL },
		{ "--trace", o->trace.wave != NULL },
		{ "--watch", o->trace.watch != NULL },
		{ "--break", o->trace.stop != NULL },
	};
	for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++)
		if (of_runs[i].given)
			return mx_options_bad(status, "fuzz: %s is for runs", of_runs[i].name);
	return true;
}

/* --time without --race: a hunt of as many runs as fit in that time. */
static bool check_hunt(struct mx_options *o, int *status) {
	if (o->fuzz)
		return check_fuzz(o, status);
	if (o->count || o->regress || o->coverage)
		return mx_options_bad(status, "%s",
		                      "--count, --regress and --coverage are for mxcheck fuzz");
	if (o->time > 0 && !o->race)
		o->race = MX_MOST_RUNS;
	if (o->race && o->schedule)
		return mx_options_bad(status, "%s",
		                      "--schedule does not go with a hunt (--race, --time)");
	if (o->race)
		return true;
	if (o->varies)
		return mx_options_bad(status, "%s", "--vary needs a hunt: --race N or --time T");
	if (o->no_shrink)
		return mx_options_bad(status, "%s",
		                      "--no-shrink needs a hunt: --race N or --time T");
	if (o->time_out > 0 && o->mutate)
		return mx_options_bad(status, "%s",
		                      "mutate: --time-out needs --race N or --time T");
	return !o->resume ||
	       mx_options_bad(status, "--resume %s: needs a hunt: --race N or --time T", o->resume);
}

/* "hip:1,emu" */
static bool check_devices(struct mx_options *o, int *status) {
	const char *comma = o->device ? strchr(o->device, ',') : NULL;
	if (!comma)
		return true;
	if (strncmp(o->device, "hip", 3) || strcmp(comma, ",emu") ||
	    comma - o->device >= (ptrdiff_t)sizeof o->device_name)
		return mx_options_bad(status, "--device %s: two devices are hip,emu or hip:N,emu",
		                      o->device);
	if (o->resume)
		return mx_options_bad(status, "--resume %s: a journal is of one device", o->resume);
	memcpy(o->device_name, o->device, (size_t)(comma - o->device));
	o->device = o->device_name;
	o->beside = true;
	return true;
}

static bool check_baseline(const struct mx_options *o, int *status) {
	if (o->update_baseline && !o->baseline)
		return mx_options_bad(status, "%s", "--update-baseline needs --baseline FILE");
	if (o->baseline && (o->mutate || o->fuzz))
		return mx_options_bad(status, "--baseline %s: only for runs", o->baseline);
	if (o->baseline && o->tiles)
		return mx_options_bad(
			status, "--baseline %s: not with --tiles, which judges a part of a run",
			o->baseline);
	if (o->history && (o->mutate || o->fuzz))
		return mx_options_bad(status, "--history %s: only for runs", o->history);
	if (o->expect && (o->mutate || o->fuzz))
		return mx_options_bad(status, "--expect %s: only for runs", o->expect);
	return true;
}

size_t mx_options_reports(const struct mx_options *o, struct mx_report_path reports[MX_REPORTS]) {
	const struct mx_report_path all[MX_REPORTS] = { { "--json", o->json },
		                                        { "--junit", o->junit },
		                                        { "--sarif", o->sarif },
		                                        { "--html", o->html } };
	size_t n = 0;
	for (size_t i = 0; i < MX_REPORTS; i++)
		if (all[i].path)
			reports[n++] = all[i];
	return n;
}

static bool check_reports(const struct mx_options *o, int *status) {
	struct mx_report_path r[MX_REPORTS];
	size_t n = mx_options_reports(o, r);
	if (o->github && (o->mutate || o->fuzz))
		return mx_options_bad(status, "%s", "--github: only for runs");
	for (size_t i = 0; i < n; i++) {
		if (o->mutate || o->fuzz)
			return mx_options_bad(status, "%s: only for runs", r[i].option);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(r[i].path, "-") && !strcmp(r[k].path, "-"))
				return mx_options_bad(status, "%s and %s: both write -",
				                      r[k].option, r[i].option);
	}
	return true;
}

/* What is written must not replace another file of the run, under whatever name: a history would be
 * lost, and so would a case. */
static bool check_apart(const struct mx_options *o, int *status) {
	const struct mx_report_path files[] = {
		{ "--json", o->json },         { "--junit", o->junit },
		{ "--sarif", o->sarif },       { "--html", o->html },
		{ "--history", o->history },   { "--resume", o->resume },
		{ "--baseline", o->baseline }, { "--expect", o->expect },
		{ "--waive", o->waive },       { "--case", o->case_file },
		{ "--co", o->code_object },
	};
	const size_t written = 6;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		for (size_t k = 0; k < i && k < written && files[i].path; k++)
			if (files[k].path && mx_file_same(files[k].path, files[i].path))
				return mx_options_bad(status, "%s and %s: both are %s",
				                      files[k].option, files[i].option,
				                      files[i].path);
	return true;
}

/* `-` is standard output for reports; what is read again, or is a folder, must have a name. */
static bool check_names(const struct mx_options *o, int *status) {
	const struct mx_report_path named[] = {
		{ "--save", o->save },         { "--regress", o->regress },
		{ "--baseline", o->baseline }, { "--resume", o->resume },
		{ "--history", o->history },
	};
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (named[i].path && !strcmp(named[i].path, "-"))
			return mx_options_bad(
				status,
				"%s -: cannot be standard output; ./- is a file of this name",
				named[i].option);
	return true;
}

/* Options whose output a stored verdict does not have, or that depend on more than the inputs. */
static bool check_cache(const struct mx_options *o, int *status) {
	const char *with = o->mutate || o->fuzz ? "mutate and fuzz"
	                   : mx_options_look(o) ? "--who, --trace, --watch and --break"
	                   : o->save            ? "--save"
	                   : o->resume          ? "--resume"
	                   : o->time > 0        ? "--time"
	                   : o->varies          ? "--vary"
	                                        : NULL;
	return !o->cache || !with || mx_options_bad(status, "--cache does not go with %s", with);
}

static bool check_proof(const struct mx_options *o, int *status) {
	if (o->require_proof && o->mutate)
		return mx_options_bad(status, "%s", "mutate: --require-proof needs a run");
	if (o->require_proof && !o->analysis)
		return mx_options_bad(status, "%s",
		                      "--require-proof does not go with --no-analysis");
	return true;
}

static bool check_look(const struct mx_options *o, int *status) {
	struct mx_error err;
	if (!mx_trace_check(&o->trace, &err))
		return mx_options_bad(status, "%s", err.text);
	if (o->has_depth && !o->who)
		return mx_options_bad(status, "%s", "--depth needs --who");
	if (o->trace.lane >= 0 && !o->trace.wave && !o->trace.stop)
		return mx_options_bad(status, "%s", "--lane needs --trace or --break");
	if (o->race && mx_options_look(o))
		return mx_options_bad(status, "%s",
		                      "--race does not go with --who, --trace, --watch or --break");
	if (o->tap && mx_options_look(o))
		return mx_options_bad(status, "%s",
		                      "--tap does not go with --who, --trace, --watch or --break");
	return true;
}

bool mx_options_check(bool is_run, struct mx_options *o, int *status) {
	return check_run(is_run, o, status) && check_devices(o, status) && check_hunt(o, status) &&
	       check_baseline(o, status) && check_cache(o, status) && check_reports(o, status) &&
	       check_names(o, status) && check_apart(o, status) && check_proof(o, status) &&
	       check_look(o, status);
}
