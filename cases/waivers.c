/* Waivers: findings of the emulator that the owner of a kernel has accepted. */
#define _GNU_SOURCE
#include "waivers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../ref/isa/isa.h"

#define STRING(field, flags)                                                                       \
	CYAML_FIELD_STRING_PTR(#field, flags, struct mx_waiver, field, 1, CYAML_UNLIMITED)

const cyaml_schema_field_t waiver_fields[] = {
	STRING(finding, 0),
	STRING(kernel, CYAML_FLAG_OPTIONAL),
	STRING(pc, CYAML_FLAG_OPTIONAL),
	STRING(instruction, CYAML_FLAG_OPTIONAL),
	STRING(code, CYAML_FLAG_OPTIONAL),
	STRING(reason, 0),
	STRING(until, CYAML_FLAG_OPTIONAL),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t waiver = {
	CYAML_VALUE_MAPPING(0, struct mx_waiver, waiver_fields),
};

static const cyaml_schema_field_t file_fields[] = {
	CYAML_FIELD_SEQUENCE_COUNT("waivers", CYAML_FLAG_POINTER, struct mx_waivers, list, n,
	                           &waiver, 1, CYAML_UNLIMITED),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t file_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct mx_waivers, file_fields),
};

/* ---- checks ---- */

/* A launch stops at findings of class DEVICE, so there is nothing to accept. */
static bool is_waivable(const char *name) {
	for (mx_finding_kind k = 0; k < MX_FINDINGS; k++)
		if (!strcmp(name, mx_finding_name(k)))
			return mx_finding_class_of(k) != MX_FINDING_DEVICE;
	return false;
}

static bool parse_hex(const char *text, uint64_t *v, char **end) {
	errno = 0;
	*v = strtoull(text, end, 16);
	return *end > text && !errno && text[0] != '-' && text[0] != '+';
}

/* "0x1f4", or "0x1f4-0x260". */
static bool parse_range(struct mx_waiver *w) {
	char *end;
	w->to = UINT64_MAX;
	if (!w->pc)
		return true;
	if (!parse_hex(w->pc, &w->from, &end))
		return false;
	w->to = w->from;
	if (*end == '-' && !parse_hex(end + 1, &w->to, &end))
		return false;
	return !*end && w->from <= w->to;
}

bool mx_code_hash_parse(const char *text, uint64_t *hash) {
	char *end = NULL;
	return strlen(text) == 16 && parse_hex(text, hash, &end) && !*end;
}

/* A date of the calendar: mktime leaves it as it is. */
bool mx_last_day_parse(const char *text, time_t *last) {
	struct tm t = { .tm_hour = 12 }, same;
	char *end = strptime(text, "%Y-%m-%d", &t);
	same = t;
	if (!end || *end || timegm(&t) == -1 || t.tm_mday != same.tm_mday)
		return false;
	t.tm_hour = 24;
	*last = timegm(&t);
	return true;
}

static const char *fault_of(struct mx_waiver *w) {
	if (!is_waivable(w->finding))
		return "finding: not a kind of finding that can be waived";
	if (!w->kernel && !w->pc && !w->instruction)
		return "a place is missing: kernel, pc or instruction";
	if (!parse_range(w))
		return "pc: not 0xFROM or 0xFROM-0xTO";
	if (w->code && !mx_code_hash_parse(w->code, &w->hash))
		return "code: not the 16 hexadecimal digits that -v prints";
	return !w->until || mx_last_day_parse(w->until, &w->end) ? NULL
	                                                         : "until: not a date YYYY-MM-DD";
}

int waivers_check(struct source *s, struct mx_waiver *list, unsigned n, struct mx_error *err) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	const yaml_node_t *sequence = source_key(s, root, "waivers");
	for (unsigned i = 0; i < n; i++) {
		const char *why = fault_of(&list[i]);
		if (why)
			return source_fail(err, s, source_line(source_entry(s, sequence, i)),
			                   "waivers[%u]: %s", i, why);
	}
	return 0;
}

/* ---- files ---- */

static int load(struct source *s, struct mx_waivers **w, struct mx_error *err) {
	void *data;
	if (source_check_keys(s, &file_schema, err) || source_read(s, &file_schema, &data, err))
		return -1;
	*w = data;
	if (!waivers_check(s, (*w)->list, (*w)->n, err))
		return 0;
	mx_waivers_free(*w);
	*w = NULL;
	return -1;
}

int mx_waivers_load(const char *path, struct mx_waivers **w, struct mx_error *err) {
	struct source s;
	if (source_open(&s, path, err))
		return -1;
	int rc = load(&s, w, err);
	source_close(&s);
	return rc;
}

void mx_waivers_free(struct mx_waivers *w) {
	source_free(&file_schema, w);
}

/* ---- as text ---- */

char *mx_waiver_text(const struct mx_waiver *w, char *text, size_t room) {
	snprintf(text, room, "%s%s%s%s%s%s%s: %s", w->finding, w->kernel ? " in " : "",
	         w->kernel ? w->kernel : "", w->pc ? " at " : "", w->pc ? w->pc : "",
	         w->instruction ? " " : "", w->instruction ? w->instruction : "", w->reason);
	return mx_one_line(text);
}
