/* A report as one HTML page: page.html with the record in it. */
#include "html.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../cases/files.h"
#include "../cli/beside.h"
#include "../inspect/scene.h"
#include "history.h"
#include "json_record.h"
#include "json_text.h"
#include "report_file.h"

/* ci/reports/page.html, as bytes of the program. */
__asm__(".pushsection .rodata\n"
        ".type mx_page, @object\n"
        "mx_page: .incbin \"ci/reports/page.html\"\n"
        ".byte 0\n"
        ".popsection");
extern const char mx_page[] __attribute__((visibility("hidden")));

static const char marker[] = "@DATA@";

/* ---- where the output is wrong ---- */

static json_t *writers(const struct mx_scene *s, unsigned n) {
	json_t *all = json_array();
	for (unsigned i = 0; i < n; i++) {
		const struct mx_writer *w = &s->writer[i];
		json_array_append_new(
			all, w->known ? json_pack("[I,I,I,I]", (json_int_t)w->workgroup[0],
		                                  (json_int_t)w->workgroup[1],
		                                  (json_int_t)w->workgroup[2], (json_int_t)w->wave)
				      : json_null());
	}
	return all;
}

/* Hexadecimal and decimal: JSON has no NaN, and numbers of JavaScript are not f32. */
static json_t *code_text(const struct mx_map *m, uint64_t code, bool none, double value) {
	char decimal[32];
	snprintf(decimal, sizeof decimal, "%.9g", value);
	json_t *hex = none ? json_string("") : json_sprintf("0x%0*" PRIx64, (int)m->digits, code);
	return json_pack("[o,s]", hex, decimal);
}

static json_t *window(const struct mx_map *m) {
	json_t *w = json_object(), *values = json_array();
	mx_json_put(w, "row", json_integer((json_int_t)m->window_row));
	mx_json_put(w, "col", json_integer((json_int_t)m->window_col));
	mx_json_put(w, "rows", json_integer(m->window_rows));
	mx_json_put(w, "cols", json_integer(m->window_cols));
	for (unsigned i = 0; i < m->window_rows * m->window_cols; i++) {
		const struct mx_map_value *v = &m->window[i];
		json_array_append_new(values,
		                      json_pack("{s:o,s:o,s:b,s:b}", "got",
		                                code_text(m, v->got, false, v->got_value), "want",
		                                code_text(m, v->want, v->no_code, v->want_value),
		                                "wrong", v->wrong, "unwritten", v->unwritten));
	}
	mx_json_put(w, "values", values);
	return w;
}

static json_t *map(const struct mx_map *m, const char *name, const struct mx_scene *s) {
	json_t *all = json_object(), *wrong = json_array();
	unsigned n = m->n_rows * m->n_cols;
	for (unsigned i = 0; i < n; i++)
		json_array_append_new(wrong, json_integer(m->wrong[i]));
	mx_json_put_text(all, "buffer", name);
	mx_json_put(all, "rows", json_integer((json_int_t)m->rows));
	mx_json_put(all, "cols", json_integer((json_int_t)m->cols));
	mx_json_put(all, "cell",
	            json_pack("[I,I]", (json_int_t)m->cell_rows, (json_int_t)m->cell_cols));
	mx_json_put(all, "grid", json_pack("[i,i]", (int)m->n_rows, (int)m->n_cols));
	mx_json_put(all, "wrong", wrong);
	if (s && s->has_writers)
		mx_json_put(all, "writers", writers(s, n));
	mx_json_put(all, "window", window(m));
	return all;
}

/* The writers are those of the first output. */
static json_t *maps(const struct mx_result *x) {
	json_t *all = json_array();
	for (unsigned i = 0; i < x->maps->n; i++) {
		const struct mx_map *m = &x->maps->at[i];
		json_array_append_new(
			all, map(m, x->run->c->buffers[m->buffer].name, i ? NULL : x->scene));
	}
	return all;
}

/* ---- a race ---- */

/* Beside a real device the scene is the emulator's. */
static const struct mx_scene *scene_of(const struct mx_result *x) {
	return x->beside ? x->beside->emu.scene : x->scene;
}

/* The finding of a scene, among those of the run. */
static unsigned finding_of(const struct mx_result *x, const struct mx_scene *s) {
	const struct mx_verdict *v = &x->verdict;
	const struct mx_note *of = &mx_result_order(x)->notes[s->note];
	for (unsigned i = 0; i < v->n_notes; i++)
		if (!strcmp(v->notes[i].kind, of->kind) &&
		    !memcmp(&v->notes[i].place, &of->place, sizeof of->place))
			return i;
	return 0;
}

static json_t *race(const struct mx_record *r, const struct mx_result *x) {
	const struct mx_scene *s = scene_of(x);
	unsigned note = finding_of(x, s);
	json_t *all = json_object(), *steps = json_array();
	for (unsigned i = 0; i < s->n_steps; i++) {
		const struct mx_scene_step *at = &s->step[i];
		struct mx_place p =
			mx_place_of(r->places, x, x->verdict.notes[note].place.step, at->pc);
		json_t *step = json_pack("{s:b,s:b,s:I,s:s,s:I}", "later", at->later, "access",
		                         at->is_access, "pc", (json_int_t)at->pc, "instruction",
		                         p.instruction, "time", (json_int_t)at->time);
		if (at->land)
			mx_json_put(step, "land", json_integer((json_int_t)at->land));
		json_array_append_new(steps, step);
	}
	mx_json_put(all, "finding", json_integer(note));
	mx_json_put(all, "same_wave", json_boolean(s->same_wave));
	mx_json_put(all, "steps", steps);
	return all;
}

/* ---- source lines ---- */

enum { MOST_SOURCE = 1 << 24, LINES_AROUND = 3 };

static json_t *lines_around(const char *text, size_t n, json_int_t middle) {
	json_t *lines = json_array();
	json_int_t number = 1;
	for (size_t at = 0; at < n && number <= middle + LINES_AROUND; number++) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t length = end ? (size_t)(end - text) - at : n - at;
		json_t *line = json_stringn(text + at, length);
		if (number >= middle - LINES_AROUND)
			json_array_append_new(
				lines, json_pack("[I,o]", number, line ? line : mx_json_text("")));
		else
			json_decref(line);
		at += length + 1;
	}
	return lines;
}

static void add_source(json_t *place) {
	const char *file = json_string_value(json_object_get(place, "file"));
	uint8_t *bytes;
	size_t n;
	struct mx_error why;
	if (!file || mx_file_read(file, MOST_SOURCE, &bytes, &n, &why))
		return;
	mx_json_put(place, "source",
	            lines_around((const char *)bytes, n,
	                         json_integer_value(json_object_get(place, "line"))));
	free(bytes);
}

static void add_sources(json_t *findings) {
	json_t *finding;
	size_t i;
	json_array_foreach(findings, i, finding) {
		add_source(json_object_get(finding, "at"));
		add_source(json_object_get(finding, "earlier"));
	}
}

static json_t *run(const struct mx_record *r, const struct mx_result *x) {
	json_t *one = mx_json_of_run(r, x);
	add_sources(json_object_get(one, "findings"));
	if (x->maps)
		mx_json_put(one, "maps", maps(x));
	if (scene_of(x) && scene_of(x)->n_steps)
		mx_json_put(one, "race", race(r, x));
	return one;
}

/* ---- trends ---- */

static json_t *number(double v) {
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *past_run(const struct mx_past_run *p) {
	json_t *row = json_pack("[I,s]", (json_int_t)p->entry, p->outcome);
	for (unsigned i = 0; i < MX_MEASURES; i++)
		json_array_append_new(row, number(p->accuracy.at[i]));
	json_array_append_new(row, number(p->seconds));
	return row;
}

static bool is_comparable(const struct mx_past_entry *e, const struct mx_record *r) {
	char seed[24];
	snprintf(seed, sizeof seed, "%" PRIu64, r->o->seed);
	return !strcmp(e->device, r->d->name) && !strcmp(e->seed, seed) &&
	       !strcmp(e->profile, r->o->profile ? r->o->profile : "");
}

static bool has_run(const struct mx_record *r, const char *name) {
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->results[i].run->name, name))
			return true;
	return false;
}

static json_t *past_runs(const struct mx_record *r, const struct mx_past *p) {
	json_t *all = json_object();
	for (size_t i = 0; i < p->n_runs; i++) {
		const struct mx_past_run *x = &p->runs[i];
		bool begins = !i || strcmp(x->name, p->runs[i - 1].name);
		if (begins && has_run(r, x->name))
			mx_json_put(all, x->name, json_array());
		json_t *rows = json_object_get(all, x->name);
		if (rows && is_comparable(&p->entries[x->entry], r))
			json_array_append_new(rows, past_run(x));
	}
	return all;
}

/* A history that cannot be read gives no trends. The error was printed when it was written. */
static json_t *history(const struct mx_record *r) {
	struct mx_past p;
	struct mx_error why;
	json_t *entries = json_array();
	if (mx_past_read(r->o->history, &p, &why)) {
		json_decref(entries);
		return NULL;
	}
	for (size_t i = 0; i < p.n_entries; i++)
		json_array_append_new(entries, json_pack("[I,I,s]", (json_int_t)p.entries[i].id,
		                                         (json_int_t)p.entries[i].time,
		                                         p.entries[i].revision));
	json_t *all = json_pack("{s:o,s:o}", "entries", entries, "runs", past_runs(r, &p));
	mx_past_free(&p);
	return all;
}

/* ---- the page ---- */

static json_t *data(const struct mx_record *r) {
	json_t *all = json_object(), *runs = json_array();
	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(runs, run(r, &r->results[i]));
	mx_json_put(all, "start", mx_json_of_start(r));
	mx_json_put(all, "runs", runs);
	mx_json_put(all, "end", mx_json_of_end(r));
	if (r->o->history)
		mx_json_put(all, "history", history(r));
	return all;
}

/* The text in a script element: a '<' there might end it. */
static void put_escaped(FILE *f, const char *text) {
	for (; *text; text++)
		if (*text == '<')
			fputs("\\u003c", f);
		else
			putc(*text, f);
}

int mx_html_write(const char *path, const struct mx_record *r, struct mx_error *err) {
	char *page = NULL;
	size_t bytes = 0;
	const char *at = strstr(mx_page, marker);
	json_t *all = data(r);
	char *text = json_dumps(all, JSON_COMPACT);
	FILE *f = text ? open_memstream(&page, &bytes) : NULL;
	json_decref(all);
	if (f) {
		fwrite(mx_page, 1, (size_t)(at - mx_page), f);
		put_escaped(f, text);
		fputs(at + strlen(marker), f);
	}
	free(text);
	int status = !f || fclose(f) ? mx_fail(err, "out of memory")
	                             : mx_report_write(path, page, bytes, err);
	free(page);
	return status;
}
