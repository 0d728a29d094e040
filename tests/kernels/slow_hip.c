/* A HIP runtime for tests of devices: the emulator with the name of AMD's runtime, without the
 * emulator's own API. Each launch has another schedule, and the profile $SLOW_HIP_PROFILE, or one
 * of the fields $SLOW_HIP_MEMBER, "group=16,align=20", for all matrix instructions. Streams are
 * busy for a while after each launch. Launch number $SLOW_HIP_HANG never ends, and neither does a
 * wait for it; launch number $SLOW_HIP_ABORT ends the process. With $SLOW_HIP_SPOIL a bit is wrong
 * in the byte at that offset of each buffer of $SLOW_HIP_BYTES bytes that is read back. */
#define _GNU_SOURCE
#define __HIP_PLATFORM_AMD__ 1
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../ref/hip/mxhip.h"

/* Found before the emulator's function, and NULL: so this is not an emulator. */
__asm__(".globl mxhipSetLaunchOptions\n.set mxhipSetLaunchOptions, 0");

enum { BUSY_QUERIES = 3 };

static unsigned launches, queries = BUSY_QUERIES;
static bool hangs;

static void wait(void) {
	while (hangs)
		pause();
	queries = BUSY_QUERIES;
}

/* A runtime waits for its queues at exit. */
__attribute__((destructor)) static void at_exit(void) {
	wait();
}

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

static const mx_profile *member(void) {
	static mx_profile p;
	const char *at = getenv("SLOW_HIP_MEMBER");
	p = (mx_profile){ .name = "hidden", .parts = 1 };
	for (; at && *at; at += strcspn(at, ","), at += *at == ',') {
#define MX_FAMILY(field, ...)                                                                      \
	if (!strncmp(at, #field "=", sizeof #field))                                               \
		p.field = (unsigned)strtoul(at + sizeof #field, NULL, 0);
#include "../../ref/mma/family.def"
#undef MX_FAMILY
	}
	return at ? &p : NULL;
}

/* A device has another schedule each time. */
static void set_schedule(uint64_t seed) {
	const struct mxhipLaunchOptions options = { .size = sizeof options,
		                                    .seed = seed,
		                                    .profile = getenv("SLOW_HIP_PROFILE"),
		                                    .arithmetic = member() };
	int (*set_options)(const struct mxhipLaunchOptions *);
	*(void **)&set_options = dlsym(RTLD_NEXT, "mxhipSetLaunchOptions");
	set_options(&options);
}

static size_t number(const char *name) {
	const char *text = getenv(name);
	return text ? strtoul(text, NULL, 10) : 0;
}

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz,
                                 unsigned bx, unsigned by, unsigned bz, unsigned lds,
                                 hipStream_t stream, void **params, void **extra) {
	hangs |= ++launches == number("SLOW_HIP_HANG");
	if (launches == number("SLOW_HIP_ABORT"))
		abort();
	queries = 0;
	set_schedule(launches);
	return REAL(hipModuleLaunchKernel)(f, gx, gy, gz, bx, by, bz, lds, stream, params, extra);
}

hipError_t hipStreamQuery(hipStream_t stream) {
	return hangs || queries++ < BUSY_QUERIES ? hipErrorNotReady : REAL(hipStreamQuery)(stream);
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
	wait();
	return REAL(hipStreamSynchronize)(stream);
}

/* A copy does not wait for streams that do not wait for the null stream: an early copy is wrong. */
hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
	hipError_t e =
		queries < BUSY_QUERIES ? hipErrorNotReady : REAL(hipMemcpy)(to, from, bytes, kind);
	if (kind == hipMemcpyDeviceToHost && bytes == number("SLOW_HIP_BYTES"))
		((uint8_t *)to)[number("SLOW_HIP_SPOIL")] ^= 1;
	return e;
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
	if (attribute != hipDeviceAttributeClockRate &&
	    attribute != hipDeviceAttributeMemoryClockRate)
		return REAL(hipDeviceGetAttribute)(value, attribute, device);
	*value = attribute == hipDeviceAttributeClockRate ? 2400000 : 2000000;
	return hipSuccess;
}

hipError_t hipRuntimeGetVersion(int *version) {
	*version = 70051831;
	return hipSuccess;
}

#define WAITS(name, type)                                                                          \
	hipError_t name(type x) {                                                                  \
		wait();                                                                            \
		return REAL(name)(x);                                                              \
	}
WAITS(hipFree, void *)
WAITS(hipHostFree, void *)
WAITS(hipModuleUnload, hipModule_t)
WAITS(hipStreamDestroy, hipStream_t)
