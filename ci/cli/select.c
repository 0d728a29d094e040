/* Selects runs of cases, by case files, globs, tags and overrides. */
#define _GNU_SOURCE
#include "select.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../oracle/arithmetic.h"
#include "case_files.h"

/* ---- files ---- */

/* Mutation counts each race, because it looks for the changes that no check detects. */
static void override(const struct mx_options *o, struct mx_case *c) {
	c->assume |= o->assume;
	if (o->races)
		mx_race_actions_parse(o->races, &c->races);
	if (o->mutate)
		c->races = (struct mx_race_actions){ MX_FAILS, MX_FAILS };
}

static int add_case(const struct mx_options *o, struct mx_selection *s, const char *path,
                    struct mx_error *err) {
	struct mx_case **grown = realloc(s->cases, (s->n_cases + 1) * sizeof *grown);
	if (!grown)
		return mx_fail(err, "out of memory");
	s->cases = grown;
	if (mx_case_load(path, &grown[s->n_cases], err))
		return -1;
	grown[s->n_cases]->more_waivers = s->waivers;
	grown[s->n_cases]->code_dir = o->code_dir;
	grown[s->n_cases]->profile = o->profile;
	grown[s->n_cases]->profile_file = s->profile_file;
	override(o, grown[s->n_cases++]);
	return 0;
}

/* A glob selects no run of a case whose name differs from what the glob has before its first
 * wildcard. */
static bool may_select(const char *glob, const char *name) {
	size_t literal = strcspn(glob, "*?[\\"), n = strlen(name);
	return !strncmp(glob, name, literal < n ? literal : n);
}

/* Files that no glob can select are not loaded, which most of the time of a small run would go to.
 * What looks at cases that are not selected needs all of them. */
static bool is_needed(const struct mx_options *o, const char *path) {
	char name[MX_RUN_NAME];
	if (!o->n_globs || o->ci || o->expect || !mx_case_peek(path, name, sizeof name))
		return true;
	for (int i = 0; i < o->n_globs; i++)
		if (may_select(o->globs[i], name))
			return true;
	return false;
}

/* What a visit to a case file adds it to. */
struct loading {
	const struct mx_options *o;
	struct mx_selection *s;
};

static int add_if_needed(void *context, const char *path, struct mx_error *err) {
	const struct loading *l = context;
	return is_needed(l->o, path) ? add_case(l->o, l->s, path, err) : 0;
}

static int add_folder(const struct mx_options *o, struct mx_selection *s, const char *dir,
                      struct mx_error *err) {
	struct loading l = { o, s };
	return mx_case_files(dir, add_if_needed, &l, err);
}

/* ---- selection ---- */

static bool has_tag(const struct mx_run_spec *r, const char *tag) {
	for (unsigned i = 0; i < r->n_tags; i++)
		if (!strcmp(r->tags[i], tag))
			return true;
	return false;
}

/* Tries every glob: mx_select refuses those that name no run. */
static bool named(const struct mx_options *o, struct mx_selection *s, const struct mx_selected *r) {
	bool any = false;
	for (int i = 0; i < o->n_globs; i++)
		if (!fnmatch(o->globs[i], r->name, 0) || !fnmatch(o->globs[i], r->c->name, 0))
			any = s->glob_names[i] = true;
	return any;
}

/* Without a glob: the runs tagged quick; all runs for --case and for --list; for ci all but the
 * long ones. */
static bool wanted(const struct mx_options *o, struct mx_selection *s, const struct mx_selected *r,
                   const struct mx_run_spec *spec) {
	bool is_named = named(o, s, r);
	if (o->has_regime && r->run.regime != o->regime)
		return false;
	if (o->n_globs)
		return is_named;
	if (o->ci)
		return !has_tag(spec, "long");
	return o->case_file || o->list || has_tag(spec, "quick");
}

static void join_tags(const struct mx_run_spec *spec, char *tags, size_t room) {
	size_t n = 0;
	tags[0] = 0;
	for (unsigned i = 0; i < spec->n_tags && n < room; i++)
		n += (size_t)snprintf(tags + n, room - n, "%s%s", i ? " " : "", spec->tags[i]);
}

static struct mx_selected as_run(const struct mx_case *c, const struct mx_run_spec *spec,
                                 const struct mx_case_run *run) {
	struct mx_selected r = { c, *run, "", "" };
	mx_case_run_name(c, run, r.name);
	join_tags(spec, r.tags, sizeof r.tags);
	return r;
}

static int add_run(struct mx_selection *s, const struct mx_selected *r, struct mx_error *err) {
	for (size_t i = 0; i < s->n_runs; i++)
		if (!strcmp(s->runs[i].name, r->name))
			return 0;
	struct mx_selected *grown = realloc(s->runs, (s->n_runs + 1) * sizeof *grown);
	if (!grown)
		return mx_fail(err, "out of memory");
	s->runs = grown;
	s->runs[s->n_runs++] = *r;
	return 0;
}

/* Kernels that are not built here run where their code object is. */
static bool is_absent(const struct mx_options *o, const struct mx_case *c,
                      const struct mx_variant *v) {
	char path[4096];
	struct mx_error why;
	if (!c->external || o->code_object || o->list)
		return false;
	for (unsigned i = 0; (!o->case_file || c->n_variants) && i < mx_case_steps(c); i++)
		if (mx_case_code(c, v, i, ".", path, &why))
			return true;
	return false;
}

bool mx_case_each_run(const struct mx_case *c, mx_run_name_visit *each, void *context) {
	char name[MX_RUN_NAME];
	for (unsigned k = 0; k < c->n_runs; k++)
		for (unsigned v = 0; v < c->n_variants || !v; v++) {
			struct mx_case_run run =
				mx_run_of(&c->runs[k], c->n_variants ? &c->variants[v] : NULL);
			mx_case_run_name(c, &run, name);
			if (each(context, name))
				return true;
		}
	return false;
}

/* --shape replaces the shapes of the selected runs; a glob may match the old shape or the new
 * one. */
static int select_run(const struct mx_options *o, struct mx_selection *s, const struct mx_case *c,
                      const struct mx_run_spec *spec, const struct mx_variant *v,
                      struct mx_error *err) {
	mx_regime regime = o->shape && o->has_regime ? o->regime : spec->regime;
	struct mx_case_run run = mx_run_of(spec, v);
	run.regime = regime;
	run.tiles = o->tiles ? o->tiles : run.tiles;
	struct mx_selected own = as_run(c, spec, &run);
	struct mx_error why = { "" };
	int status = o->shape ? mx_sizes_replace(c, &run.sizes, o->shape, &why) : 0;
	struct mx_selected r = as_run(c, spec, &run);
	if (!wanted(o, s, &own, spec) && !wanted(o, s, &r, spec))
		return 0;
	if (status)
		return mx_fail(err, "%s: --shape %s: %s", own.name, o->shape, why.text);
	if (!is_absent(o, c, v))
		return add_run(s, &r, err);
	s->n_absent++;
	return 0;
}

static int select_runs(const struct mx_options *o, struct mx_selection *s, const struct mx_case *c,
                       struct mx_error *err) {
	for (unsigned i = 0; i < c->n_runs; i++)
		for (unsigned v = 0; v < c->n_variants || !v; v++)
			if (select_run(o, s, c, &c->runs[i], c->n_variants ? &c->variants[v] : NULL,
			               err))
				return -1;
	return 0;
}

/* Every Nth run. The runs of a hunt are split instead, by mx_hunt. */
static void keep_shard(const struct mx_options *o, struct mx_selection *s) {
	size_t n = 0;
	if (!o->shards || o->race || o->fuzz)
		return;
	for (size_t i = o->shard - 1; i < s->n_runs; i += o->shards)
		s->runs[n++] = s->runs[i];
	s->n_runs = n;
}

/* A gate must not pass because a glob is misspelt. For ci it may name runs that the change deletes. */
static int check_globs(const struct mx_options *o, const struct mx_selection *s,
                       struct mx_error *err) {
	for (int i = 0; i < o->n_globs; i++)
		if (!s->glob_names[i] && (!o->ci || !s->n_runs))
			return mx_fail(err, "no case matches '%s'; %s", o->globs[i],
			               access(o->globs[i], F_OK)
			                       ? "see mxcheck --list"
			                       : "it is a file: --case names a case file, "
			                         "--co a code object");
	return 0;
}

static int check_runs(const struct mx_options *o, const struct mx_selection *s,
                      const char *case_dir, struct mx_error *err) {
	if (s->n_runs)
		return 0;
	if (s->n_absent)
		return mx_fail(err,
		               "no code object of the %zu selected runs is here; --code DIR names the "
		               "folder",
		               s->n_absent);
	if (!s->n_cases)
		return mx_fail(err, "%s: there is no case file (*.yaml)", case_dir);
	return mx_fail(err, "no case selected%s%s; see mxcheck --list",
	               o->has_regime ? ": none has the regime " : "",
	               o->has_regime ? mx_regime_name(o->regime) : "");
}

int mx_select(const struct mx_options *o, const char *case_dir, struct mx_selection *s,
              struct mx_error *err) {
	*s = (struct mx_selection){ .glob_names = calloc((size_t)o->n_globs + 1, 1) };
	if (!s->glob_names)
		return mx_fail(err, "out of memory");
	int status = o->waive ? mx_waivers_load(o->waive, &s->waivers, err) : 0;
	if (!status && o->profile)
		status = mx_arithmetic_read(o->profile, &s->profile_file, err);
	if (!status)
		status = o->case_file ? add_case(o, s, o->case_file, err)
		                      : add_folder(o, s, case_dir, err);
	for (size_t i = 0; !status && i < s->n_cases; i++)
		status = select_runs(o, s, s->cases[i], err);
	if (!status)
		status = check_globs(o, s, err) || check_runs(o, s, case_dir, err) ? -1 : 0;
	if (!status)
		keep_shard(o, s);
	return status;
}

void mx_selection_free(struct mx_selection *s) {
	for (size_t i = 0; i < s->n_cases; i++)
		mx_case_free(s->cases[i]);
	free(s->cases);
	free(s->runs);
	free(s->glob_names);
	for (size_t i = 0; i < s->n_gone; i++)
		free(s->gone[i]);
	free(s->gone);
	mx_waivers_free(s->waivers);
	if (s->profile_file)
		mx_profile_file_free(s->profile_file);
}
