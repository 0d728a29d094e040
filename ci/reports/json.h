/* clang-format off */
/* Reports as lines of JSON: one for the start, one for each run as it ends, one for the end.
 * mxcheck.schema.json describes them as a JSON schema.
 *
 * start  {"type": "start", "schema": 1, "version", "device", "arch", "runtime",
 *         "hardware": {"name", "driver", "core_mhz", "memory_mhz"}, of a real device,
 *         "beside": "emu", if the runs were done on the emulator, too,
 *         "seed", from 2^63 on as text, "shard": {"number", "of"}, of --shard}
 * run    {"type": "run", "name", "case", "kernel", "steps": [kernels], if the case has several
 *         ("kernel" is then the last), "sizes": {"M": 128, ...}, "regime",
 *         "outcome": "pass" | "fail" | "expected-failure" | "stopped" | "bad-input",
 *         "status": 0 to 4, "seconds",
 *         "cached": true, if it was not done because the cache has its verdict,
 *         "error": text, if it could not run,
 *         "numbers": {"checked", "wrong", "basis", "snr_deq", "snr_unq", "worst_row", "ulp_max",
 *           "ulp": [elements at a distance of 0, 1, 2 to 3, 4 to 7, ... ULP],
 *           "diagnosis", "pattern"},
 *         "order": {"proved": true, "assuming"} or {"proved": false, "why"},
 *         "hunt": {"runs", "differ", "unfinished"}, if it was a hunt,
 *         "beside": {"device": "emu", "status", "seconds", "numbers", "order", "hunt": the same run
 *           on the emulator, beside a real device,
 *           "outputs": {"elements", "differ", "ulp_max", "first"}: how those of the device differ,
 *           "profile": {"elements", "profiles": {"block32": elements with its bits, ...},
 *             "beyond_bound"}: a measurement of the device's accumulation},
 *         "findings": [{"kind", "severity": "fail" | "report" | "note", "status", "text", "more",
 *           "device": "emu", if it was found there, beside a real device,
 *           "at": {"pc", "instruction", "workgroup": [x, y, z], "wave", "lane", and by DWARF
 *             "file", "line", "column"}, if the emulator found it,
 *           "earlier": the same of the earlier instruction of a race or hazard}],
 *         "expected": {"reason", "until"}, if it failed as --expect says,
 *         "reproduce": a command, if it failed otherwise}
 * end    {"type": "end", "passed", "failed", "expected", "other", "seconds",
 *         "stale": [{"why", "row"}]: rows of --expect that are over or unused, and
 *         runs that a change deletes}
 *
 * A member without a value is absent; SNR in dB, "exact" if there is no error. Later versions of
 * schema 1 may add members. */
/* clang-format on */
#ifndef MX_JSON_H
#define MX_JSON_H

#include "record.h"

struct mx_json;

/* Makes the file, or truncates it; `-` is standard output. 0, or -1 with err->text. */
int mx_json_begin(const char *path, const struct mx_record *r, struct mx_json **j,
                  struct mx_error *err);
void mx_json_run(struct mx_json *j, const struct mx_record *record, const struct mx_result *r);
/* Writes the end and closes the file. Fails if any line could not be written. */
int mx_json_end(struct mx_json *j, const struct mx_record *r, struct mx_error *err);

#endif
