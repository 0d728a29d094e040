/* What a pointer points to. */
#include <string.h>

#include "runtime.h"

static hipMemoryType type_of(const struct mx_allocation *a) {
	switch (a->kind) {
	case MX_IMPORTED_MEMORY:
	case MX_VIRTUAL_MEMORY:
	case MX_GRAPH_MEMORY:
	case MX_DEVICE_MEMORY: return hipMemoryTypeDevice;
	case MX_MANAGED_MEMORY: return hipMemoryTypeManaged;
	default: return hipMemoryTypeHost;
	}
}

MXHIP_API hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *p) {
	struct mx_allocation a;
	if (!attributes || !p)
		return mx_hip_return(hipErrorInvalidValue);
	if (!mx_hip_about(p, &a))
		return mx_hip_fail(hipErrorInvalidValue, "%p is not memory of the device", p);
	*attributes = (hipPointerAttribute_t){
		.memoryType = type_of(&a),
		.device = a.device,
		.devicePointer = (void *)p,
		.hostPointer = type_of(&a) == hipMemoryTypeDevice ? NULL : (void *)p,
		.isManaged = a.kind == MX_MANAGED_MEMORY,
		.allocationFlags = a.flags,
	};
	return mx_hip_return(hipSuccess);
}

/* ---- the driver API ---- */

/* The size of an attribute's value is that of HIP's documentation. */
#define PUT(type, v) memcpy(value, &(type){ v }, sizeof(type))

static hipError_t put(void *value, hipPointer_attribute what, const struct mx_allocation *a,
                      hipDeviceptr_t p) {
	bool for_host = type_of(a) != hipMemoryTypeDevice;
	switch ((int)what) {
	case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: PUT(int, type_of(a)); break;
	case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER: PUT(void *, p); break;
	case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
		PUT(void *, for_host ? p : NULL);
		return for_host ? hipSuccess : hipErrorInvalidValue;
	case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS: PUT(bool, a->synchronous); break;
	case HIP_POINTER_ATTRIBUTE_BUFFER_ID: PUT(uint32_t, a->id); break;
	case HIP_POINTER_ATTRIBUTE_IS_MANAGED: PUT(bool, a->kind == MX_MANAGED_MEMORY); break;
	case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: PUT(int, a->device); break;
	case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR: PUT(void *, a->base); break;
	case HIP_POINTER_ATTRIBUTE_RANGE_SIZE: PUT(uint32_t, (uint32_t)a->bytes); break;
	case HIP_POINTER_ATTRIBUTE_MAPPED: PUT(bool, true); break;
	case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS: PUT(int, hipMemAccessFlagsProtReadWrite); break;
	case HIP_POINTER_ATTRIBUTE_CONTEXT: /* AMD's runtime has no value of these */
	case HIP_POINTER_ATTRIBUTE_P2P_TOKENS:
	case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
	case HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
	case HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return hipErrorNotSupported;
	default: return hipErrorInvalidValue;
	}
	return hipSuccess;
}

MXHIP_API hipError_t hipPointerGetAttribute(void *value, hipPointer_attribute what,
                                            hipDeviceptr_t p) {
	struct mx_allocation a;
	if (!value || !mx_hip_about(p, &a))
		return mx_hip_return(hipErrorInvalidValue);
	return mx_hip_return(put(value, what, &a, p));
}

/* Values of a pointer that is not the device's are 0. */
MXHIP_API hipError_t hipDrvPointerGetAttributes(unsigned n, hipPointer_attribute *what,
                                                void **values, hipDeviceptr_t p) {
	struct mx_allocation a;
	if (!n || !what || !values || !p)
		return mx_hip_return(hipErrorInvalidValue);
	bool known = mx_hip_about(p, &a);
	for (unsigned i = 0; i < n; i++)
		if (known)
			put(values[i], what[i], &a, p);
		else if (what[i] == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE)
			memset(values[i], 0, sizeof(int));
	return mx_hip_return(hipSuccess);
}

/* Which memory the host waits for, in copies and sets without a stream. */
MXHIP_API hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute what,
                                            hipDeviceptr_t p);
MXHIP_API hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute what,
                                            hipDeviceptr_t p) {
	int on;
	if (!value || !p || what != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS)
		return mx_hip_return(hipErrorInvalidValue);
	memcpy(&on, value, sizeof on);
	return mx_hip_return(mx_hip_set_synchronous(p, on) ? hipSuccess
	                                                   : hipErrorInvalidDevicePointer);
}

/* ---- ranges ---- */

MXHIP_API hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t p) {
	struct mx_allocation a;
	if (!base && !bytes)
		return mx_hip_return(hipErrorInvalidValue);
	if (!mx_hip_about(p, &a))
		return mx_hip_return(hipErrorNotFound);
	if (base)
		*base = a.base;
	if (bytes)
		*bytes = a.bytes;
	return mx_hip_return(hipSuccess);
}

/* A null pointer is an allocation of 0 bytes. */
MXHIP_API hipError_t hipMemPtrGetInfo(void *p, size_t *bytes) {
	struct mx_allocation a = { 0 };
	if (!bytes || (p && !mx_hip_about(p, &a)))
		return mx_hip_return(hipErrorInvalidValue);
	*bytes = a.bytes;
	return mx_hip_return(hipSuccess);
}

/* A dma-buf of a range, by which other devices access it: there is none of emulated memory. */
MXHIP_API hipError_t hipMemGetHandleForAddressRange(void *handle, hipDeviceptr_t p, size_t bytes,
                                                    int type, unsigned long long flags);
MXHIP_API hipError_t hipMemGetHandleForAddressRange(void *handle, hipDeviceptr_t p, size_t bytes,
                                                    int type, unsigned long long flags) {
	enum { DMA_BUF_FILE = 1 }; /* hipMemRangeHandleTypeDmaBufFd */
	if (!handle || !bytes || flags || type != DMA_BUF_FILE || !mx_hip_is_allocation(p, bytes))
		return mx_hip_return(hipErrorInvalidValue);
	return mx_hip_fail(hipErrorNotSupported, "a dma-buf of emulated memory");
}
