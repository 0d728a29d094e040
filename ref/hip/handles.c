/* The live handles of the process: streams, events, modules and so on. Each function that takes a
 * handle looks it up here first, so that a stale handle is an error and never followed. */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include "runtime.h"

struct handle {
	const void *p;
	enum mx_handle kind;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *live; /* a tree of struct handle, ordered by address */

static int compare(const void *a, const void *b) {
	uintptr_t x = (uintptr_t)((const struct handle *)a)->p;
	uintptr_t y = (uintptr_t)((const struct handle *)b)->p;
	return (x > y) - (x < y);
}

/* The live handle at an address, if it is of this kind; the caller has the lock. */
static struct handle *find(enum mx_handle kind, const void *p) {
	struct handle key = { p, kind };
	struct handle **found = tfind(&key, &live, compare);
	return found && (*found)->kind == kind ? *found : NULL;
}

bool mx_handle_add(enum mx_handle kind, const void *p) {
	struct handle *h = malloc(sizeof *h);
	if (!h)
		return false;
	*h = (struct handle){ p, kind };
	pthread_mutex_lock(&lock);
	bool added = tsearch(h, &live, compare) != NULL;
	pthread_mutex_unlock(&lock);
	if (!added)
		free(h);
	return added;
}

bool mx_handle_is(enum mx_handle kind, const void *p) {
	pthread_mutex_lock(&lock);
	bool is = find(kind, p) != NULL;
	pthread_mutex_unlock(&lock);
	return is;
}

bool mx_handle_remove(enum mx_handle kind, const void *p) {
	pthread_mutex_lock(&lock);
	struct handle *h = find(kind, p);
	if (h)
		tdelete(h, &live, compare);
	pthread_mutex_unlock(&lock);
	free(h);
	return h != NULL;
}
