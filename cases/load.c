/* Loads a case file into struct mx_case, or fails with one line. */
#include "schema.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The log of libcyaml on an error: a message, then a backtrace, innermost first. */
struct log {
	char message[256], field[64];
	unsigned line;
};

static void take_line(struct log *l, const char *text) {
	const char *place = strstr(text, "(line: ");
	if (l->line || !place)
		return;
	l->line = strtoul(place + strlen("(line: "), NULL, 10);
	sscanf(text, " in mapping field '%63[^']'", l->field);
}

static void take_message(struct log *l, const char *text) {
	if (!strncmp(text, "Load: ", 6))
		text += 6;
	if (*l->message || !strncmp(text, "Backtrace", 9))
		return;
	snprintf(l->message, sizeof l->message, "%.*s", (int)strcspn(text, "\n"), text);
	if (islower((unsigned char)l->message[1])) /* not STRING */
		l->message[0] = tolower((unsigned char)l->message[0]);
}

static void take_log(cyaml_log_t level, void *ctx, const char *format, va_list ap) {
	char text[512];
	(void)level;
	vsnprintf(text, sizeof text, format, ap);
	if (!strncmp(text, "  in ", 5))
		take_line(ctx, text);
	else
		take_message(ctx, text);
}

static const cyaml_config_t quiet = {
	.mem_fn = cyaml_mem,
	.log_level = CYAML_LOG_ERROR,
};

int case_read(struct source *s, struct mx_case **c, struct mx_error *err) {
	struct log log = { 0 };
	cyaml_config_t config = quiet;
	config.log_fn = take_log;
	config.log_ctx = &log;
	*c = NULL;
	cyaml_err_t status = cyaml_load_data((const uint8_t *)s->text, s->length, &config,
	                                     &case_schema, (cyaml_data_t **)c, NULL);
	if (status == CYAML_OK)
		return 0;
	if (!log.line)
		log.line = source_line(yaml_document_get_root_node(&s->document));
	return source_fail(err, s, log.line, "%s%s%s", log.field, *log.field ? ": " : "",
	                   *log.message ? log.message : cyaml_strerror(status));
}

void mx_case_free(struct mx_case *c) {
	if (!c)
		return;
	free(c->path);
	cyaml_free(&quiet, &case_schema, c, 0);
}

static int load(struct source *s, struct mx_case **c, struct mx_error *err) {
	if (case_check_keys(s, err) || case_read(s, c, err))
		return -1;
	(*c)->path = strdup(s->path);
	int rc = (*c)->path ? case_check(s, *c, err) : mx_fail(err, "%s: no memory", s->path);
	if (rc)
		mx_case_free(*c);
	return rc;
}

int mx_case_load(const char *path, struct mx_case **c, struct mx_error *err) {
	struct source s;
	struct mx_case *loaded;
	if (source_open(&s, path, err))
		return -1;
	int rc = load(&s, &loaded, err);
	source_close(&s);
	if (!rc)
		*c = loaded;
	return rc;
}
