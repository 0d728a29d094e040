/* Loads a case file into struct mx_case, or fails with one line. */
#include "contract.h"
#include "waivers.h"

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

int source_read(struct source *s, const cyaml_schema_value_t *schema, void **data,
                struct mx_error *err) {
	struct log log = { 0 };
	cyaml_config_t config = quiet;
	config.log_fn = take_log;
	config.log_ctx = &log;
	*data = NULL;
	cyaml_err_t status =
		cyaml_load_data((const uint8_t *)s->text, s->length, &config, schema, data, NULL);
	if (status == CYAML_OK)
		return 0;
	if (!log.line)
		log.line = source_line(yaml_document_get_root_node(&s->document));
	return source_fail(err, s, log.line, "%s%s%s", log.field, *log.field ? ": " : "",
	                   *log.message ? log.message : cyaml_strerror(status));
}

void source_free(const cyaml_schema_value_t *schema, void *data) {
	cyaml_free(&quiet, schema, data, 0);
}

void mx_case_free(struct mx_case *c) {
	if (!c)
		return;
	free(c->path);
	case_free_sizes(c);
	source_free(&case_schema, c);
}

static int check(struct source *s, struct mx_case *c, struct mx_error *err) {
	if (case_read_sizes(s, c, err) || case_check(s, c, err))
		return -1;
	return contract_check(s, c, err) || waivers_check(s, c->waivers, c->n_waivers, err) ? -1
	                                                                                    : 0;
}

static int load(struct source *s, struct mx_case **c, struct mx_error *err) {
	void *data;
	if (source_check_keys(s, &case_schema, err) || source_read(s, &case_schema, &data, err))
		return -1;
	*c = data;
	(*c)->path = strdup(s->path);
	int rc = (*c)->path ? check(s, *c, err) : mx_fail(err, "%s: out of memory", s->path);
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
