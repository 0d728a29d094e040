/* Values in memory that streams write, and for which they wait. */
#include <stdio.h>

#include "queue.h"
#include "stream_races.h"

bool mx_hip_value_ends(const struct mx_value *v, uint64_t now) {
	uint64_t all = v->bytes == 4 ? UINT32_MAX : UINT64_MAX;
	now &= v->mask;
	switch (v->compare) {
	case hipStreamWaitValueGte: return now >= v->value;
	case hipStreamWaitValueEq: return now == v->value;
	case hipStreamWaitValueAnd: return now & v->value;
	default: return ~(now | (v->value & v->mask)) & all; /* hipStreamWaitValueNor */
	}
}

bool mx_hip_value_holds(const struct mx_value *v) {
	uint64_t now;
	return !mx_hip_load(v->at, v->bytes, &now) || mx_hip_value_ends(v, now);
}

char *mx_hip_value_text(const struct mx_value *v, char *text, size_t room) {
	static const char *const forms[] = {
		[hipStreamWaitValueGte] = "%p & 0x%llx >= 0x%llx",
		[hipStreamWaitValueEq] = "%p & 0x%llx == 0x%llx",
		[hipStreamWaitValueAnd] = "%p & 0x%llx & 0x%llx",
		[hipStreamWaitValueNor] = "%p & 0x%llx nor 0x%llx",
	};
	uint64_t now = 0;
	mx_hip_load(v->at, v->bytes, &now);
	int n = snprintf(text, room, "the %u bytes at ", v->bytes);
	n += snprintf(text + n, room - (size_t)n, forms[v->compare], v->at,
	              (unsigned long long)v->mask, (unsigned long long)v->value);
	snprintf(text + n, room - (size_t)n, "; they are 0x%llx", (unsigned long long)now);
	return text;
}

void mx_hip_value_check(const struct mx_value *v) {
	if (!mx_hip_is_allocation(v->at, v->bytes))
		mx_hip_defer(hipErrorIllegalAddress,
		             "a stream waits for a value in memory that is freed");
}

hipError_t mx_hip_value_write(const struct mx_value *v) {
	uint64_t before = 0;
	mx_hip_load(v->at, v->bytes, &before);
	if (!mx_hip_is_writable(v->at, v->bytes) ||
	    !mx_hip_mark((uint64_t)(uintptr_t)v->at, v->bytes, MX_WRITTEN))
		return mx_hip_return(hipErrorInvalidValue);
	mx_races_write(v, before);
	if (v->bytes == 4)
		__atomic_store_n((uint32_t *)v->at, (uint32_t)v->value, __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint64_t *)v->at, v->value, __ATOMIC_RELEASE);
	return hipSuccess;
}

static hipError_t check(const struct mx_value *v) {
	if (v->compare <= hipStreamWaitValueNor && (uintptr_t)v->at % v->bytes == 0 &&
	    mx_hip_is_allocation(v->at, v->bytes))
		return mx_hip_return(hipSuccess);
	return mx_hip_fail(hipErrorInvalidValue,
	                   "comparison %u, or %p is no %u bytes of device memory", v->compare,
	                   v->at, v->bytes);
}

static hipError_t wait(struct hipGraphNode *node, void *at, uint64_t value, unsigned compare,
                       uint64_t mask, unsigned bytes) {
	*node = (struct hipGraphNode){ .type = (hipGraphNodeType)MX_NODE_WAIT,
		                       .value = { at, value, mask, bytes, compare } };
	return check(&node->value);
}

static hipError_t write(struct hipGraphNode *node, void *at, uint64_t value, unsigned flags,
                        unsigned bytes) {
	*node = (struct hipGraphNode){ .type = (hipGraphNodeType)MX_NODE_WRITE,
		                       .value = { .at = at, .value = value, .bytes = bytes } };
	if (flags || !mx_hip_is_writable(at, bytes))
		return mx_hip_return(hipErrorInvalidValue);
	return check(&node->value);
}

static hipError_t enqueue(hipStream_t stream, hipError_t e, const struct hipGraphNode *node) {
	return e == hipSuccess ? mx_stream_value(stream, (int)node->type, &node->value) : e;
}

MXHIP_API hipError_t hipStreamWaitValue32(hipStream_t stream, void *p, uint32_t value,
                                          unsigned flags, uint32_t mask) {
	struct hipGraphNode node;
	return enqueue(stream, wait(&node, p, value, flags, mask, 4), &node);
}

MXHIP_API hipError_t hipStreamWaitValue64(hipStream_t stream, void *p, uint64_t value,
                                          unsigned flags, uint64_t mask) {
	struct hipGraphNode node;
	return enqueue(stream, wait(&node, p, value, flags, mask, 8), &node);
}

MXHIP_API hipError_t hipStreamWriteValue32(hipStream_t stream, void *p, uint32_t value,
                                           unsigned flags) {
	struct hipGraphNode node;
	return enqueue(stream, write(&node, p, value, flags, 4), &node);
}

MXHIP_API hipError_t hipStreamWriteValue64(hipStream_t stream, void *p, uint64_t value,
                                           unsigned flags) {
	struct hipGraphNode node;
	return enqueue(stream, write(&node, p, value, flags, 8), &node);
}

/* ---- several at once, of HIP 6.4 ---- */

_Static_assert(sizeof(hipStreamBatchMemOpParams) == 48, "six words");

hipError_t mx_graph_value_node(struct hipGraphNode *node, const hipStreamBatchMemOpParams *o) {
	uint32_t low = (uint32_t)o->value;
	switch (o->operation) {
	case hipStreamMemOpWaitValue32: return wait(node, o->at, low, o->flags, UINT32_MAX, 4);
	case hipStreamMemOpWaitValue64: return wait(node, o->at, o->value, o->flags, UINT64_MAX, 8);
	case hipStreamMemOpWriteValue32: return write(node, o->at, low, o->flags, 4);
	case hipStreamMemOpWriteValue64: return write(node, o->at, o->value, o->flags, 8);
	default: return mx_hip_fail(hipErrorInvalidValue, "operation %d", o->operation);
	}
}

MXHIP_API hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned n,
                                         hipStreamBatchMemOpParams *o, unsigned flags) {
	struct hipGraphNode node;
	bool good = o && n && n <= MX_MOST_OPERATIONS && !flags;
	hipError_t e = mx_hip_return(good ? hipSuccess : hipErrorInvalidValue);
	for (unsigned i = 0; e == hipSuccess && i < n; i++)
		e = enqueue(stream, mx_graph_value_node(&node, &o[i]), &node);
	return e;
}
