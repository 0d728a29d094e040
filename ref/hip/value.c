/* Values in memory that streams write, and for which they wait. */
#include <stdio.h>

#include "queue.h"
#include "stream_races.h"

static uint64_t load(const struct mx_value *v) {
	return v->bytes == 4 ? __atomic_load_n((const uint32_t *)v->at, __ATOMIC_ACQUIRE)
	                     : __atomic_load_n((const uint64_t *)v->at, __ATOMIC_ACQUIRE);
}

bool mx_hip_value_holds(const struct mx_value *v) {
	uint64_t now = load(v) & v->mask, all = v->bytes == 4 ? UINT32_MAX : UINT64_MAX;
	switch (v->compare) {
	case hipStreamWaitValueGte: return now >= v->value;
	case hipStreamWaitValueEq: return now == v->value;
	case hipStreamWaitValueAnd: return now & v->value;
	default: return ~(now | (v->value & v->mask)) & all; /* hipStreamWaitValueNor */
	}
}

char *mx_hip_value_text(const struct mx_value *v, char *text, size_t room) {
	static const char *const forms[] = {
		[hipStreamWaitValueGte] = "%p & 0x%llx >= 0x%llx",
		[hipStreamWaitValueEq] = "%p & 0x%llx == 0x%llx",
		[hipStreamWaitValueAnd] = "%p & 0x%llx & 0x%llx",
		[hipStreamWaitValueNor] = "%p & 0x%llx nor 0x%llx",
	};
	int n = snprintf(text, room, "the %u bytes at ", v->bytes);
	n += snprintf(text + n, room - (size_t)n, forms[v->compare], v->at,
	              (unsigned long long)v->mask, (unsigned long long)v->value);
	snprintf(text + n, room - (size_t)n, "; they are 0x%llx", (unsigned long long)load(v));
	return text;
}

hipError_t mx_hip_value_write(const struct mx_value *v) {
	if (!mx_hip_mark((uint64_t)(uintptr_t)v->at, v->bytes, MX_WRITTEN))
		return mx_hip_return(hipErrorInvalidValue);
	mx_races_touch(v->at, v->bytes, MX_TOUCH_ATOMIC_WRITE);
	if (v->bytes == 4)
		__atomic_store_n((uint32_t *)v->at, (uint32_t)v->value, __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint64_t *)v->at, v->value, __ATOMIC_RELEASE);
	return hipSuccess;
}

static hipError_t wait(hipStream_t stream, void *at, uint64_t value, unsigned compare,
                       uint64_t mask, unsigned bytes) {
	if (compare > hipStreamWaitValueNor)
		return mx_hip_return(hipErrorInvalidValue);
	return mx_stream_value(stream, MX_NODE_WAIT,
	                       &(struct mx_value){ at, value, mask, bytes, compare });
}

static hipError_t write(hipStream_t stream, void *at, uint64_t value, unsigned flags,
                        unsigned bytes) {
	if (flags)
		return mx_hip_return(hipErrorInvalidValue);
	return mx_stream_value(stream, MX_NODE_WRITE,
	                       &(struct mx_value){ .at = at, .value = value, .bytes = bytes });
}

MXHIP_API hipError_t hipStreamWaitValue32(hipStream_t stream, void *p, uint32_t value,
                                          unsigned flags, uint32_t mask) {
	return wait(stream, p, value, flags, mask, 4);
}

MXHIP_API hipError_t hipStreamWaitValue64(hipStream_t stream, void *p, uint64_t value,
                                          unsigned flags, uint64_t mask) {
	return wait(stream, p, value, flags, mask, 8);
}

MXHIP_API hipError_t hipStreamWriteValue32(hipStream_t stream, void *p, uint32_t value,
                                           unsigned flags) {
	return write(stream, p, value, flags, 4);
}

MXHIP_API hipError_t hipStreamWriteValue64(hipStream_t stream, void *p, uint64_t value,
                                           unsigned flags) {
	return write(stream, p, value, flags, 8);
}

/* ---- several at once, of HIP 6.4 ---- */

/* hipStreamBatchMemOpParams: its parts for writing and for waiting have these members. */
struct mx_batch_operation {
	int operation; /* hipStreamBatchMemOpType */
	void *at;
	uint64_t value;
	unsigned flags;
	uint64_t pad[2];
};
_Static_assert(sizeof(struct mx_batch_operation) == 48, "six words");

MXHIP_API hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned n,
                                         const struct mx_batch_operation *o, unsigned flags);
MXHIP_API hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned n,
                                         const struct mx_batch_operation *o, unsigned flags) {
	enum { WAIT_32 = 1, WRITE_32 = 2, WAIT_64 = 4, WRITE_64 = 5, MOST = 256 };
	hipError_t e =
		mx_hip_return(!o || !n || n > MOST || flags ? hipErrorInvalidValue : hipSuccess);
	for (unsigned i = 0; e == hipSuccess && i < n; i++) {
		uint32_t low = (uint32_t)o[i].value;
		switch (o[i].operation) {
		case WAIT_32: e = wait(stream, o[i].at, low, o[i].flags, UINT32_MAX, 4); break;
		case WAIT_64:
			e = wait(stream, o[i].at, o[i].value, o[i].flags, UINT64_MAX, 8);
			break;
		case WRITE_32: e = write(stream, o[i].at, low, o[i].flags, 4); break;
		case WRITE_64: e = write(stream, o[i].at, o[i].value, o[i].flags, 8); break;
		default: return mx_hip_fail(hipErrorInvalidValue, "operation %d", o[i].operation);
		}
	}
	return e;
}
