/* Writing the history of runs, in an SQLite file. */
#define _GNU_SOURCE
#include "history.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../cli/codefile.h"
#include "history_file.h"
#include "revision.h"

struct mx_history {
	const char *path;
	sqlite3 *db;
	sqlite3_stmt *insert; /* of a run */
	long long entry;
	char code[4096]; /* the code object that the texts below are of */
	char compiler[160], revision[64];
	struct mx_error error; /* the first failure; "": none */
};

/* ---- the entry ---- */

static void bind_text(sqlite3_stmt *s, int at, const char *text) {
	if (text && text[0])
		sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
}

static int add_entry(struct mx_history *h, const struct mx_record *r, struct mx_error *err) {
	static const char text[] = "INSERT INTO entry (time, version, device, arch, runtime, seed, "
				   "hardware, profile) VALUES (?,?,?,?,?,?,?,?)";
	sqlite3_stmt *s = NULL;
	char seed[24], hardware[512] = "";
	snprintf(seed, sizeof seed, "%" PRIu64, r->o->seed);
	if (!r->d->emu)
		mx_device_text(r->d, hardware, sizeof hardware);
	int rc = sqlite3_prepare_v2(h->db, text, -1, &s, NULL);
	if (!rc) {
		sqlite3_bind_int64(s, 1, time(NULL));
		bind_text(s, 2, mx_version());
		bind_text(s, 3, r->d->name);
		bind_text(s, 4, r->d->arch);
		bind_text(s, 5, r->d->runtime);
		bind_text(s, 6, seed);
		bind_text(s, 7, hardware);
		bind_text(s, 8, r->o->profile);
		rc = sqlite3_step(s);
	}
	h->entry = sqlite3_last_insert_rowid(h->db);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? 0 : mx_history_fail(h->path, h->db, err);
}

static int prepare(struct mx_history *h, struct mx_error *err) {
	static const char text[] = "INSERT INTO run VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
	return sqlite3_prepare_v2(h->db, text, -1, &h->insert, NULL)
	               ? mx_history_fail(h->path, h->db, err)
	               : 0;
}

int mx_history_begin(const char *path, const struct mx_record *r, struct mx_history **h,
                     struct mx_error *err) {
	struct mx_history *made = calloc(1, sizeof *made);
	if (!made)
		return mx_fail(err, "out of memory");
	made->path = path;
	if (mx_history_open(path, true, &made->db, err) || add_entry(made, r, err) ||
	    prepare(made, err)) {
		sqlite3_close(made->db);
		free(made);
		return -1;
	}
	*h = made;
	return 0;
}

/* ---- runs ---- */

static void read_compiler(const char *path, char *text, size_t room) {
	struct mx_codefile f;
	struct mx_error why;
	text[0] = 0;
	if (mx_codefile_open(path, &f, &why))
		return;
	mx_codeobject_compiler(f.object, text, room);
	mx_codefile_close(&f);
}

static void read_revision(const char *file, char *text, size_t room) {
	char folder[4096];
	const char *slash = strrchr(file, '/');
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) + 1 : 1,
	         slash ? file : ".");
	mx_revision(folder, text, room);
}

/* Runs of one code object mostly follow each other. */
static void read_code(struct mx_history *h, const struct mx_result *r) {
	char code[4096] = "";
	if (r->code)
		mx_result_code(r, mx_case_steps(r->run->c) - 1, code);
	if (h->code[0] && !strcmp(h->code, code))
		return;
	snprintf(h->code, sizeof h->code, "%s", code);
	read_compiler(code, h->compiler, sizeof h->compiler);
	read_revision(code, h->revision, sizeof h->revision);
	if (!h->revision[0])
		read_revision(r->run->c->path, h->revision, sizeof h->revision);
}

static void bind_findings(sqlite3_stmt *s, int at, const struct mx_verdict *v) {
	char text[512] = "";
	size_t n = 0;
	for (unsigned i = 0; i < v->n_notes && n < sizeof text; i++)
		if (v->notes[i].severity > 0 && mx_verdict_count(v, i))
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "",
			                      v->notes[i].kind);
	bind_text(s, at, text);
}

static void bind_numbers(sqlite3_stmt *s, int at, const struct mx_result *r) {
	struct mx_accuracy a = mx_accuracy_of(&r->verdict);
	for (unsigned i = 0; i < MX_MEASURES && mx_has_accuracy(&r->verdict); i++)
		if (!isnan(a.at[i]))
			sqlite3_bind_double(s, at + (int)i, a.at[i]);
	if (!r->bad_input)
		sqlite3_bind_double(s, at + MX_MEASURES, r->seconds);
}

void mx_history_run(struct mx_history *h, const struct mx_result *r) {
	char hash[24] = "";
	sqlite3_stmt *s = h->insert;
	read_code(h, r);
	if (r->code)
		snprintf(hash, sizeof hash, "%016" PRIx64, r->code_hash);
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	sqlite3_bind_int64(s, 1, h->entry);
	bind_text(s, 2, r->run->name);
	unsigned last = mx_case_steps(r->run->c) - 1;
	bind_text(s, 3, mx_case_kernel(r->run->c, r->run->run.variant, last));
	bind_text(s, 4, hash);
	bind_text(s, 5, h->compiler);
	bind_text(s, 6, h->revision);
	bind_text(s, 7, mx_outcome_name(mx_result_outcome(r)));
	sqlite3_bind_int(s, 8, mx_result_status(r));
	bind_findings(s, 9, &r->verdict);
	bind_numbers(s, 10, r);
	if (sqlite3_step(s) != SQLITE_DONE && !h->error.text[0])
		mx_history_fail(h->path, h->db, &h->error);
}

int mx_history_end(struct mx_history *h, struct mx_error *err) {
	sqlite3_finalize(h->insert);
	int status = sqlite3_close(h->db) ? mx_history_fail(h->path, h->db, err) : 0;
	if (h->error.text[0])
		status = mx_fail(err, "%s", h->error.text);
	free(h);
	return status;
}
