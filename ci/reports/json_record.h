/* The parts of a record as JSON values, which json.h describes; private to this folder. */
#ifndef MX_JSON_RECORD_H
#define MX_JSON_RECORD_H

#include <jansson.h>

#include "record.h"

json_t *mx_json_of_start(const struct mx_record *r);
json_t *mx_json_of_run(const struct mx_record *record, const struct mx_result *r);
json_t *mx_json_of_end(const struct mx_record *r);

#endif
