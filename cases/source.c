/* The text of a case file, and the line of each part. */
#include "source.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 20 }; /* a limit for files such as /dev/zero */

int source_fail(struct mx_error *err, const struct source *s, unsigned line, const char *format,
                ...) {
	char message[sizeof err->text];
	va_list ap;
	va_start(ap, format);
	vsnprintf(message, sizeof message, format, ap);
	va_end(ap);
	return mx_fail(err, "%s:%u: %s", s->path, line, message);
}

unsigned source_line(const yaml_node_t *n) {
	return n->start_mark.line + 1;
}

static int read_text(struct source *s, struct mx_error *err) {
	FILE *f = fopen(s->path, "rb");
	if (!f)
		return mx_fail(err, "%s: %s", s->path, strerror(errno));
	s->text = malloc(MAX_BYTES + 1);
	s->length = s->text ? fread(s->text, 1, MAX_BYTES + 1, f) : 0;
	int error = s->text ? (ferror(f) ? errno : 0) : ENOMEM;
	fclose(f);
	if (error)
		return mx_fail(err, "%s: %s", s->path, strerror(error));
	if (s->length > MAX_BYTES)
		return mx_fail(err, "%s: larger than 1 MiB", s->path);
	return 0;
}

/* libyaml's reader counts bytes, its scanner counts lines. */
static int parser_fail(struct source *s, const yaml_parser_t *p, struct mx_error *err) {
	size_t line = p->problem_mark.line + 1;
	if (p->error == YAML_READER_ERROR) {
		line = 1;
		for (size_t i = 0; i < p->problem_offset && i < s->length; i++)
			line += s->text[i] == '\n';
	}
	return source_fail(err, s, line, "not YAML: %s", p->problem ? p->problem : "out of memory");
}

static int parse(struct source *s, yaml_parser_t *p, struct mx_error *err) {
	yaml_document_t next;
	yaml_parser_set_input_string(p, (const unsigned char *)s->text, s->length);
	if (!yaml_parser_load(p, &s->document))
		return parser_fail(s, p, err);
	if (!yaml_document_get_root_node(&s->document))
		return mx_fail(err, "%s: no YAML document", s->path);
	if (!yaml_parser_load(p, &next))
		return parser_fail(s, p, err);
	yaml_node_t *root = yaml_document_get_root_node(&next);
	unsigned line = root ? source_line(root) : 0;
	yaml_document_delete(&next);
	return root ? source_fail(err, s, line, "a second YAML document; a file is one case") : 0;
}

int source_open(struct source *s, const char *path, struct mx_error *err) {
	yaml_parser_t parser;
	*s = (struct source){ .path = path };
	int rc = read_text(s, err);
	if (!rc && !yaml_parser_initialize(&parser))
		rc = mx_fail(err, "%s: out of memory", path);
	else if (!rc) {
		rc = parse(s, &parser, err);
		yaml_parser_delete(&parser);
	}
	if (rc)
		source_close(s);
	return rc;
}

void source_close(struct source *s) {
	yaml_document_delete(&s->document);
	free(s->text);
}

static bool peek(yaml_parser_t *p, char *name, size_t room) {
	static const yaml_event_type_t start[] = { YAML_STREAM_START_EVENT,
		                                   YAML_DOCUMENT_START_EVENT,
		                                   YAML_MAPPING_START_EVENT, YAML_SCALAR_EVENT,
		                                   YAML_SCALAR_EVENT };
	enum { KEY = 3, VALUE, N };
	bool same = true;
	yaml_event_t e;
	for (unsigned i = 0; same && i < N && (same = yaml_parser_parse(p, &e)); i++) {
		const char *text = (const char *)e.data.scalar.value;
		same = e.type == start[i];
		if (same && i == KEY)
			same = !strcmp(text, "name");
		if (same && i == VALUE)
			same = (size_t)snprintf(name, room, "%s", text) < room;
		yaml_event_delete(&e);
	}
	return same;
}

/* libyaml decodes all that it is given, and the name is in the first line or after a comment. */
enum { LITTLE = 64 };
static int read_little(void *fd, unsigned char *to, size_t room, size_t *n) {
	ssize_t got = read(*(int *)fd, to, room < LITTLE ? room : LITTLE);
	*n = got > 0 ? (size_t)got : 0;
	return got >= 0;
}

/* The usual first line, which needs no parser: `name: ` and a plain word, which the second line
 * does not continue. A run looks at the names of all cases. */
static bool peek_plain(int fd, char *name, size_t room) {
	static const char key[] = "name: ", word[] = "abcdefghijklmnopqrstuvwxyz0123456789_/";
	char text[LITTLE + 1];
	ssize_t n = pread(fd, text, LITTLE, 0);
	text[n > 0 ? n : 0] = 0;
	if (strncmp(text, key, strlen(key)))
		return false;
	const char *start = text + strlen(key);
	size_t length = strspn(start, word);
	return islower((unsigned char)*start) && start[length] == '\n' &&
	       islower((unsigned char)start[length + 1]) &&
	       (size_t)snprintf(name, room, "%.*s", (int)length, start) < room;
}

bool mx_case_peek(const char *path, char *name, size_t room) {
	yaml_parser_t parser;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = fd >= 0 && peek_plain(fd, name, room);
	if (fd >= 0 && !found && yaml_parser_initialize(&parser)) {
		yaml_parser_set_input(&parser, read_little, &fd);
		found = peek(&parser, name, room);
		yaml_parser_delete(&parser);
	}
	if (fd >= 0)
		close(fd);
	return found;
}

yaml_node_t *source_key(struct source *s, const yaml_node_t *mapping, const char *key) {
	if (!mapping || mapping->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = mapping->data.mapping.pairs.start;
	     p < mapping->data.mapping.pairs.top; p++) {
		yaml_node_t *k = yaml_document_get_node(&s->document, p->key);
		if (k->type == YAML_SCALAR_NODE && !strcmp((char *)k->data.scalar.value, key))
			return yaml_document_get_node(&s->document, p->value);
	}
	return NULL;
}

yaml_node_t *source_entry(struct source *s, const yaml_node_t *sequence, size_t i) {
	if (!sequence || sequence->type != YAML_SEQUENCE_NODE)
		return NULL;
	size_t n = sequence->data.sequence.items.top - sequence->data.sequence.items.start;
	if (i >= n)
		return NULL;
	return yaml_document_get_node(&s->document, sequence->data.sequence.items.start[i]);
}
