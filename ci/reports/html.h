/* A report as one HTML page. It needs no network: page.html, with the record as JSON in it. */
#ifndef MX_HTML_H
#define MX_HTML_H

#include "record.h"

/* The data are {"start", "runs", "end"} of json.h, with more members of a run that fails:
 *
 * map    {"rows", "cols", "cell": [rows, cols], "grid": [rows, cols], "wrong": [count, ...],
 *         "writers": [[x, y, z, wave] or null, ...],
 *         "window": {"row", "col", "rows", "cols", "values": [{"got": [hexadecimal, decimal],
 *           "want": [...], "wrong", "unwritten"}, ...]}}
 * race   {"finding": index, "same_wave", "steps": [{"later", "access", "pc", "instruction",
 *         "time", "land"}, ...]}
 * source, of "at" and "earlier" in a finding: [[line, text], ...], if the file can be read
 *
 * and "history", if --history was given: {"entries": [[id, time, commit], ...], "runs": {name:
 * [[index of entry, outcome, snr_deq, snr_unq, worst_row, equal, ulp, seconds], ...]}}.
 *
 * 0, or -1 with err->text. */
int mx_html_write(const char *path, const struct mx_record *r, struct mx_error *err);

#endif
