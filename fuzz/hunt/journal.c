/* The journal of a hunt: one record with a checksum for each batch, appended to a file.
 *
 *   file:    identity record, batch record ...
 *   record:  "mxh1", u32 bytes of the rest, u64 XXH3 of the rest, the rest
 *
 * A batch counts if its record is whole. A killed hunt loses at most the batches in progress; their
 * runs are done again by their numbers. If the file ends in the middle of a record, this record is
 * dropped. A file that is damaged elsewhere is refused and not changed. */
#define _GNU_SOURCE
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../oracle/xxh3.h"
#define XXH_STATIC_LINKING_ONLY

enum { SYNC_SECONDS = 5 };

struct head {
	char magic[4];
	uint32_t bytes;
	uint64_t sum;
};

/* The largest record: a full batch. */
struct record {
	struct head head;
	uint8_t body[sizeof(struct mx_batch)];
};

struct mx_hunt_journal {
	int file;
	const char *path;
	time_t synced;
	bool cut; /* its last record was cut short */
	struct record record;
};

/* ---- one record ---- */

static int complain(const struct mx_hunt_journal *j, struct mx_error *err) {
	return mx_fail(err, "journal %s: %s", j->path, strerror(errno));
}

/* If a full disk cuts the record short, the next open drops it. */
static int append(struct mx_hunt_journal *j, size_t bytes, struct mx_error *err) {
	struct record *r = &j->record;
	memcpy(r->head.magic, "mxh1", 4);
	r->head.bytes = (uint32_t)bytes;
	r->head.sum = XXH3_64bits(r->body, bytes);
	const uint8_t *at = (const uint8_t *)r;
	for (size_t left = sizeof r->head + bytes; left;) {
		ssize_t n = write(j->file, at, left);
		if (n <= 0)
			return complain(j, err);
		at += n;
		left -= (size_t)n;
	}
	time_t now = time(NULL);
	if (now - j->synced >= SYNC_SECONDS) {
		fdatasync(j->file);
		j->synced = now;
	}
	return 0;
}

/* Reads the record at *at and moves past it. False: there is no whole record. */
static bool next_record(struct mx_hunt_journal *j, off_t *at, size_t *bytes) {
	struct record *r = &j->record;
	ssize_t n = pread(j->file, r, sizeof *r, *at);
	if (n < (ssize_t)sizeof r->head || memcmp(r->head.magic, "mxh1", 4) ||
	    r->head.bytes > (size_t)n - sizeof r->head ||
	    XXH3_64bits(r->body, r->head.bytes) != r->head.sum)
		return false;
	*bytes = r->head.bytes;
	*at += (off_t)(sizeof r->head + r->head.bytes);
	return true;
}

/* ---- batches as bytes: only the used parts of the arrays ---- */

static size_t pack(const struct mx_batch *b, uint8_t *to) {
	size_t head = offsetof(struct mx_batch, outputs);
	size_t outputs = b->n_outputs * sizeof b->outputs[0];
	size_t notes = b->n_notes * sizeof b->notes[0];
	memcpy(to, b, head);
	memcpy(to + head, b->outputs, outputs);
	memcpy(to + head + outputs, b->notes, notes);
	return head + outputs + notes;
}

static bool is_valid_output(const struct mx_output *x, const struct mx_batch *b) {
	return (unsigned)x->outcome <= MX_RUN_TIMEOUT && x->runs && x->runs <= b->done &&
	       x->first >= b->first && x->first - b->first < b->done &&
	       x->buffer < MX_MAX_BUFFERS && x->size <= sizeof x->here;
}

static bool is_valid_note(const struct mx_note *n) {
	return n->severity >= MX_REPORTED && n->severity <= MX_WRONG_DEVICE &&
	       memchr(n->kind, 0, sizeof n->kind) && memchr(n->text, 0, sizeof n->text);
}

/* Whether a hunt can have written this batch; the checksum only proves that no byte changed. */
static bool is_valid(const struct mx_batch *b) {
	bool valid =
		b->done <= MX_BATCH_RUNS && b->same <= b->done && b->first <= UINT64_MAX - b->done;
	for (uint32_t i = 0; i < b->n_outputs; i++)
		valid &= is_valid_output(&b->outputs[i], b);
	for (uint32_t i = 0; i < b->n_notes; i++)
		valid &= is_valid_note(&b->notes[i]);
	return valid;
}

static bool unpack(const uint8_t *from, size_t bytes, struct mx_batch *b) {
	size_t head = offsetof(struct mx_batch, outputs);
	if (bytes < head)
		return false;
	memcpy(b, from, head);
	if (b->n_outputs > MX_BATCH_RUNS || b->n_notes > MX_BATCH_NOTES)
		return false;
	size_t outputs = b->n_outputs * sizeof b->outputs[0];
	size_t notes = b->n_notes * sizeof b->notes[0];
	if (bytes != head + outputs + notes)
		return false;
	memcpy(b->outputs, from + head, outputs);
	memcpy(b->notes, from + head + outputs, notes);
	return is_valid(b);
}

int mx_hunt_journal_add(struct mx_hunt_journal *j, const struct mx_batch *batch,
                        struct mx_error *err) {
	return append(j, pack(batch, j->record.body), err);
}

/* ---- opening ---- */

static int check(const struct mx_hunt_journal *j, const struct mx_hunt_identity *has,
                 const struct mx_hunt_identity *is, struct mx_error *err) {
	const char *what = NULL;
	if (has->code != is->code)
		what = "another code object";
	else if (has->seed != is->seed)
		what = "another seed";
	else if (has->setup != is->setup)
		what = "another case, shape, data or device";
	else if (has->build != is->build)
		what = "another build of mxcheck; its seeds may give other schedules";
	if (what)
		return mx_fail(err, "journal %s: begun for %s; use another file", j->path, what);
	if (has->run_0 != is->run_0)
		return mx_fail(
			err,
			"journal %s: run 0 left other bytes than at its begin, so its counts "
			"do not apply",
			j->path);
	return 0;
}

static int begin(struct mx_hunt_journal *j, const struct mx_hunt_identity *is,
                 struct mx_error *err) {
	memcpy(j->record.body, is, sizeof *is);
	int status = append(j, sizeof *is, err);
	if (status && ftruncate(j->file, 0))
		return complain(j, err);
	return status;
}

/* A record that was cut short has no record after it, and is not longer than a record. */
static bool was_cut(struct mx_hunt_journal *j, off_t from, off_t end) {
	size_t bytes;
	off_t after;
	if (end - from > (off_t)sizeof j->record)
		return false;
	for (off_t at = from + 1; at < end; at++)
		if (after = at, next_record(j, &after, &bytes))
			return false;
	return true;
}

/* Drops the bytes after the last whole record, from `whole` on. */
static int drop_rest(struct mx_hunt_journal *j, off_t whole, off_t end, unsigned long runs,
                     struct mx_error *err) {
	if (whole == end)
		return 0;
	if (!was_cut(j, whole, end))
		return mx_fail(
			err,
			"journal %s: damaged at byte %lld of %lld, after %lu runs; it is not "
			"changed: use another file, or a copy of its first %lld bytes",
			j->path, (long long)whole, (long long)end, runs, (long long)whole);
	j->cut = true;
	return ftruncate(j->file, whole) ? complain(j, err) : 0;
}

/* Checks the whole file before it counts a batch: a refused journal counts nothing. */
static int replay_batches(struct mx_hunt_journal *j, off_t first, off_t end,
                          void (*each)(void *context, const struct mx_batch *batch), void *context,
                          struct mx_error *err) {
	struct mx_batch *batch = malloc(sizeof *batch);
	unsigned long runs = 0;
	size_t bytes;
	off_t at = first, whole = first;
	if (!batch)
		return mx_fail(err, "out of memory");
	for (; next_record(j, &at, &bytes) && unpack(j->record.body, bytes, batch); whole = at)
		runs += batch->done;
	int status = drop_rest(j, whole, end, runs, err);
	for (at = first; !status && at < whole && next_record(j, &at, &bytes) &&
	                 unpack(j->record.body, bytes, batch);)
		each(context, batch);
	free(batch);
	return status;
}

static int replay(struct mx_hunt_journal *j, const struct mx_hunt_identity *is,
                  void (*each)(void *context, const struct mx_batch *batch), void *context,
                  struct mx_error *err) {
	struct mx_hunt_identity has;
	struct stat st;
	size_t bytes;
	off_t at = 0;
	if (fstat(j->file, &st))
		return complain(j, err);
	if (!S_ISREG(st.st_mode))
		return mx_fail(err, "journal %s: not a regular file", j->path);
	if (!st.st_size)
		return begin(j, is, err);
	if (!next_record(j, &at, &bytes) || bytes != sizeof has)
		return mx_fail(err, "journal %s: not a journal of mxcheck", j->path);
	memcpy(&has, j->record.body, sizeof has);
	if (check(j, &has, is, err))
		return -1;
	return replay_batches(j, at, st.st_size, each, context, err);
}

int mx_hunt_journal_open(const char *path, const struct mx_hunt_identity *is,
                         void (*each)(void *context, const struct mx_batch *batch), void *context,
                         struct mx_hunt_journal **journal, struct mx_error *err) {
	struct mx_hunt_journal *j = calloc(1, sizeof *j);
	if (!j)
		return mx_fail(err, "out of memory");
	j->path = path;
	j->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	int status = 0;
	if (j->file < 0)
		status = complain(j, err);
	else if (flock(j->file, LOCK_EX | LOCK_NB))
		status = mx_fail(err, "journal %s: in use by another hunt", path);
	else
		status = replay(j, is, each, context, err);
	if (!status)
		*journal = j;
	else
		mx_hunt_journal_close(j);
	return status;
}

bool mx_hunt_journal_was_cut(const struct mx_hunt_journal *j) {
	return j->cut;
}

void mx_hunt_journal_close(struct mx_hunt_journal *j) {
	if (!j)
		return;
	if (j->file >= 0) {
		fdatasync(j->file);
		close(j->file);
	}
	free(j);
}
