/* Results as bytes: the struct without its unused notes, then the parts that it owns. */
#include "result.h"

#include "beside.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Where the array of notes begins and ends. */
enum {
	NOTES = offsetof(struct mx_result, verdict.notes),
	REST = NOTES + sizeof(((struct mx_result *)0)->verdict.notes)
};

/* What a result owns and its bytes have: texts, structs without pointers, outputs. The emulator's
 * result beside it is joined later. */
enum { PARTS = 6, TEXT = 0, OUTPUTS = 1 };
struct part {
	void **at;
	size_t bytes; /* or TEXT, OUTPUTS: it has its own size */
};
static struct part part_of(struct mx_result *r, unsigned i) {
	const struct part parts[PARTS] = { { (void **)&r->code, TEXT },
		                           { (void **)&r->schedule, TEXT },
		                           { (void **)&r->maps, sizeof *r->maps },
		                           { (void **)&r->scene, sizeof *r->scene },
		                           { (void **)&r->outputs, OUTPUTS },
		                           { (void **)&r->beside, sizeof *r->beside } };
	return parts[i];
}

/* Of a part that begins at `from`, of which `left` bytes are there; more than that: it is cut. */
static size_t size_of(const struct part *p, const void *from, size_t left) {
	struct mx_outputs outputs;
	if (p->bytes == TEXT)
		return strnlen(from, left) + 1;
	if (p->bytes != OUTPUTS)
		return p->bytes;
	if (left < sizeof outputs)
		return left + 1;
	memcpy(&outputs, from, sizeof outputs);
	return outputs.bytes > left ? left + 1 : sizeof outputs + outputs.bytes;
}

/* ---- packing ---- */

static size_t bytes_of_notes(const struct mx_result *r) {
	return r->verdict.n_notes * sizeof r->verdict.notes[0];
}

uint8_t *mx_result_pack(const struct mx_result *r, size_t *n) {
	char *bytes = NULL;
	FILE *f = open_memstream(&bytes, n);
	if (!f)
		return NULL;
	fwrite(r, 1, NOTES + bytes_of_notes(r), f);
	fwrite((const uint8_t *)r + REST, 1, sizeof *r - REST, f);
	for (unsigned i = 0; i < PARTS; i++) {
		struct part part = part_of((struct mx_result *)r, i);
		if (*part.at)
			fwrite(*part.at, 1, size_of(&part, *part.at, PTRDIFF_MAX / 2), f);
	}
	if (fclose(f)) {
		free(bytes);
		return NULL;
	}
	return (uint8_t *)bytes;
}

/* ---- unpacking ---- */

struct input {
	const uint8_t *at;
	size_t left;
};

static bool take(struct input *in, void *to, size_t n) {
	if (in->left < n)
		return false;
	memcpy(to, in->at, n);
	in->at += n;
	in->left -= n;
	return true;
}

/* A part that is there has a pointer, of the process that wrote it, in the struct. */
static bool take_parts(struct input *in, struct mx_result *r) {
	bool there[PARTS];
	for (unsigned i = 0; i < PARTS; i++) {
		there[i] = *part_of(r, i).at != NULL;
		*part_of(r, i).at = NULL;
	}
	for (unsigned i = 0; i < PARTS; i++) {
		struct part part = part_of(r, i);
		if (!there[i])
			continue;
		size_t n = size_of(&part, in->at, in->left);
		if (n > in->left || !(*part.at = malloc(n)) || !take(in, *part.at, n))
			return false;
	}
	return !in->left;
}

static bool take_struct(struct input *in, struct mx_result *r) {
	return take(in, r, NOTES) && r->verdict.n_notes <= MX_MAX_NOTES &&
	       take(in, r->verdict.notes, bytes_of_notes(r)) &&
	       take(in, (uint8_t *)r + REST, sizeof *r - REST);
}

/* Without the unused notes, which are most of the struct. */
static void copy(struct mx_result *to, const struct mx_result *from) {
	memcpy(to, from, NOTES + bytes_of_notes(from));
	memcpy((uint8_t *)to + REST, (const uint8_t *)from + REST, sizeof *to - REST);
}

bool mx_result_unpack(const uint8_t *bytes, size_t n, struct mx_result *r) {
	struct input in = { bytes, n };
	struct mx_result *made = malloc(sizeof *made);
	bool is_struct = made && take_struct(&in, made);
	bool good = is_struct && take_parts(&in, made);
	if (good) {
		made->run = r->run;
		made->alone = r->alone;
		made->expected = NULL;
		copy(r, made);
	} else if (is_struct)
		mx_result_free(made);
	free(made);
	return good;
}

void mx_result_free(struct mx_result *r) {
	if (r->beside)
		mx_result_free(&r->beside->emu);
	for (unsigned i = 0; i < PARTS; i++)
		free(*part_of(r, i).at);
}
