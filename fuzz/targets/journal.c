/* Fuzz target: the reader of the journal of a hunt. If the file begins with 'm', its checksums are
 * corrected first, because a fuzzer does not find them. */
#define _GNU_SOURCE
#include "memory_file.h"

#include <string.h>

#include "../../oracle/xxh3.h"
#include "../hunt/journal.h"
#include "../hunt/tally.h"
#include "target.h"

enum { HEAD = 16 };

static void correct_sums(uint8_t *at, size_t left) {
	uint32_t bytes;
	while (left >= HEAD) {
		memcpy(at, "mxh1", 4);
		memcpy(&bytes, at + 4, 4);
		if (bytes > left - HEAD)
			bytes = (uint32_t)(left - HEAD);
		uint64_t sum = XXH3_64bits(at + HEAD, bytes);
		memcpy(at + 4, &bytes, 4);
		memcpy(at + 8, &sum, 8);
		at += HEAD + bytes;
		left -= HEAD + bytes;
	}
}

/* Counts a batch as a hunt does. */
static void count(void *context, const struct mx_batch *b) {
	struct mx_verdict *v = context;
	struct mx_tally t = { 0 };
	struct mx_output top[MX_TOP_OUTPUTS];
	for (uint32_t i = 0; i < b->n_outputs; i++)
		mx_tally_add(&t, &b->outputs[i]);
	for (uint32_t i = 0; i < b->n_notes; i++)
		mx_verdict_add(v, b->notes[i].severity, b->notes[i].kind, "%s", b->notes[i].text);
	mx_tally_top(&t, top);
	mx_tally_free(&t);
}

/* The identity in the file, so that the reader accepts it. */
static struct mx_hunt_identity identity_in(const uint8_t *data, size_t size) {
	struct mx_hunt_identity is = { 0 };
	if (size >= HEAD + sizeof is)
		memcpy(&is, data + HEAD, sizeof is);
	return is;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	static struct mx_verdict v;
	struct mx_hunt_journal *j;
	struct mx_error err;
	uint8_t *copy = malloc(size + 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (size && copy[0] == 'm')
		correct_sums(copy, size);
	const struct mx_hunt_identity is = identity_in(copy, size);
	memset(&v, 0, sizeof v);
	if (!mx_hunt_journal_open(memory_file(copy, size), &is, count, &v, &j, &err))
		mx_hunt_journal_close(j);
	memory_file_close();
	free(copy);
	return 0;
}
