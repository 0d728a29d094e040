/* Members of JSON objects, by Jansson. A value that could not be made leaves its member out. */
#ifndef MX_JSON_TEXT_H
#define MX_JSON_TEXT_H

#include <jansson.h>

/* Text of a case or a runtime need not be UTF-8. */
static inline json_t *mx_json_text(const char *text) {
	json_t *s = json_string(text);
	return s ? s : json_string("(not UTF-8)");
}

static inline void mx_json_put(json_t *to, const char *key, json_t *value) {
	json_object_set_new(to, key, value);
}

static inline void mx_json_put_text(json_t *to, const char *key, const char *text) {
	mx_json_put(to, key, mx_json_text(text));
}

#endif
