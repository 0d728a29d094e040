/* Independent parts of a computation on several threads. */
#include "inside.h"

#include <pthread.h>
#include <stdatomic.h>

struct work {
	size_t n, some;
	exact_each *each;
	void *context;
	atomic_size_t next;
};

static void *run(void *argument) {
	struct work *w = argument;
	size_t from;
	while ((from = atomic_fetch_add(&w->next, w->some)) < w->n)
		w->each(w->context, from, w->n - from < w->some ? w->n : from + w->some);
	return NULL;
}

void exact_parallel(unsigned threads, size_t n, size_t some, exact_each *each, void *context) {
	enum { MOST = 64 };
	pthread_t other[MOST];
	struct work w = { n, some, each, context, 0 };
	unsigned started = 0;
	while (started + 1 < threads && started < MOST && (started + 1) * some < n &&
	       !pthread_create(&other[started], NULL, run, &w))
		started++;
	run(&w);
	while (started)
		pthread_join(other[--started], NULL);
}
