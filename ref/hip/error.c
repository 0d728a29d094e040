/* Errors: the last one of each thread, its detail, and names. */
#include <stdarg.h>
#include <stdio.h>

#include "runtime.h"

static _Thread_local hipError_t last, deferred;
static _Thread_local char detail[512];

hipError_t mx_hip_return(hipError_t e) {
	if (e != hipSuccess) {
		last = e;
		detail[0] = 0;
	}
	return e;
}

hipError_t mx_hip_fail(hipError_t e, const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	vsnprintf(detail, sizeof detail, format, ap);
	va_end(ap);
	return last = e;
}

/* The first error stays, so that later launches do not hide it. */
void mx_hip_defer(hipError_t e) {
	if (deferred == hipSuccess)
		deferred = e;
}

hipError_t mx_hip_synchronise(void) {
	hipError_t e = deferred;
	deferred = hipSuccess;
	return mx_hip_return(e);
}

const char *mxhipErrorDetail(void) {
	return detail;
}

MXHIP_API hipError_t hipGetLastError(void) {
	hipError_t e = last;
	last = hipSuccess;
	return e;
}

MXHIP_API hipError_t hipPeekAtLastError(void) {
	return last;
}

static const struct {
	hipError_t code;
	const char *name, *text;
} errors[] = {
#define ERROR(code, text)                                                                          \
	{ code, #code, text }
	ERROR(hipSuccess, "no error"),
	ERROR(hipErrorInvalidValue, "invalid argument"),
	ERROR(hipErrorOutOfMemory, "out of memory"),
	ERROR(hipErrorInvalidDevice, "invalid device ordinal"),
	ERROR(hipErrorInvalidImage, "device kernel image is invalid"),
	ERROR(hipErrorNoBinaryForGpu, "no kernel image for this device"),
	ERROR(hipErrorFileNotFound, "file not found"),
	ERROR(hipErrorInvalidHandle, "invalid resource handle"),
	ERROR(hipErrorNotFound, "named symbol not found"),
	ERROR(hipErrorNotReady, "device not ready"),
	ERROR(hipErrorIllegalAddress, "an illegal memory access was encountered"),
	ERROR(hipErrorLaunchTimeOut, "the launch made no progress"),
	ERROR(hipErrorLaunchFailure, "launch failure"),
	ERROR(hipErrorInvalidConfiguration, "invalid launch configuration"),
	ERROR(hipErrorNotSupported, "not implemented by the emulator"),
#undef ERROR
};

static const size_t n_errors = sizeof errors / sizeof *errors;

MXHIP_API const char *hipGetErrorName(hipError_t e) {
	for (size_t i = 0; i < n_errors; i++)
		if (errors[i].code == e)
			return errors[i].name;
	return "hipErrorUnknown";
}

MXHIP_API const char *hipGetErrorString(hipError_t e) {
	for (size_t i = 0; i < n_errors; i++)
		if (errors[i].code == e)
			return errors[i].text;
	return "unknown error";
}
