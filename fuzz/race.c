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

/* ---- comparing with run 0 ---- */

/* Where in a buffer a byte is: its row and element. */
static void place(const struct mx_buffer *s, size_t at, char *text, size_t room) {
	long long offset = (long long)at - (long long)s->guard, ld = (long long)s->ld;
	long long size = s->type == MX_DT_F32 ? 4 : s->type == MX_DT_BF16 ? 2 : 1;
	if (offset < 0 || !ld || offset >= (long long)s->bytes)
		snprintf(text, room, "%s, byte %lld (guard)", s->name, offset);
	else if (s->packing.layout)
		snprintf(text, room, "%s, byte %lld", s->name, offset);
	else
		snprintf(text, room, "%s[%lld][%lld]", s->name, offset / ld, offset % ld / size);
}

/* Run 0's buffers, which every other run is held against. */
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

/* Whether the bench's last run left other bytes than the copy; text says where first. */
static bool differs(const struct mx_bench *b, uint8_t *const copy[MX_MAX_BUFFERS], char *text,
                    size_t room) {
	const struct mx_plan *p = mx_bench_plan(b);
	for (unsigned i = 0; i < p->n_buffers; i++) {
		size_t bytes, at = 0;
		const uint8_t *now = mx_bench_bytes(b, i, &bytes);
		if (!memcmp(now, copy[i], bytes))
			continue;
		while (now[at] == copy[i][at])
			at++;
		char where[256];
		place(&p->buffers[i], at, where, sizeof where);
		snprintf(text, room, "first at %s, byte 0x%02x, in run 0 0x%02x", where, now[at],
		         copy[i][at]);
		return true;
	}
	return false;
}

/* ---- the runs, shared out among threads ---- */

enum { MAX_DISTINCT = 4096 };

struct hunt {
	pthread_mutex_t lock;
	unsigned long next, n;
	uint64_t first_schedule;
	uint8_t *run0[MX_MAX_BUFFERS];
	bool run0_failed;
	uint64_t distinct[MAX_DISTINCT]; /* hashes of the results seen; no more than these */
	struct mx_race *race;
	char where[320]; /* the first divergent run's first difference */
	struct mx_verdict *v;
	struct mx_error *err;
	bool broken; /* an error, or a real device that has failed: stop */
	int status;
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

static void note_distinct(struct hunt *h, uint64_t hash) {
	for (unsigned i = 0; i < h->race->distinct; i++)
		if (h->distinct[i] == hash)
			return;
	if (h->race->distinct < MAX_DISTINCT)
		h->distinct[h->race->distinct++] = hash;
}

static void note_divergence(struct hunt *h, unsigned long i, const char *where) {
	if (h->race->divergent++ && i > h->race->first)
		return;
	h->race->first = i;
	snprintf(h->where, sizeof h->where, "%s", where);
}

/* A real device that has failed takes its context with it; the emulator goes on. */
static void note_failure(struct hunt *h, const struct mx_bench *b, const struct mx_run_result *r) {
	h->race->faults++;
	if (mx_bench_device(b)->emu)
		return;
	mx_verdict_add(h->v, MX_WRONG_DEVICE, "fault", "%s", r->failure);
	h->broken = true;
}

/* Where atomics may arrive in any order, other bytes than run 0's are judged by themselves. */
static int is_legal(struct mx_bench *b, const struct mx_run_result *r, char *text, size_t room,
                    bool *legal, struct mx_error *err) {
	struct mx_verdict v = { 0 };
	*legal = false;
	if (mx_bench_plan(b)->c->verdict.judge != MX_JUDGE_SET)
		return 0;
	if (mx_bench_judge(b, r, &v, err))
		return -1;
	*legal = !mx_verdict_status(&v);
	if (!*legal)
		snprintf(text, room, "%.*s", (int)room - 1, v.notes[0].text);
	return 0;
}

static int finish(struct hunt *h, struct mx_bench *b, unsigned long i,
                  const struct mx_run_result *r, struct mx_error *err) {
	char where[320] = "the device failed under one of them";
	bool legal = false;
	bool divergent = r->failed != h->run0_failed ||
	                 (!r->failed && differs(b, h->run0, where, sizeof where));
	if (divergent && !r->failed && is_legal(b, r, where, sizeof where, &legal, err))
		return -1;
	divergent &= !legal;
	pthread_mutex_lock(&h->lock);
	h->race->runs++;
	h->race->seconds += r->seconds;
	mx_bench_device_findings(b, h->v);
	if (r->failed)
		note_failure(h, b, r);
	else
		note_distinct(h, r->hash);
	if (divergent)
		note_divergence(h, i, where);
	if (h->progress)
		h->progress(h->context, h->race->runs, h->n);
	pthread_mutex_unlock(&h->lock);
	return 0;
}

static void *work(void *argument) {
	struct worker *w = argument;
	struct mx_error err;
	unsigned long i;
	while (take(w->hunt, &i)) {
		struct mx_run_result r;
		if (!mx_bench_run(w->bench, w->hunt->first_schedule + i, &r, &err) &&
		    !finish(w->hunt, w->bench, i, &r, &err))
			continue;
		pthread_mutex_lock(&w->hunt->lock);
		w->hunt->broken = true;
		w->hunt->status = -1;
		*w->hunt->err = err;
		pthread_mutex_unlock(&w->hunt->lock);
	}
	return NULL;
}

static int run_0(struct hunt *h, struct mx_bench *b) {
	struct mx_run_result r;
	if (mx_bench_run(b, h->first_schedule, &r, h->err) ||
	    (!r.failed && keep(b, h->run0, h->err)))
		return -1;
	h->run0_failed = r.failed;
	h->next = 1;
	return finish(h, b, 0, &r, h->err);
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
	return h->status;
}

int mx_race(struct mx_bench **benches, unsigned jobs, uint64_t first_schedule, unsigned long n,
            mx_race_progress *progress, void *context, struct mx_race *race, struct mx_verdict *v,
            struct mx_error *err) {
	struct hunt *h = calloc(1, sizeof *h);
	if (!h)
		return mx_fail(err, "out of memory");
	*race = (struct mx_race){ 0 };
	*h = (struct hunt){ .lock = PTHREAD_MUTEX_INITIALIZER,
		            .n = n,
		            .race = race,
		            .v = v,
		            .first_schedule = first_schedule,
		            .err = err,
		            .progress = progress,
		            .context = context };
	int status = run_0(h, benches[0]) || run_all(h, benches, jobs) ? -1 : 0;
	if (!status && race->divergent)
		mx_verdict_add(v, MX_WRONG_ORDER, "nondeterminism",
		               "%lu of %lu schedules differ from run 0, %u%s distinct results; run "
		               "%lu: %s",
		               race->divergent, race->runs, race->distinct,
		               race->distinct == MAX_DISTINCT ? " or more" : "", race->first,
		               h->where);
	for (unsigned i = 0; i < MX_MAX_BUFFERS; i++)
		free(h->run0[i]);
	free(h);
	return status;
}
