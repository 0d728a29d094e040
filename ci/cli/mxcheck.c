/* mxcheck: selects cases, opens the device and the files of options, and starts the commands. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cases/files.h"
#include "../../fuzz/hunt/schedule.h"
#include "../../ref/num/cpu.h"
#include "args.h"
#include "change.h"
#include "command.h"
#include "folders.h"
#include "fuzz.h"
#include "gate.h"
#include "mutate.h"
#include "output.h"

enum { NOTHING_RAN = 77 };

static size_t widest(size_t column, const char *text) {
	size_t n = strlen(text);
	return n > column ? n : column;
}

static int list(const struct mx_selection *s) {
	size_t name = 44, tags = 10;
	for (size_t i = 0; i < s->n_runs; i++) {
		name = widest(name, s->runs[i].name);
		tags = widest(tags, s->runs[i].tags);
	}
	for (size_t i = 0; i < s->n_runs; i++)
		printf("%-*s %-*s %s\n", (int)name, s->runs[i].name, (int)tags, s->runs[i].tags,
		       s->runs[i].c->title ? s->runs[i].c->title : "");
	return 0;
}

/* The text itself, or a file that holds it. */
static int read_schedule(struct mx_gate *g) {
	enum { MOST_BYTES = 1 << 26 };
	const char *text = g->o->schedule;
	uint8_t *bytes = NULL;
	char *line = NULL;
	size_t n;
	struct mx_error err;
	bool is_file = !mx_schedule_is_text(text);
	int status = is_file ? mx_file_read(text, MOST_BYTES, &bytes, &n, &err) : 0;
	if (status) {
		fprintf(stderr,
		        "mxcheck: --schedule: neither a schedule ('sequential...', 'typical...') "
		        "nor a file: %s\n",
		        err.text);
		return status;
	}
	if (is_file)
		line = strndup((const char *)bytes, n);
	if (line)
		line[strcspn(line, "\n")] = 0;
	status = mx_schedule_parse(line ? line : text, &g->schedule, &err);
	if (status)
		fprintf(stderr, "mxcheck: %s\n", err.text);
	free(line);
	free(bytes);
	return status;
}

/* Options for one run of one case. */
static int check_selection(const struct mx_gate *g) {
	const char *option = mx_options_look(g->o) ? "--who, --trace, --watch and --break look into"
	                     : g->o->resume        ? "--resume needs"
	                                           : NULL;
	if (!option || g->selection.n_runs == 1)
		return 0;
	fprintf(stderr,
	        "mxcheck: %s one run of one case, and %zu are selected; --list prints "
	        "their names\n",
	        option, g->selection.n_runs);
	return MX_BAD_INPUT;
}

/* Options that the device does not support. */
static int check_device(const struct mx_gate *g) {
	const struct mx_options *o = g->o;
	const char *needs = o->schedule                      ? "--schedule needs"
	                    : o->require_proof && !o->beside ? "--require-proof needs"
	                    : o->cache                       ? "--cache needs"
	                    : mx_options_look(o) ? "--who, --trace, --watch and --break need"
	                    : o->fuzz            ? "mxcheck fuzz needs"
	                    : o->mutate          ? "mxcheck mutate needs"
	                                         : NULL;
	if (g->device->emu)
		return 0;
	if (needs)
		fprintf(stderr, "mxcheck: device %s: %s the emulator (--device emu)\n",
		        g->device->name, needs);
	else if (o->race && o->has_jobs && o->jobs > 1 && !o->beside)
		fprintf(stderr, "mxcheck: device %s: a hunt on a real device needs --jobs 1\n",
		        g->device->name);
	else
		return 0;
	return MX_BAD_INPUT;
}

/* The code object of a run's first step; false: there is none. */
static bool find_code(const struct mx_gate *g, const struct mx_selected *r, char path[4096]) {
	struct mx_error err;
	if (!g->o->code_object)
		return !mx_case_code(r->c, r->run.variant, 0, g->kernel_dir, path, &err);
	snprintf(path, 4096, "%s", g->o->code_object);
	return true;
}

/* Makes "emu" a device of the architecture of the selected code. Of several its processes become
 * each in turn; reports have "gfx950 and gfx1250". */
static int follow_code(struct mx_gate *g) {
	char path[4096], last[4096] = "", all[sizeof g->device->arch] = "";
	struct mx_why why;
	for (size_t i = 0; g->device->follows && i < g->selection.n_runs; i++) {
		if (!find_code(g, &g->selection.runs[i], path) || !strcmp(path, last))
			continue;
		strcpy(last, path);
		const char *name = mx_file_architecture(path);
		size_t n = strlen(all);
		if (name && !strstr(all, name))
			snprintf(all + n, sizeof all - n, "%s%s", n ? " and " : "", name);
	}
	if (strstr(all, " and "))
		strcpy(g->device->arch, all);
	else if (all[0] && mx_device_follow(g->device, last, &why))
		return fprintf(stderr, "mxcheck: %s\n", why.text), MX_BAD_INPUT;
	return 0;
}

/* The architecture of a run's code, if it is not that of the device; or NULL. */
static const char *other_architecture(const struct mx_gate *g, const struct mx_selected *r) {
	char path[4096];
	const char *name = find_code(g, r, path) ? mx_file_architecture(path) : NULL;
	return name && strcmp(name, g->device->arch) ? name : NULL;
}

/* Leaves the runs whose code a device of one architecture has. If it has none, all stay and are
 * refused. */
static void skip_others(struct mx_gate *g) {
	struct mx_selection *s = &g->selection;
	size_t n = 0;
	for (size_t i = 0; !g->device->follows && i < s->n_runs; i++) {
		const char *other = other_architecture(g, &s->runs[i]);
		if (other)
			s->other = other;
		else
			s->runs[n++] = s->runs[i];
	}
	if (!n)
		return;
	s->n_other = s->n_runs - n;
	s->n_runs = n;
}

static int run_command(struct mx_gate *g) {
	if (check_device(g) || follow_code(g) || (g->o->schedule && read_schedule(g)))
		return MX_BAD_INPUT;
	skip_others(g);
	if (g->o->fuzz)
		return mx_cmd_fuzz(g->o, g->device, g->kernel_dir, &g->selection);
	if (g->o->mutate)
		return mx_cmd_mutate(g->o, g->device, g->kernel_dir, &g->selection);
	struct mx_error err;
	if (g->o->cache && mx_cache_open(g->o, g->device, g->kernel_dir, &g->cache, &err)) {
		fprintf(stderr, "mxcheck: %s\n", err.text);
		return MX_BAD_INPUT;
	}
	int status = mx_gate_run(g);
	mx_cache_free(g->cache);
	return status;
}

static int run_on_device(struct mx_gate *g) {
	struct mx_why why;
	int status = mx_device_find(g->o->device, &g->device, &why);
	if (status < 0) {
		fprintf(stderr, "mxcheck: %s\n", why.text);
		return MX_BAD_INPUT;
	}
	if (status > 0) {
		fprintf(stderr, "mxcheck: device %s: nothing could run: %s\n",
		        g->o->device ? g->o->device : "emu", why.text);
		return NOTHING_RAN;
	}
	status = run_command(g);
	mx_schedule_free(&g->schedule);
	mx_device_close(g->device);
	return status;
}

static int open_files(struct mx_gate *g, struct mx_error *err) {
	const struct mx_options *o = g->o;
	if (o->baseline &&
	    mx_baseline_open(o->baseline, o->seed, o->update_baseline, &g->baseline, err))
		return -1;
	return o->expect ? mx_expect_open(o->expect, &g->expect, err) : 0;
}

static int open_and_run(struct mx_gate *g) {
	struct mx_error err;
	if (check_selection(g))
		return MX_BAD_INPUT;
	int status = open_files(g, &err) ? MX_BAD_INPUT : 0;
	if (status)
		fprintf(stderr, "mxcheck: %s\n", err.text);
	else
		status = run_on_device(g);
	mx_baseline_free(g->baseline);
	mx_expect_free(g->expect);
	return status;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "quant", mx_cmd_quant },       { "dequant", mx_cmd_dequant }, { "mfma", mx_cmd_mfma },
	{ "compare", mx_cmd_compare },   { "disasm", mx_cmd_disasm },   { "isa", mx_cmd_isa },
	{ "lint", mx_cmd_lint },         { "init", mx_cmd_init },       { "merge", mx_cmd_merge },
	{ "report", mx_cmd_report },     { "exec", mx_cmd_exec },       { "probe", mx_cmd_probe },
	{ "--version", mx_cmd_version },
};

static int run(int argc, char **argv) {
	char cases[MX_FOLDER_ROOM], kernels[MX_FOLDER_ROOM];
	struct mx_options o;
	struct mx_error err;
	struct mx_gate g = { .o = &o, .kernel_dir = kernels, .lock = PTHREAD_MUTEX_INITIALIZER };
	int status;
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (!mx_options_parse(argc, argv, &o, &status))
		return status;
	mx_folders_find(cases, kernels);
	if (mx_select(&o, o.ci ? o.cases ? o.cases : "cases" : cases, &g.selection, &err) ||
	    (o.ci && mx_change_select(&o, kernels, &g.selection, &err))) {
		fprintf(stderr, "mxcheck: %s\n", err.text);
		status = MX_BAD_INPUT;
	} else
		status = o.list ? list(&g.selection) : open_and_run(&g);
	mx_selection_free(&g.selection);
	return status;
}

int main(int argc, char **argv) {
	char why[256];
	mx_output_begin();
	if (!mx_cpu_check(why, sizeof why)) {
		fprintf(stderr, "mxcheck: %s\n", why);
		return mx_output_end(MX_BAD_INPUT);
	}
	return mx_output_end(run(argc, argv));
}
