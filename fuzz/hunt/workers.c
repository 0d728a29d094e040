/* The worker processes of a hunt. Each keeps its results in shared memory, so that they survive its
 * death. */
#define _GNU_SOURCE
#include "workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../ref/num/clock.h"

enum {
	POLL_MS = 100,
	LAST_RUN_SECONDS = 10, /* limit of the current runs after mx_workers_stop */
};

struct shared {
	atomic_bool stop;
	_Atomic uint64_t started; /* start of the current run, in ns; 0: none */
	bool failed;              /* `error` has the reason; the hunt is over */
	struct mx_error error;
	struct mx_batch batch;
};

struct worker {
	pid_t pid;     /* 0: none */
	int go, ready; /* pipes */
	bool busy;
	struct shared *shared;
};

struct mx_workers {
	struct mx_bench *bench;
	const struct mx_race_options *o;
	const struct mx_run_0 *zero;
	unsigned n;
	bool forks;
	uint64_t stopping; /* time of mx_workers_stop, in ns; 0: not called */
	struct worker workers[];
};

/* ---- the work ---- */

static void work(struct mx_workers *w, struct shared *d) {
	struct mx_batch *b = &d->batch;
	while (!d->failed && b->done < b->n && !atomic_load(&d->stop)) {
		struct mx_run_result r;
		uint64_t schedule = w->o->first_schedule + b->first + b->done;
		atomic_store(&d->started, mx_nanoseconds());
		d->failed = mx_bench_run(w->bench, schedule, &r, &d->error) != 0;
		if (d->failed)
			break;
		if (r.late || (w->o->time_out > 0 && r.seconds > w->o->time_out))
			mx_batch_add_lost(b, MX_RUN_TIMEOUT, 0);
		else
			mx_batch_add(b, w->o, w->zero, w->bench, &r);
		if (r.failed && !w->forks)
			break; /* a real device that has failed loses its context */
	}
	atomic_store(&d->started, 0);
}

/* Ctrl-C reaches all processes of a terminal; the hunt handles it, and workers ignore it. */
static void serve(struct mx_workers *w, struct shared *d, int go, int ready) {
	char byte = 0;
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(go, &byte, 1) == 1) {
		work(w, d);
		if (write(ready, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static int start(struct mx_workers *w, struct worker *x, struct mx_error *err) {
	int go[2], ready[2];
	if (pipe2(go, O_CLOEXEC))
		return mx_fail(err, "pipe: %s", strerror(errno));
	if (pipe2(ready, O_CLOEXEC)) {
		close(go[0]), close(go[1]);
		return mx_fail(err, "pipe: %s", strerror(errno));
	}
	x->pid = fork();
	if (!x->pid) {
		for (unsigned i = 0; i < w->n; i++)
			if (&w->workers[i] != x && w->workers[i].pid > 0)
				close(w->workers[i].go), close(w->workers[i].ready);
		close(go[1]), close(ready[0]);
		serve(w, x->shared, go[0], ready[1]);
	}
	close(go[0]), close(ready[1]);
	x->go = go[1];
	x->ready = ready[0];
	if (x->pid > 0)
		return 0;
	close(x->go), close(x->ready);
	x->pid = 0;
	return mx_fail(err, "fork: %s", strerror(errno));
}

/* ---- in the process of the hunt ---- */

int mx_workers_start(struct mx_bench *b, const struct mx_race_options *o,
                     const struct mx_run_0 *zero, struct mx_workers **workers,
                     struct mx_error *err) {
	bool forks = mx_bench_device(b)->emu != NULL;
	unsigned n = forks && o->jobs ? o->jobs : 1;
	struct mx_workers *w = calloc(1, sizeof *w + n * sizeof w->workers[0]);
	if (!w)
		return mx_fail(err, "out of memory");
	*w = (struct mx_workers){ .bench = b, .o = o, .zero = zero, .n = n, .forks = forks };
	int status = 0;
	for (unsigned i = 0; !status && i < n; i++) {
		void *shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
		                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		w->workers[i].shared = shared == MAP_FAILED ? NULL : shared;
		if (!w->workers[i].shared)
			status = mx_fail(err, "out of memory");
		else if (forks)
			status = start(w, &w->workers[i], err);
	}
	if (status)
		mx_workers_free(w);
	else
		*workers = w;
	return status;
}

unsigned mx_workers_count(const struct mx_workers *w) {
	return w->n;
}

bool mx_workers_idle(const struct mx_workers *w, unsigned i) {
	return !w->workers[i].busy;
}

void mx_workers_give(struct mx_workers *w, unsigned i, uint64_t first, uint64_t n) {
	struct worker *x = &w->workers[i];
	struct mx_batch *b = &x->shared->batch;
	b->first = first;
	b->n = n;
	b->done = b->same = 0;
	b->seconds = 0;
	b->n_outputs = b->n_notes = 0;
	x->busy = true;
	if (w->forks && write(x->go, "", 1) != 1)
		return; /* the worker is dead; its other pipe reports that */
}

static struct mx_batch *take(struct worker *x) {
	x->busy = false;
	return &x->shared->batch;
}

/* Replaces a dead worker. Its current run is a finding. */
static int replace(struct mx_workers *w, struct worker *x, bool timed_out, struct mx_error *err) {
	int status = 0;
	close(x->go), close(x->ready);
	waitpid(x->pid, &status, 0);
	x->pid = 0;
	if (atomic_exchange(&x->shared->started, 0) && x->shared->batch.done < x->shared->batch.n &&
	    !(timed_out && w->stopping))
		mx_batch_add_lost(&x->shared->batch, timed_out ? MX_RUN_TIMEOUT : MX_RUN_CRASH,
		                  WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	return start(w, x, err);
}

/* A worker with a run that takes too long, or NULL. */
static struct worker *find_late(struct mx_workers *w) {
	double limit = w->o->time_out;
	uint64_t now = mx_nanoseconds();
	if (w->stopping && (limit <= 0 || limit > LAST_RUN_SECONDS))
		limit = LAST_RUN_SECONDS;
	for (unsigned i = 0; limit > 0 && i < w->n; i++) {
		uint64_t started = atomic_load(&w->workers[i].shared->started);
		uint64_t from = started > w->stopping ? started : w->stopping;
		if (started && now > from && 1e-9 * (double)(now - from) > limit)
			return &w->workers[i];
	}
	return NULL;
}

static int collect(struct mx_workers *w, struct worker *x, const struct mx_batch **batch,
                   struct mx_error *err) {
	char byte;
	int status = 0;
	if (read(x->ready, &byte, 1) != 1)
		status = replace(w, x, false, err);
	if (x->shared->failed)
		status = (*err = x->shared->error, -1);
	*batch = take(x);
	return status;
}

static int wait_here(struct mx_workers *w, const struct mx_batch **batch, struct mx_error *err) {
	struct worker *x = &w->workers[0];
	work(w, x->shared);
	if (x->shared->failed)
		*err = x->shared->error;
	*batch = take(x);
	return x->shared->failed ? -1 : 0;
}

int mx_workers_wait(struct mx_workers *w, unsigned *which, const struct mx_batch **batch,
                    struct mx_error *err) {
	struct pollfd p[1024];
	struct worker *x;
	*batch = NULL;
	*which = 0;
	if (!w->forks)
		return wait_here(w, batch, err);
	for (unsigned i = 0; i < w->n; i++)
		p[i] = (struct pollfd){ w->workers[i].ready, POLLIN, 0 };
	if (poll(p, w->n, POLL_MS) > 0)
		for (unsigned i = 0; i < w->n; i++)
			if (p[i].revents) {
				*which = i;
				return collect(w, &w->workers[i], batch, err);
			}
	if (!(x = find_late(w)))
		return 0;
	*which = (unsigned)(x - w->workers);
	kill(x->pid, SIGKILL);
	int status = replace(w, x, true, err);
	*batch = take(x);
	return status;
}

void mx_workers_stop(struct mx_workers *w) {
	w->stopping = mx_nanoseconds();
	for (unsigned i = 0; i < w->n; i++)
		atomic_store(&w->workers[i].shared->stop, true);
}

void mx_workers_free(struct mx_workers *w) {
	for (unsigned i = 0; i < w->n; i++) {
		struct worker *x = &w->workers[i];
		if (x->pid > 0) {
			close(x->go), close(x->ready);
			kill(x->pid, SIGKILL);
			waitpid(x->pid, NULL, 0);
		}
		if (x->shared)
			munmap(x->shared, sizeof *x->shared);
	}
	free(w);
}
