/* Arrays, textures, surfaces and graphics, which gfx950 does not have: it has no image instructions
 * [ISA], and hipDeviceAttributeImageSupport is 0. On such a device AMD's runtime makes no array, no
 * texture and no surface, with hipErrorNotSupported [ROCm/clr, hip_memory.cpp, hip_texture.cpp,
 * hip_surface.cpp]. That the calls which take one end so too, whatever they are given, is assumed:
 * none can exist. Graphics and other APIs are refused as well. */
#include "runtime.h"

/* The symbols have names of their own in C, as the header declares their parameters. */
#define IMAGE(name)                                                                                \
	MXHIP_API hipError_t no_##name(void) __asm__(#name);                                       \
	hipError_t no_##name(void) {                                                               \
		return mx_hip_fail(hipErrorNotSupported, "%s: gfx950 has no images", #name);       \
	}
/* Those that free look at their argument first [ROCm/clr, hip_memory.cpp]. */
#define IMAGE_FREE(name)                                                                           \
	MXHIP_API hipError_t no_##name(const void *array) __asm__(#name);                          \
	hipError_t no_##name(const void *array) {                                                  \
		if (!array)                                                                        \
			return mx_hip_return(hipErrorInvalidValue);                                \
		return mx_hip_fail(hipErrorNotSupported, "%s: gfx950 has no images", #name);       \
	}
#include "images.def"

/* Signals of external semaphores and waits for them look at the list first. */
#define SEMAPHORES(name)                                                                           \
	MXHIP_API hipError_t no_##name(const void *list, const void *parameters) __asm__(#name);   \
	hipError_t no_##name(const void *list, const void *parameters) {                           \
		if (!list || !parameters)                                                          \
			return mx_hip_return(hipErrorInvalidValue);                                \
		return mx_hip_fail(hipErrorNotSupported, "%s: there are no external semaphores",   \
		                   #name);                                                         \
	}
SEMAPHORES(hipSignalExternalSemaphoresAsync)
SEMAPHORES(hipWaitExternalSemaphoresAsync)

/* A description of elements needs no image. The header declares it for C++ alone. */
MXHIP_API hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w,
                                                    hipChannelFormatKind kind);
MXHIP_API hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w,
                                                    hipChannelFormatKind kind) {
	return (hipChannelFormatDesc){ x, y, z, w, kind };
}
