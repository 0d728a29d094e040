/* The one device: an emulated gfx950. Its properties are those of an MI355X [AMD MI355X data
 * sheet]; no result depends on them. */
#include <stdio.h>
#include <string.h>

#include "props_r0600.h"
#include "runtime.h"

static const char device_name[] = "mxcheck emulated gfx950";
static const size_t memory_bytes = 288ull << 30;

enum { COMPUTE_UNITS = MX_COMPUTE_UNITS, WAVE = 64, MAX_BLOCK = 1024, VGPRS = 131072 };

MXHIP_API hipError_t hipInit(unsigned flags) {
	return mx_hip_return(flags ? hipErrorInvalidValue : hipSuccess);
}

MXHIP_API hipError_t hipDriverGetVersion(int *version) {
	if (!version)
		return mx_hip_return(hipErrorInvalidValue);
	*version = HIP_VERSION;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipRuntimeGetVersion(int *version) {
	return hipDriverGetVersion(version);
}

MXHIP_API hipError_t hipGetDeviceCount(int *n) {
	if (!n)
		return mx_hip_return(hipErrorInvalidValue);
	*n = 1;
	return mx_hip_return(hipSuccess);
}

static hipError_t check_device(int device) {
	return mx_hip_return(device == 0 ? hipSuccess : hipErrorInvalidDevice);
}

MXHIP_API hipError_t hipGetDevice(int *device) {
	if (!device)
		return mx_hip_return(hipErrorInvalidValue);
	*device = 0;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipSetDevice(int device) {
	return check_device(device);
}

MXHIP_API hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
	if (!device)
		return mx_hip_return(hipErrorInvalidValue);
	*device = 0;
	return check_device(ordinal);
}

MXHIP_API hipError_t hipDeviceGetName(char *name, int bytes, hipDevice_t device) {
	if (!name || bytes <= 0)
		return mx_hip_return(hipErrorInvalidValue);
	snprintf(name, (size_t)bytes, "%s", device_name);
	return check_device(device);
}

MXHIP_API hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
	if (!bytes)
		return mx_hip_return(hipErrorInvalidValue);
	*bytes = memory_bytes;
	return check_device(device);
}

MXHIP_API hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
	if (!value)
		return mx_hip_return(hipErrorInvalidValue);
	switch (attribute) {
	case hipDeviceAttributeWarpSize: *value = WAVE; break;
	case hipDeviceAttributeMultiprocessorCount: *value = COMPUTE_UNITS; break;
	case hipDeviceAttributeMaxThreadsPerBlock: *value = MAX_BLOCK; break;
	case hipDeviceAttributeMaxBlockDimX:
	case hipDeviceAttributeMaxBlockDimY:
	case hipDeviceAttributeMaxBlockDimZ: *value = MAX_BLOCK; break;
	case hipDeviceAttributeMaxGridDimX:
	case hipDeviceAttributeMaxGridDimY:
	case hipDeviceAttributeMaxGridDimZ: *value = 0x7fffffff; break;
	case hipDeviceAttributeMaxSharedMemoryPerBlock:
	case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor: *value = MX_HIP_LDS_BYTES; break;
	case hipDeviceAttributeMaxRegistersPerBlock: *value = VGPRS; break;
	case hipDeviceAttributeMaxThreadsPerMultiProcessor: *value = 32 * WAVE; break;
	case hipDeviceAttributeCooperativeLaunch:
	case hipDeviceAttributeConcurrentKernels:
	case hipDeviceAttributeManagedMemory:
	case hipDeviceAttributeCanMapHostMemory:
	case hipDeviceAttributeUnifiedAddressing:
	case hipDeviceAttributeEccEnabled: *value = 1; break;
	case hipDeviceAttributeIntegrated:
	case hipDeviceAttributeComputeMode:
	case hipDeviceAttributeKernelExecTimeout:
	case hipDeviceAttributeMemoryPoolsSupported:
	case hipDeviceAttributeCooperativeMultiDeviceLaunch:
	case hipDeviceAttributePciBusId:
	case hipDeviceAttributePciDeviceId: *value = 0; break;
	case hipDeviceAttributeComputeCapabilityMajor: *value = 9; break;
	case hipDeviceAttributeComputeCapabilityMinor: *value = 5; break;
	default: return mx_hip_fail(hipErrorNotSupported, "device attribute %d", (int)attribute);
	}
	return check_device(device);
}

static void fill_props(hipDeviceProp_t *p) {
	memset(p, 0, sizeof *p);
	strcpy(p->name, device_name);
	strcpy(p->gcnArchName, MX_FULL_ARCH);
	p->totalGlobalMem = memory_bytes;
	p->sharedMemPerBlock = p->maxSharedMemoryPerMultiProcessor = MX_HIP_LDS_BYTES;
	p->regsPerBlock = VGPRS;
	p->warpSize = WAVE;
	p->maxThreadsPerBlock = MAX_BLOCK;
	p->multiProcessorCount = COMPUTE_UNITS;
	p->maxThreadsPerMultiProcessor = 32 * WAVE;
	p->concurrentKernels = p->canMapHostMemory = p->cooperativeLaunch = p->managedMemory = 1;
	p->ECCEnabled = 1;
	p->major = 9;
	p->minor = 5;
	for (int i = 0; i < 3; i++) {
		p->maxThreadsDim[i] = MAX_BLOCK;
		p->maxGridSize[i] = 0x7fffffff;
	}
}

MXHIP_API hipError_t hipGetDeviceProperties(hipDeviceProp_t *p, int device) {
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	if (device == 0)
		fill_props(p);
	return check_device(device);
}

/* Programs that were built with HIP 6 or newer headers call this. */
MXHIP_API hipError_t hipGetDevicePropertiesR0600(struct mx_props_r0600 *p, int device);
MXHIP_API hipError_t hipGetDevicePropertiesR0600(struct mx_props_r0600 *p, int device) {
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	if (device != 0)
		return check_device(device);
	memset(p, 0, sizeof *p);
	strcpy(p->name, device_name);
	strcpy(p->gcn_arch_name, MX_FULL_ARCH);
	p->total_global_mem = memory_bytes;
	p->shared_mem_per_block = MX_HIP_LDS_BYTES;
	p->regs_per_block = VGPRS;
	p->warp_size = WAVE;
	p->max_threads_per_block = MAX_BLOCK;
	p->multi_processor_count = COMPUTE_UNITS;
	p->major = 9;
	p->minor = 5;
	for (int i = 0; i < 3; i++) {
		p->max_threads_dim[i] = MAX_BLOCK;
		p->max_grid_size[i] = 0x7fffffff;
	}
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipDeviceSynchronize(void) {
	return mx_hip_synchronise();
}

MXHIP_API hipError_t hipDeviceReset(void) {
	return mx_hip_synchronise();
}

MXHIP_API hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
	if (!major || !minor)
		return mx_hip_return(hipErrorInvalidValue);
	*major = 9;
	*minor = 5;
	return check_device(device);
}

MXHIP_API hipError_t hipSetDeviceFlags(unsigned flags) {
	(void)flags; /* they choose how to wait; there is nothing to wait for */
	return mx_hip_return(hipSuccess);
}

/* The only device has no peers. */
MXHIP_API hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
	if (!can)
		return mx_hip_return(hipErrorInvalidValue);
	*can = 0;
	return device ? check_device(device) : check_device(peer);
}
