/* User objects: data of the program that live as long as something refers to them: the program, or
 * a graph, its copies and their launches that are not over. */
#include <limits.h>
#include <stdlib.h>

#include "graph.h"

struct hipUserObject {
	hipHostFn_t destroy;
	void *data;
	uint64_t references;
};

enum { FLAG_NO_DESTRUCTOR_SYNC = 1, FLAG_MOVE = 1 }; /* hipUserObject..., hipGraphUserObject... */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all counts */

/* False if the object is not live. */
static bool retain(struct hipUserObject *object, uint64_t n) {
	pthread_mutex_lock(&lock);
	bool live = mx_handle_is(MX_USER_OBJECT, object);
	if (live)
		object->references += n;
	pthread_mutex_unlock(&lock);
	return live;
}

/* Has no effect if there are fewer references, or none; the last one destroys the data. */
static void release(struct hipUserObject *object, uint64_t n) {
	pthread_mutex_lock(&lock);
	bool has = mx_handle_is(MX_USER_OBJECT, object) && object->references >= n;
	if (has)
		object->references -= n;
	bool last = has && !object->references && mx_handle_remove(MX_USER_OBJECT, object);
	pthread_mutex_unlock(&lock);
	if (last) {
		object->destroy(object->data);
		free(object);
	}
}

/* ---- references of graphs ---- */

static struct mx_reference *reference_of(const struct ihipGraph *g,
                                         const struct hipUserObject *object) {
	for (size_t i = 0; i < g->n_references; i++)
		if (g->references[i].object == object)
			return &g->references[i];
	return NULL;
}

/* Counts references that the object has already. */
static bool count(struct ihipGraph *g, struct hipUserObject *object, uint64_t n) {
	struct mx_reference *found = reference_of(g, object);
	if (!found) {
		struct mx_reference *grown =
			realloc(g->references, (g->n_references + 1) * sizeof *grown);
		if (!grown)
			return false;
		g->references = grown;
		found = &grown[g->n_references++];
		*found = (struct mx_reference){ .object = object };
	}
	found->n += n;
	return true;
}

bool mx_references_copy(struct ihipGraph *to, const struct ihipGraph *from) {
	for (size_t i = 0; i < from->n_references; i++) {
		retain(from->references[i].object, 1);
		if (!count(to, from->references[i].object, 1)) {
			release(from->references[i].object, 1);
			return false;
		}
	}
	return true;
}

void mx_references_release(struct ihipGraph *g) {
	for (size_t i = 0; i < g->n_references; i++)
		release(g->references[i].object, g->references[i].n);
	free(g->references);
}

/* ---- calls: of an object that is not live they have no effect, as in AMD's runtime ---- */

MXHIP_API hipError_t hipUserObjectCreate(hipUserObject_t *object, void *data, hipHostFn_t destroy,
                                         unsigned references, unsigned flags);
MXHIP_API hipError_t hipUserObjectCreate(hipUserObject_t *object, void *data, hipHostFn_t destroy,
                                         unsigned references, unsigned flags) {
	if (!object || !destroy || !references || references > INT_MAX ||
	    flags != FLAG_NO_DESTRUCTOR_SYNC)
		return mx_hip_return(hipErrorInvalidValue);
	struct hipUserObject *made = calloc(1, sizeof *made);
	if (!made || !mx_handle_add(MX_USER_OBJECT, made)) {
		free(made);
		return mx_hip_return(hipErrorOutOfMemory);
	}
	*made = (struct hipUserObject){ destroy, data, references };
	*object = made;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned n);
MXHIP_API hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned n) {
	if (!object || !n || n > INT_MAX)
		return mx_hip_return(hipErrorInvalidValue);
	retain(object, n);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned n);
MXHIP_API hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned n) {
	if (!object || !n || n > INT_MAX)
		return mx_hip_return(hipErrorInvalidValue);
	release(object, n);
	return mx_hip_return(hipSuccess);
}

/* The graph gets references of its own, or those of the caller. */
MXHIP_API hipError_t hipGraphRetainUserObject(hipGraph_t g, hipUserObject_t object, unsigned n,
                                              unsigned flags);
MXHIP_API hipError_t hipGraphRetainUserObject(hipGraph_t g, hipUserObject_t object, unsigned n,
                                              unsigned flags) {
	if (!mx_is_graph(g) || !object || !n || n > INT_MAX || flags > FLAG_MOVE)
		return mx_hip_return(hipErrorInvalidValue);
	uint64_t own = flags == FLAG_MOVE ? 0 : n;
	if (!retain(object, own) || count(g, object, n))
		return mx_hip_return(hipSuccess);
	release(object, own);
	return mx_hip_return(hipErrorOutOfMemory);
}

MXHIP_API hipError_t hipGraphReleaseUserObject(hipGraph_t g, hipUserObject_t object, unsigned n);
MXHIP_API hipError_t hipGraphReleaseUserObject(hipGraph_t g, hipUserObject_t object, unsigned n) {
	if (!mx_is_graph(g) || !object || !n || n > INT_MAX)
		return mx_hip_return(hipErrorInvalidValue);
	struct mx_reference *found = reference_of(g, object);
	if (!found || found->n < n)
		return mx_hip_return(hipSuccess);
	found->n -= n;
	if (!found->n)
		*found = g->references[--g->n_references];
	release(object, n);
	return mx_hip_return(hipSuccess);
}
