/* The bytes of the heap that a call does not free. Sanitizers have their own heap and find leaks
 * themselves, so the result is always 0 there. */
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

/* Memory that a thread has freed counts as in use until the thread ends, so each call has its own
 * thread. Memory that the first calls keep for later ones is not counted. */
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
