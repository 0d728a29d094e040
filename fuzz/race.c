/* Race hunts: the same launch under many schedules, compared byte by byte. */
#include "race.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* (1 - p)^n = 0.05, solved for p. */
double mx_race_rate_bound(unsigned long n) {
	return n ? -expm1(log(0.05) / (double)n) : 1;
}

/* ---- the runs, shared out among threads ---- */

struct hunt {
	pthread_mutex_t lock;
	unsigned long next, done, n;
	uint64_t first_schedule, *hash;
	bool *failed;
	double seconds;
	struct mx_verdict *v;
	struct mx_error *err;
	bool broken; /* an error: stop */
	mx_race_progress *progress;
	void *context;
};

struct worker {
	struct hunt *hunt;
	struct mx_bench *bench;
	pthread_t thread;
	bool started;
};

static bool take(struct hunt *h, unsigned long *i) {
	pthread_mutex_lock(&h->lock);
	bool any = !h->broken && h->next < h->n;
	*i = h->next;
	h->next += any;
	pthread_mutex_unlock(&h->lock);
	return any;
}

static void finish(struct hunt *h, const struct mx_bench *b, unsigned long i,
                   const struct mx_run_result *r) {
	pthread_mutex_lock(&h->lock);
	h->hash[i] = r->hash;
	h->failed[i] = r->failed;
	h->seconds += r->seconds;
	h->done++;
	mx_bench_device_findings(b, h->v);
	if (r->failed && !mx_bench_device(b)->emu)
		mx_verdict_add(h->v, MX_WRONG_DEVICE, "fault", "%s", r->failure);
	if (h->progress)
		h->progress(h->context, h->done, h->n);
	pthread_mutex_unlock(&h->lock);
}

static void *work(void *argument) {
	struct worker *w = argument;
	struct mx_error err;
	unsigned long i;
	while (take(w->hunt, &i)) {
		struct mx_run_result r;
		if (!mx_bench_run(w->bench, w->hunt->first_schedule + i, &r, &err)) {
			finish(w->hunt, w->bench, i, &r);
			continue;
		}
		pthread_mutex_lock(&w->hunt->lock);
		w->hunt->broken = true;
		*w->hunt->err = err;
		pthread_mutex_unlock(&w->hunt->lock);
	}
	return NULL;
}

static int run_all(struct hunt *h, struct mx_bench **benches, unsigned jobs) {
	struct worker *workers = calloc(jobs, sizeof *workers);
	if (!workers)
		return mx_fail(h->err, "out of memory");
	for (unsigned j = 0; j < jobs; j++) {
		workers[j] = (struct worker){ h, benches[j], 0, false };
		workers[j].started =
			j && !pthread_create(&workers[j].thread, NULL, work, &workers[j]);
	}
	work(&workers[0]);
	for (unsigned j = 1; j < jobs; j++)
		if (workers[j].started)
			pthread_join(workers[j].thread, NULL);
	free(workers);
	return h->broken ? -1 : 0;
}

/* ---- what they say ---- */

static int by_value(const void *a, const void *b) {
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static unsigned count_distinct(const uint64_t *hash, unsigned long n) {
	uint64_t *sorted = malloc(n * sizeof *sorted);
	unsigned distinct = 0;
	if (!sorted)
		return 0;
	memcpy(sorted, hash, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_value);
	for (unsigned long i = 0; i < n; i++)
		distinct += i == 0 || sorted[i] != sorted[i - 1];
	free(sorted);
	return distinct;
}

static void count(const struct hunt *h, struct mx_race *race) {
	*race = (struct mx_race){ .runs = h->done, .seconds = h->seconds };
	for (unsigned long i = 0; i < h->n; i++) {
		bool differs = h->failed[i] != h->failed[0] || h->hash[i] != h->hash[0];
		if (differs && race->divergent++ == 0)
			race->first = i;
		race->faults += h->failed[i];
	}
	race->distinct = count_distinct(h->hash, h->n);
}

/* Run 0's buffers, kept while another run overwrites the bench's. */
static int keep(const struct mx_bench *b, uint8_t *copy[MX_MAX_BUFFERS], struct mx_error *err) {
	for (unsigned i = 0; i < mx_bench_plan(b)->n_buffers; i++) {
		size_t bytes;
		const uint8_t *now = mx_bench_bytes(b, i, &bytes);
		if (!(copy[i] = malloc(bytes)))
			return mx_fail(err, "out of memory");
		memcpy(copy[i], now, bytes);
	}
	return 0;
}

/* Where in a buffer a byte is: its row and element. */
static void place(const struct mx_buffer *s, size_t at, char *text, size_t room) {
	long long offset = (long long)at - (long long)s->guard, ld = (long long)s->ld;
	long long size = s->type == MX_DT_F32 ? 4 : s->type == MX_DT_BF16 ? 2 : 1;
	if (offset < 0 || !ld || offset >= (long long)s->bytes)
		snprintf(text, room, "%s, byte %lld (guard)", s->name, offset);
	else
		snprintf(text, room, "%s[%lld][%lld]", s->name, offset / ld, offset % ld / size);
}

/* The first byte in which the bench's last run differs from the copy; false if none does. */
static bool first_difference(const struct mx_bench *b, uint8_t *const copy[MX_MAX_BUFFERS],
                             char *text, size_t room) {
	const struct mx_plan *p = mx_bench_plan(b);
	for (unsigned i = 0; i < p->n_buffers; i++) {
		size_t bytes, at = 0;
		const uint8_t *now = mx_bench_bytes(b, i, &bytes);
		while (at < bytes && now[at] == copy[i][at])
			at++;
		if (at < bytes) {
			char where[256];
			place(&p->buffers[i], at, where, sizeof where);
			snprintf(text, room, "first at %s, byte 0x%02x, in run 0 0x%02x", where,
			         now[at], copy[i][at]);
			return true;
		}
	}
	return false;
}

/* Runs the first and the divergent schedule once more, to see where they part. */
static int explain(struct mx_bench *b, uint64_t first_schedule, const struct mx_race *race,
                   struct mx_verdict *v, struct mx_error *err) {
	uint8_t *copy[MX_MAX_BUFFERS] = { NULL };
	char where[320] = "the device failed under one of them";
	struct mx_run_result r;
	int status = 0;
	if (!race->faults) {
		status = mx_bench_run(b, first_schedule, &r, err) || keep(b, copy, err) ||
		         mx_bench_run(b, first_schedule + race->first, &r, err);
		if (!status && !first_difference(b, copy, where, sizeof where))
			snprintf(where, sizeof where, "not seen when run again");
	}
	if (!status)
		mx_verdict_add(
			v, MX_WRONG_ORDER, "nondeterminism",
			"%lu of %lu schedules differ from run 0, %u distinct results; run %lu: %s",
			race->divergent, race->runs, race->distinct, race->first, where);
	for (unsigned i = 0; i < MX_MAX_BUFFERS; i++)
		free(copy[i]);
	return status ? -1 : 0;
}

int mx_race(struct mx_bench **benches, unsigned jobs, uint64_t first_schedule, unsigned long n,
            mx_race_progress *progress, void *context, struct mx_race *race, struct mx_verdict *v,
            struct mx_error *err) {
	struct hunt h = { .lock = PTHREAD_MUTEX_INITIALIZER,
		          .n = n,
		          .first_schedule = first_schedule,
		          .hash = calloc(n, sizeof *h.hash),
		          .failed = calloc(n, sizeof *h.failed),
		          .v = v,
		          .err = err,
		          .progress = progress,
		          .context = context };
	int status =
		h.hash && h.failed ? run_all(&h, benches, jobs) : mx_fail(err, "out of memory");
	if (!status) {
		count(&h, race);
		if (race->divergent)
			status = explain(benches[0], first_schedule, race, v, err);
	}
	free(h.hash);
	free(h.failed);
	return status;
}
