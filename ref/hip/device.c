/* The one device: an emulated gfx950, and the calls that choose a device. */
#include <stdio.h>
#include <string.h>

#include "queue.h"

MXHIP_API hipError_t hipInit(unsigned flags) {
	return mx_hip_return(flags ? hipErrorInvalidValue : hipSuccess);
}

MXHIP_API hipError_t hipDriverGetVersion(int *version) {
	if (!version)
		return mx_hip_return(hipErrorInvalidValue);
	*version = MX_HIP_VERSION;
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

hipError_t mx_device_check(int device) {
	return mx_hip_return(device == 0 ? hipSuccess : hipErrorInvalidDevice);
}

MXHIP_API hipError_t hipGetDevice(int *device) {
	if (!device)
		return mx_hip_return(hipErrorInvalidValue);
	*device = 0;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipSetDevice(int device) {
	return mx_device_check(device);
}

MXHIP_API hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
	if (!device)
		return mx_hip_return(hipErrorInvalidValue);
	*device = 0;
	return mx_device_check(ordinal);
}

MXHIP_API hipError_t hipDeviceSynchronize(void) {
	mx_queue_finish(NULL);
	return mx_hip_synchronise();
}

MXHIP_API hipError_t hipDeviceReset(void) {
	return hipDeviceSynchronize();
}

MXHIP_API hipError_t hipSetDeviceFlags(unsigned flags) {
	(void)flags; /* they choose how to wait; there is nothing to wait for */
	return mx_hip_return(hipSuccess);
}
