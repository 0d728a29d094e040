/* Libraries and their kernels, of HIP 7.2 and newer: modules with options, none of which has an
 * effect, and functions [ROCm/clr, hip_library.cpp]. */
#include "runtime.h"

typedef hipModule_t hipLibrary_t;
typedef hipFunction_t hipKernel_t;
hipError_t hipModuleGetFunctionCount(unsigned *n, hipModule_t module);

static const struct mx_function *function_of(hipKernel_t kernel) {
	return (const struct mx_function *)kernel;
}

static hipError_t check_kernel(const void *result, hipKernel_t kernel) {
	if (!result || !kernel)
		return mx_hip_return(hipErrorInvalidValue);
	return mx_function_check(function_of(kernel));
}

/* ---- libraries ---- */

MXHIP_API hipError_t hipLibraryLoadData(hipLibrary_t *library, const void *image, void **options,
                                        void **values, unsigned n, void **more, void **more_values,
                                        unsigned n_more);
MXHIP_API hipError_t hipLibraryLoadData(hipLibrary_t *library, const void *image, void **options,
                                        void **values, unsigned n, void **more, void **more_values,
                                        unsigned n_more) {
	(void)options, (void)values, (void)n, (void)more, (void)more_values, (void)n_more;
	return hipModuleLoadData(library, image);
}

MXHIP_API hipError_t hipLibraryLoadFromFile(hipLibrary_t *library, const char *path, void **options,
                                            void **values, unsigned n, void **more,
                                            void **more_values, unsigned n_more);
MXHIP_API hipError_t hipLibraryLoadFromFile(hipLibrary_t *library, const char *path, void **options,
                                            void **values, unsigned n, void **more,
                                            void **more_values, unsigned n_more) {
	(void)options, (void)values, (void)n, (void)more, (void)more_values, (void)n_more;
	return hipModuleLoad(library, path);
}

MXHIP_API hipError_t hipLibraryUnload(hipLibrary_t library);
MXHIP_API hipError_t hipLibraryUnload(hipLibrary_t library) {
	return hipModuleUnload(library);
}

MXHIP_API hipError_t hipLibraryGetKernel(hipKernel_t *kernel, hipLibrary_t library,
                                         const char *name);
MXHIP_API hipError_t hipLibraryGetKernel(hipKernel_t *kernel, hipLibrary_t library,
                                         const char *name) {
	return hipModuleGetFunction(kernel, library, name);
}

MXHIP_API hipError_t hipLibraryGetKernelCount(unsigned *n, hipLibrary_t library);
MXHIP_API hipError_t hipLibraryGetKernelCount(unsigned *n, hipLibrary_t library) {
	return hipModuleGetFunctionCount(n, library);
}

MXHIP_API hipError_t hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned n,
                                                hipLibrary_t library);
MXHIP_API hipError_t hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned n,
                                                hipLibrary_t library) {
	unsigned all = 0;
	if (!kernels)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = hipModuleGetFunctionCount(&all, library);
	for (unsigned i = 0; e == hipSuccess && i < n && i < all; i++)
		kernels[i] = (hipKernel_t)&library->functions[i];
	return e;
}

/* ---- kernels ---- */

MXHIP_API hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel);
MXHIP_API hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel) {
	hipError_t e = check_kernel(library, kernel);
	if (e == hipSuccess)
		*library = function_of(kernel)->module;
	return mx_hip_return(e);
}

MXHIP_API hipError_t hipKernelGetName(const char **name, hipKernel_t kernel);
MXHIP_API hipError_t hipKernelGetName(const char **name, hipKernel_t kernel) {
	hipError_t e = check_kernel(name, kernel);
	if (e == hipSuccess)
		*name = function_of(kernel)->name;
	return mx_hip_return(e);
}

MXHIP_API hipError_t hipKernelGetFunction(hipFunction_t *function, hipKernel_t kernel);
MXHIP_API hipError_t hipKernelGetFunction(hipFunction_t *function, hipKernel_t kernel) {
	hipError_t e = check_kernel(function, kernel);
	if (e == hipSuccess)
		*function = kernel;
	return mx_hip_return(e);
}

/* The size may be NULL. */
MXHIP_API hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t index, size_t *offset,
                                           size_t *bytes);
MXHIP_API hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t index, size_t *offset,
                                           size_t *bytes) {
	const struct mx_function *f = function_of(kernel);
	hipError_t e = check_kernel(offset, kernel);
	if (e != hipSuccess)
		return e;
	for (size_t i = 0; i < f->n_args; i++)
		if (!f->args[i].hidden && !index--) {
			*offset = f->args[i].offset;
			if (bytes)
				*bytes = f->args[i].size;
			return mx_hip_return(hipSuccess);
		}
	return mx_hip_return(hipErrorInvalidValue);
}

/* A kernel is loaded on one device. */
static hipError_t check_device(hipKernel_t kernel, int device) {
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess && function_of(kernel)->module->device != device)
		e = mx_hip_fail(hipErrorInvalidDevice, "the kernel is not on device %d", device);
	return e;
}

MXHIP_API hipError_t hipKernelGetAttribute(int *value, hipFunction_attribute what,
                                           hipKernel_t kernel, hipDevice_t device);
MXHIP_API hipError_t hipKernelGetAttribute(int *value, hipFunction_attribute what,
                                           hipKernel_t kernel, hipDevice_t device) {
	hipError_t e = check_kernel(value, kernel);
	if (e == hipSuccess)
		e = check_device(kernel, device);
	return e == hipSuccess ? hipFuncGetAttribute(value, what, kernel) : e;
}

MXHIP_API hipError_t hipKernelSetAttribute(hipFunction_attribute what, int value,
                                           hipKernel_t kernel, hipDevice_t device);
MXHIP_API hipError_t hipKernelSetAttribute(hipFunction_attribute what, int value,
                                           hipKernel_t kernel, hipDevice_t device) {
	hipError_t e = check_kernel(&value, kernel);
	if (e == hipSuccess)
		e = check_device(kernel, device);
	return e == hipSuccess ? mx_function_set(function_of(kernel), (hipFuncAttribute)what, value)
	                       : e;
}
