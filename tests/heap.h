/* How many bytes of the heap a call leaves in use: none, if it gives back what it takes. Sanitizers
 * have a heap of their own, and find leaks themselves: there it is always 0. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include <malloc.h>
#include <pthread.h>
#include <stddef.h>

struct heap_call {
	void (*call)(void *context);
	void *context;
};

static inline void *heap_thread(void *call) {
	const struct heap_call *c = call;
	c->call(c->context);
	return NULL;
}

static inline size_t heap_in_use(void) {
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
}

/* What a thread has given back counts as in use until it ends, so each call has its own thread.
 * What the first calls leave for later ones is not counted. */
static inline long heap_left_by(void (*call)(void *context), void *context) {
	struct heap_call c = { call, context };
	size_t before = 0;
	for (unsigned i = 0; i < 3; i++) {
		pthread_t t;
		before = heap_in_use();
		if (pthread_create(&t, NULL, heap_thread, &c) || pthread_join(t, NULL))
			return -1;
	}
	return (long)heap_in_use() - (long)before;
}

#endif
