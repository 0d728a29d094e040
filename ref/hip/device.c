/* The devices, each an emulated gfx950, and the calls that choose one. There is one, or as many as
 * MXHIP_DEVICES=N says. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "queue.h"

static int n_devices;
static _Thread_local int current;
static _Thread_local bool is_chosen; /* by hipSetDevice */

static void count(void) {
	uint64_t n = mx_hip_number("MXHIP_DEVICES");
	if (n > MX_MOST_DEVICES)
		fprintf(stderr, "libmxhip: MXHIP_DEVICES: %d of %" PRIu64 " devices\n",
		        MX_MOST_DEVICES, n);
	n_devices = !n ? 1 : n < MX_MOST_DEVICES ? (int)n : MX_MOST_DEVICES;
}

int mx_devices(void) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, count);
	return n_devices;
}

int mx_device(void) {
	return current;
}

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
	*n = mx_devices();
	return mx_hip_return(hipSuccess);
}

hipError_t mx_device_check(int device) {
	return mx_hip_return(device >= 0 && device < mx_devices() ? hipSuccess
	                                                          : hipErrorInvalidDevice);
}

MXHIP_API hipError_t hipGetDevice(int *device) {
	if (!device)
		return mx_hip_return(hipErrorInvalidValue);
	*device = current;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipSetDevice(int device) {
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess) {
		current = device;
		is_chosen = true;
	}
	return e;
}

/* The first of a list is the current device, until hipSetDevice chooses one. */
MXHIP_API hipError_t hipSetValidDevices(int *list, int n);
MXHIP_API hipError_t hipSetValidDevices(int *list, int n) {
	hipError_t e = mx_hip_return(
		n && (!list || n < 0 || n > mx_devices()) ? hipErrorInvalidValue : hipSuccess);
	for (int i = 0; e == hipSuccess && i < n; i++)
		e = mx_device_check(list[i]);
	if (e == hipSuccess && n && !is_chosen)
		current = list[0];
	return e;
}

/* All devices have the same properties, so the first is as good as any. */
static hipError_t choose(int *device, const void *properties) {
	if (!device || !properties)
		return mx_hip_return(hipErrorInvalidValue);
	*device = 0;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipChooseDevice(int *device, const hipDeviceProp_t *properties) {
	return choose(device, properties);
}

MXHIP_API hipError_t hipChooseDeviceR0000(int *device, const hipDeviceProp_t *properties);
MXHIP_API hipError_t hipChooseDeviceR0000(int *device, const hipDeviceProp_t *properties) {
	return choose(device, properties);
}

struct mx_props_r0600;
MXHIP_API hipError_t hipChooseDeviceR0600(int *device, const struct mx_props_r0600 *properties);
MXHIP_API hipError_t hipChooseDeviceR0600(int *device, const struct mx_props_r0600 *properties) {
	return choose(device, properties);
}

MXHIP_API hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
	if (!device)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(ordinal);
	if (e == hipSuccess)
		*device = ordinal;
	return e;
}

MXHIP_API hipError_t hipDeviceSynchronize(void) {
	hipError_t e = mx_capture_check_device();
	if (e != hipSuccess)
		return e;
	mx_queue_finish_device(current);
	return mx_hip_synchronise();
}
