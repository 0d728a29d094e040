/* A report as SARIF 2.1.0. */
#include "sarif.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "report_file.h"

/* ---- locations ---- */

/* A path as a URI reference [RFC 3986]: absolute paths are of the scheme file. */
static json_t *uri(const char *path) {
	static const char plain[] = "/-._~";
	char text[3 * 4096 + 8];
	size_t n = (size_t)snprintf(text, sizeof text, "%s", path[0] == '/' ? "file://" : "");
	for (; *path && n + 4 < sizeof text; path++) {
		unsigned char c = (unsigned char)*path;
		bool letter =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		n += (size_t)snprintf(text + n, sizeof text - n,
		                      letter || strchr(plain, c) ? "%c" : "%%%02X", c);
	}
	return json_string(text);
}

static json_t *at_file(const char *path, unsigned line, unsigned column) {
	json_t *where = json_object(), *region = json_object();
	json_t *artifact = json_object();
	mx_json_put(artifact, "uri", uri(path));
	mx_json_put(where, "artifactLocation", artifact);
	if (line)
		mx_json_put(region, "startLine", json_integer(line));
	if (column)
		mx_json_put(region, "startColumn", json_integer(column));
	if (line)
		mx_json_put(where, "region", region);
	else
		json_decref(region);
	return where;
}

/* "mxfp4_gemm_f32+0xac8" */
static json_t *name_of(const struct mx_place *p, uint64_t pc) {
	char text[MX_PC_TEXT];
	return json_sprintf("%s%s", p->kernel, mx_pc_text(pc, text));
}

static json_t *address(const struct mx_place *p, uint64_t pc) {
	json_t *a = json_object();
	mx_json_put(a, "absoluteAddress", json_integer((json_int_t)p->address));
	mx_json_put(a, "offsetFromParent", json_integer((json_int_t)pc));
	mx_json_put(a, "fullyQualifiedName", name_of(p, pc));
	mx_json_put_text(a, "kind", "instruction");
	return a;
}

static json_t *instruction(const struct mx_record *r, const struct mx_result *x, unsigned step,
                           uint64_t pc) {
	struct mx_place p = mx_place_of(r->places, x, step, pc);
	json_t *location = json_object(), *where, *kernel = json_object();
	where = p.file ? at_file(p.file, p.line, p.column)
	               : at_file(p.code ? p.code : x->run->c->path, 0, 0);
	if (p.address)
		mx_json_put(where, "address", address(&p, pc));
	mx_json_put(location, "physicalLocation", where);
	mx_json_put_text(kernel, "name", p.kernel);
	mx_json_put_text(kernel, "kind", "function");
	mx_json_put(location, "logicalLocations", json_pack("[o]", kernel));
	if (p.instruction[0])
		mx_json_put(location, "message", json_pack("{s:s}", "text", p.instruction));
	return location;
}

static json_t *case_file(const struct mx_result *x) {
	json_t *location = json_object();
	mx_json_put(location, "physicalLocation", at_file(mx_short_path(x->run->c->path), 1, 0));
	return location;
}

/* ---- results ---- */

static const char *level_of(const struct mx_note *n) {
	return n->severity > 0 ? "error" : n->severity == MX_REPORTED ? "warning" : "note";
}

/* What stays the same if lines above it change. */
static json_t *fingerprint(const struct mx_result *x, const struct mx_note *n,
                           const struct mx_place *p) {
	json_t *f = json_object();
	mx_json_put(f, "mxcheck/v1",
	            json_sprintf("%s %s %s %s", n->kind, x->run->name, p->kernel, p->instruction));
	return f;
}

static json_t *properties(const struct mx_record *r, const struct mx_result *x,
                          const struct mx_note *n) {
	json_t *p = json_object();
	char *command = mx_record_command(r, x);
	mx_json_put_text(p, "run", x->run->name);
	mx_json_put(p, "status", json_integer(n->severity > 0 ? n->severity : 0));
	if (command)
		mx_json_put_text(p, "reproduce", command);
	free(command);
	return p;
}

static json_t *result(const struct mx_record *r, const struct mx_result *x,
                      const struct mx_note *n) {
	json_t *one = json_object();
	bool known = n->place.known;
	unsigned last = mx_case_steps(x->run->c) - 1;
	struct mx_place p = { .kernel = mx_case_kernel(x->run->c, x->run->run.variant, last) };
	if (known)
		p = mx_place_of(r->places, x, n->place.step, n->place.pc);
	mx_json_put_text(one, "ruleId", n->kind);
	mx_json_put_text(one, "level", level_of(n));
	mx_json_put(one, "message", json_pack("{s:o}", "text", mx_json_text(n->text)));
	mx_json_put(one, "locations",
	            json_pack("[o]", known ? instruction(r, x, n->place.step, n->place.pc)
	                                   : case_file(x)));
	if (known && n->place.earlier != MX_NO_PC)
		mx_json_put(one, "relatedLocations",
		            json_pack("[o]", instruction(r, x, n->place.step, n->place.earlier)));
	mx_json_put(one, "partialFingerprints", fingerprint(x, n, &p));
	if (x->expected)
		mx_json_put(one, "suppressions",
		            json_pack("[{s:s,s:o}]", "kind", "external", "justification",
		                      mx_json_text(x->expected->reason)));
	mx_json_put(one, "properties", properties(r, x, n));
	return one;
}

static json_t *results(const struct mx_record *r) {
	json_t *all = json_array();
	for (size_t i = 0; i < r->n; i++)
		for (unsigned k = 0; k < r->results[i].verdict.n_notes && !r->results[i].bad_input;
		     k++)
			json_array_append_new(
				all, result(r, &r->results[i], &r->results[i].verdict.notes[k]));
	return all;
}

/* ---- the run of the tool ---- */

/* The kinds of the findings, each once. */
static json_t *rules(const json_t *results) {
	json_t *all = json_array(), *seen = json_object(), *result;
	size_t i;
	json_array_foreach(results, i, result) {
		const char *id = json_string_value(json_object_get(result, "ruleId"));
		if (json_object_get(seen, id))
			continue;
		json_object_set_new(seen, id, json_true());
		json_array_append_new(all, json_pack("{s:s}", "id", id));
	}
	json_decref(seen);
	return all;
}

static void add_notification(json_t *all, const char *text) {
	json_array_append_new(all, json_pack("{s:s,s:{s:o}}", "level", "error", "message", "text",
	                                     mx_json_text(text)));
}

static void add_stale(void *context, const char *what, const char *why, const char *text) {
	char line[768];
	snprintf(line, sizeof line, "%s %s: %s", what, why, text);
	add_notification(context, line);
}

static json_t *invocation(const struct mx_record *r) {
	json_t *one = json_object(), *notifications = json_array();
	size_t count[MX_OUTCOMES];
	mx_record_count(r, count);
	for (size_t i = 0; i < r->n; i++)
		if (r->results[i].bad_input)
			add_notification(notifications, r->results[i].err.text);
	mx_record_each_stale(r, add_stale, notifications);
	mx_json_put(one, "executionSuccessful", json_boolean(!count[MX_BAD_INPUT_RUN]));
	mx_json_put(one, "toolExecutionNotifications", notifications);
	return one;
}

static json_t *sarif(const struct mx_record *r) {
	json_t *all = results(r);
	json_t *driver = json_pack("{s:s,s:s,s:o}", "name", "mxcheck", "version", mx_version(),
	                           "rules", rules(all));
	json_t *run = json_object();
	mx_json_put(run, "tool", json_pack("{s:o}", "driver", driver));
	mx_json_put(run, "invocations", json_pack("[o]", invocation(r)));
	mx_json_put(run, "results", all);
	mx_json_put(run, "columnKind", json_string("utf16CodeUnits"));
	return json_pack("{s:s,s:s,s:[o]}", "$schema",
	                 "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
	                 "sarif-schema-2.1.0.json",
	                 "version", "2.1.0", "runs", run);
}

int mx_sarif_write(const char *path, const struct mx_record *r, struct mx_error *err) {
	json_t *all = sarif(r);
	char *text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
	int status = text ? mx_report_write(path, text, strlen(text), err)
	                  : mx_fail(err, "out of memory");
	free(text);
	json_decref(all);
	return status;
}
