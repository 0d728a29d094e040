/* Runs in worker processes.
 *
 * A worker reads the number of a run from one pipe and writes a message to another: its size, the
 * counts of waivers, the packed result. A worker that ends before its message was killed by its
 * run. */
#define _GNU_SOURCE
#include "pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../fuzz/hunt/interrupt.h"
#include "output.h"
#include "progress.h"
#include "result.h"

enum { POLL_MS = 100 };

struct worker {
	pid_t pid; /* 0: none */
	int to, from;
	bool busy, late;
	size_t run;
	double start;
	uint8_t *message; /* as far as it has come */
	size_t n, room;
};

struct pool {
	const struct mx_pool *p;
	const struct mx_selection *s;
	struct mx_result *results;
	struct worker *workers;
	size_t next;
	bool stopping;
};

/* ---- waivers ---- */

static size_t count_waivers(const struct mx_selection *s) {
	size_t n = s->waivers ? s->waivers->n : 0;
	for (size_t i = 0; i < s->n_cases; i++)
		n += s->cases[i]->n_waivers;
	return n;
}

static struct mx_waiver *waiver_at(const struct mx_selection *s, size_t i) {
	for (size_t k = 0; k < s->n_cases; i -= s->cases[k++]->n_waivers)
		if (i < s->cases[k]->n_waivers)
			return &s->cases[k]->waivers[i];
	return &s->waivers->list[i];
}

/* ---- in a worker ---- */

static bool write_all(int file, const void *bytes, size_t n) {
	const uint8_t *at = bytes;
	while (n) {
		ssize_t done = write(file, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

static bool send_result(const struct mx_selection *s, const struct mx_result *r, int to) {
	size_t waivers = count_waivers(s), n = 0;
	uint8_t *packed = mx_result_pack(r, &n);
	uint64_t size = waivers * sizeof(uint32_t) + n;
	bool good = packed && write_all(to, &size, sizeof size);
	for (size_t i = 0; good && i < waivers; i++) {
		uint32_t findings = waiver_at(s, i)->findings;
		waiver_at(s, i)->findings = 0;
		good = write_all(to, &findings, sizeof findings);
	}
	good = good && write_all(to, packed, n);
	free(packed);
	return good;
}

static void serve(const struct pool *p, int from, int to) {
	size_t i;
	while (read(from, &i, sizeof i) == sizeof i) {
		struct mx_result *r = &p->results[i];
		p->p->work(p->p->context, r);
		bool sent = send_result(p->s, r, to);
		mx_result_free(r);
		if (!sent)
			break;
	}
}

static void begin_worker(const struct pool *p, const struct worker *x, int from, int to) {
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < p->p->jobs; i++)
		if (&p->workers[i] != x && p->workers[i].pid > 0)
			close(p->workers[i].to), close(p->workers[i].from);
	for (size_t i = 0; i < count_waivers(p->s); i++)
		waiver_at(p->s, i)->findings = 0;
	serve(p, from, to);
	exit(0);
}

static int start(struct pool *p, struct worker *x, struct mx_error *err) {
	int go[2], back[2];
	if (pipe2(go, O_CLOEXEC))
		return mx_fail(err, "pipe: %s", strerror(errno));
	if (pipe2(back, O_CLOEXEC)) {
		close(go[0]), close(go[1]);
		return mx_fail(err, "pipe: %s", strerror(errno));
	}
	fflush(NULL);
	x->pid = fork();
	if (!x->pid) {
		close(go[1]), close(back[0]);
		begin_worker(p, x, go[0], back[1]);
	}
	close(go[0]), close(back[1]);
	x->to = go[1];
	x->from = back[0];
	x->n = 0;
	if (x->pid > 0)
		return 0;
	close(x->to), close(x->from);
	x->pid = 0;
	return mx_fail(err, "fork: %s", strerror(errno));
}

/* ---- in the process of the pool ---- */

/* Ends a worker; one that is stopped must run to find the end of its pipe. */
static int end_of(struct worker *x) {
	int status = 0;
	close(x->to), close(x->from);
	kill(x->pid, SIGCONT);
	while (waitpid(x->pid, &status, 0) < 0 && errno == EINTR)
		;
	x->pid = 0;
	return status;
}

/* The finding of a run whose worker has ended. */
static void add_loss(const struct pool *p, const struct worker *x, int status) {
	struct mx_result *r = &p->results[x->run];
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->seconds = mx_seconds() - x->start;
	if (x->late)
		mx_verdict_add(&r->verdict, MX_WRONG_DEVICE, "time-out",
		               "the run took longer than %g s", p->p->time_out);
	else if (number)
		mx_verdict_add(&r->verdict, MX_WRONG_DEVICE, "crash",
		               "the process of the run died of signal %d (%s)", number,
		               strsignal(number));
	else
		mx_verdict_add(&r->verdict, MX_WRONG_DEVICE, "crash",
		               "the process of the run exited with status %d", WEXITSTATUS(status));
}

/* A worker that ended while it was busy. It is replaced if there is more to do. */
static int lose(struct pool *p, struct worker *x, struct mx_error *err) {
	int status = end_of(x);
	x->busy = false;
	if (p->stopping || mx_interrupted())
		return 0;
	add_loss(p, x, status);
	p->p->done(p->p->context, x->run);
	return p->next < p->s->n_runs ? start(p, x, err) : 0;
}

static bool is_complete(const struct worker *x) {
	uint64_t size;
	if (x->n < sizeof size)
		return false;
	memcpy(&size, x->message, sizeof size);
	return x->n - sizeof size >= size;
}

static void add_waivers(const struct pool *p, const uint8_t *at) {
	uint32_t findings;
	for (size_t i = 0; i < count_waivers(p->s); i++, at += sizeof findings) {
		memcpy(&findings, at, sizeof findings);
		waiver_at(p->s, i)->findings += findings;
	}
}

static int take_message(struct pool *p, struct worker *x, struct mx_error *err) {
	size_t head = sizeof(uint64_t) + count_waivers(p->s) * sizeof(uint32_t);
	if (x->n < head || !mx_result_unpack(x->message + head, x->n - head, &p->results[x->run]))
		return mx_fail(err, "the result of a worker could not be read");
	add_waivers(p, x->message + sizeof(uint64_t));
	x->n = 0;
	x->busy = false;
	if (p->p->renews && mx_result_status(&p->results[x->run]) == MX_WRONG_DEVICE) {
		kill(x->pid, SIGKILL); /* at its exit the runtime may wait for a launch */
		end_of(x);
	}
	p->p->done(p->p->context, x->run);
	return 0;
}

/* Reads what has come. */
static int receive(struct pool *p, struct worker *x, struct mx_error *err) {
	if (x->n == x->room) {
		size_t room = x->room ? 2 * x->room : 1 << 17;
		uint8_t *grown = realloc(x->message, room);
		if (!grown)
			return mx_fail(err, "out of memory");
		x->message = grown;
		x->room = room;
	}
	ssize_t got = read(x->from, x->message + x->n, x->room - x->n);
	if (got < 0 && errno == EINTR)
		return 0;
	if (got <= 0)
		return lose(p, x, err);
	x->n += (size_t)got;
	return is_complete(x) ? take_message(p, x, err) : 0;
}

static int give(struct pool *p, struct worker *x, struct mx_error *err) {
	if (!x->pid && start(p, x, err))
		return -1;
	x->run = p->next++;
	x->busy = true;
	x->late = false;
	x->start = mx_seconds();
	/* A worker that is dead is found when its other pipe ends. */
	return write_all(x->to, &x->run, sizeof x->run) || errno == EPIPE
	               ? 0
	               : mx_fail(err, "pipe: %s", strerror(errno));
}

static void stop(struct pool *p) {
	p->stopping = true;
	for (unsigned i = 0; i < p->p->jobs; i++)
		if (p->workers[i].busy)
			kill(p->workers[i].pid, p->p->ends_early ? SIGTERM : SIGKILL);
}

static void kill_late(struct pool *p) {
	for (unsigned i = 0; p->p->time_out > 0 && i < p->p->jobs; i++) {
		struct worker *x = &p->workers[i];
		if (x->busy && !x->late && mx_seconds() - x->start > p->p->time_out) {
			x->late = true;
			kill(x->pid, SIGKILL);
		}
	}
}

/* Gives runs to idle workers; the number of busy ones, or -1. */
static int give_all(struct pool *p, struct mx_error *err) {
	int busy = 0;
	for (unsigned i = 0; i < p->p->jobs; i++) {
		struct worker *x = &p->workers[i];
		if (!x->busy && !p->stopping && !mx_output_is_lost() && p->next < p->s->n_runs &&
		    give(p, x, err))
			return -1;
		busy += x->busy;
	}
	return busy;
}

static int receive_all(struct pool *p, struct pollfd *polls, struct mx_error *err) {
	for (unsigned i = 0; i < p->p->jobs; i++) {
		const struct worker *x = &p->workers[i];
		polls[i] = (struct pollfd){ x->busy ? x->from : -1, POLLIN, 0 };
	}
	if (poll(polls, p->p->jobs, POLL_MS) <= 0)
		return 0;
	for (unsigned i = 0; i < p->p->jobs; i++)
		if (polls[i].revents && receive(p, &p->workers[i], err))
			return -1;
	return 0;
}

static int run_all(struct pool *p, struct pollfd *polls, struct mx_error *err) {
	int busy, status = 0;
	while (!status && (busy = give_all(p, err)) != 0) {
		status = busy < 0 ? -1 : receive_all(p, polls, err);
		kill_late(p);
		if (mx_interrupted() && !p->stopping)
			stop(p);
	}
	return status;
}

int mx_pool_run(const struct mx_pool *p, const struct mx_selection *s, struct mx_result *results,
                bool *interrupted, struct mx_error *err) {
	struct pool pool = { .p = p, .s = s, .results = results };
	struct pollfd *polls = calloc(p->jobs, sizeof *polls);
	struct mx_handlers old;
	pool.workers = calloc(p->jobs, sizeof *pool.workers);
	mx_interrupt_catch(&old);
	int status =
		polls && pool.workers ? run_all(&pool, polls, err) : mx_fail(err, "out of memory");
	for (unsigned i = 0; pool.workers && i < p->jobs; i++) {
		if (pool.workers[i].pid)
			end_of(&pool.workers[i]);
		free(pool.workers[i].message);
	}
	*interrupted = mx_interrupted();
	mx_interrupt_restore(&old);
	free(pool.workers);
	free(polls);
	return status;
}
