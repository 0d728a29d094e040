/* The text of a case file, and the line of each part. */
#ifndef MX_CASES_SOURCE_H
#define MX_CASES_SOURCE_H

#include <yaml.h>

#include "case.h"

struct source {
	const char *path;
	char *text;
	size_t length;
	yaml_document_t document; /* libyaml's tree; libcyaml keeps no lines */
};

/* Fails on an unreadable file, on text that is not YAML, and unless there is exactly one
 * document. */
int source_open(struct source *s, const char *path, struct mx_error *err);
void source_close(struct source *s);

/* The node's line, counted from 1. */
unsigned source_line(const yaml_node_t *n);

/* The value of a mapping's key, or an entry of a sequence; NULL if absent. */
yaml_node_t *source_key(struct source *s, const yaml_node_t *mapping, const char *key);
yaml_node_t *source_entry(struct source *s, const yaml_node_t *sequence, size_t i);

/* mx_fail with "path:line: " before it. */
__attribute__((format(printf, 4, 5))) int source_fail(struct mx_error *err, const struct source *s,
                                                      unsigned line, const char *format, ...);

#endif
