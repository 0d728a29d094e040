/* Memory in large parts, kept for later launches: a launch that mapped and unmapped its memory
 * would spend as much time on page faults as on its analysis. Threads have a shadow each, so 16 of
 * them take about 2.5 times as much as one, which takes 160 MiB for a GEMM of 4096 cubed. */
#include "slabs.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { SLAB = 1 << 17, MOST_SPARE = (512 << 20) / SLAB };

struct mx_slab {
	struct mx_slab *next;
	size_t used;
	uint64_t bytes[SLAB / 8];
};

static struct {
	pthread_mutex_t lock;
	struct mx_slab *slabs;
	unsigned n;
} spare = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct mx_slab *take_spare(void) {
	pthread_mutex_lock(&spare.lock);
	struct mx_slab *s = spare.slabs;
	if (s) {
		spare.slabs = s->next;
		spare.n--;
	}
	pthread_mutex_unlock(&spare.lock);
	return s;
}

/* Whether a slab is kept. */
static bool keep(struct mx_slab *s) {
	pthread_mutex_lock(&spare.lock);
	bool room = spare.n < MOST_SPARE;
	if (room) {
		s->next = spare.slabs;
		spare.slabs = s;
		spare.n++;
	}
	pthread_mutex_unlock(&spare.lock);
	return room;
}

void *mx_slabs_take(struct mx_slab **slabs, size_t bytes) {
	struct mx_slab *s = *slabs;
	bytes = (bytes + 7) / 8 * 8;
	if (!s || s->used + bytes > SLAB) {
		s = take_spare();
		if (!s && !(s = malloc(sizeof *s)))
			return NULL;
		s->next = *slabs;
		s->used = 0;
		*slabs = s;
	}
	s->used += bytes;
	return s->bytes + (s->used - bytes) / 8;
}

void mx_slabs_free(struct mx_slab **slabs) {
	while (*slabs) {
		struct mx_slab *s = *slabs;
		*slabs = s->next;
		if (!keep(s))
			free(s);
	}
}
