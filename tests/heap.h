/* How many bytes of the heap are in use: a call that gives back what it takes leaves it as it was.
 * Sanitizers have a heap of their own, and find leaks themselves: there it is always 0. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include <malloc.h>
#include <stddef.h>

/* Up to seven chunks of each size that a thread has given back count as in use. A call that is
 * judged has been made so often before. */
enum { HEAP_ROUNDS = 8 };

static inline size_t heap_in_use(void) {
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
}

#endif
