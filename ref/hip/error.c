/* Errors: the last one of each thread with its detail, those of enqueued work, names and texts.
 *
 * A launch that fails is an error of the process, as on a device: the next synchronising call of
 * any thread returns it. An error that no call has returned is printed when the process ends. With
 * MXHIP_ON_FAULT=abort it ends the process at once, as AMD's runtime does after a memory fault. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static _Thread_local hipError_t last;
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

/* ---- errors of enqueued work ---- */

struct deferred {
	hipError_t error;
	char text[sizeof detail];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct deferred process;
static _Thread_local struct deferred own;

/* The first error stays, so that later launches do not hide it. */
static void defer(struct deferred *d, hipError_t e, const char *text) {
	if (d->error != hipSuccess)
		return;
	d->error = e;
	snprintf(d->text, sizeof d->text, "%s", text);
}

static void abort_on_fault(const char *text) {
	const char *wish = getenv("MXHIP_ON_FAULT");
	if (!wish || strcmp(wish, "abort"))
		return;
	fprintf(stderr, "libmxhip: %s\n", text);
	abort();
}

void mx_hip_defer(hipError_t e, const char *text) {
	if (e == hipSuccess)
		return;
	abort_on_fault(text);
	pthread_mutex_lock(&lock);
	defer(&process, e, text);
	pthread_mutex_unlock(&lock);
}

void mx_hip_defer_failure(hipError_t e, hipError_t before) {
	mx_hip_defer(e, detail);
	last = before;
}

void mx_hip_defer_own(hipError_t e, const char *text) {
	defer(&own, e, text);
}

hipError_t mx_hip_synchronise(void) {
	struct deferred d = own;
	own.error = hipSuccess;
	if (d.error == hipSuccess) {
		pthread_mutex_lock(&lock);
		d = process;
		process.error = hipSuccess;
		pthread_mutex_unlock(&lock);
	}
	return d.error == hipSuccess ? hipSuccess : mx_hip_fail(d.error, "%s", d.text);
}

hipError_t mx_hip_deferred(void) {
	pthread_mutex_lock(&lock);
	hipError_t e = own.error != hipSuccess ? own.error : process.error;
	pthread_mutex_unlock(&lock);
	return e;
}

__attribute__((destructor)) static void tell_unobserved(void) {
	if (process.error != hipSuccess)
		fprintf(stderr, "libmxhip: no call returned the error of a launch: %s: %s\n",
		        hipGetErrorName(process.error), process.text);
}

/* ---- the API ---- */

const char *mxhipErrorDetail(void) {
	return detail;
}

MXHIP_API hipError_t hipGetLastError(void) {
	hipError_t e = last;
	last = hipSuccess;
	return e;
}

MXHIP_API hipError_t hipExtGetLastError(void);
MXHIP_API hipError_t hipExtGetLastError(void) {
	return hipGetLastError();
}

MXHIP_API hipError_t hipPeekAtLastError(void) {
	return last;
}

struct error {
	int number;
	const char *name, *text;
};

static const struct error errors[] = {
#define ERROR(number, name, text) { number, #name, text },
#include "errors.def"
#undef ERROR
};

/* NULL if HIP has no such error. */
static const struct error *error_of(hipError_t e) {
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].number == (int)e)
			return &errors[i];
	return NULL;
}

MXHIP_API const char *hipGetErrorName(hipError_t e) {
	const struct error *found = error_of(e);
	return found ? found->name : "hipErrorUnknown";
}

MXHIP_API const char *hipGetErrorString(hipError_t e) {
	const struct error *found = error_of(e);
	return found ? found->text : "unknown error";
}

MXHIP_API hipError_t hipDrvGetErrorName(hipError_t e, const char **name);
MXHIP_API hipError_t hipDrvGetErrorName(hipError_t e, const char **name) {
	const struct error *found = error_of(e);
	if (!name || !found)
		return mx_hip_return(hipErrorInvalidValue);
	*name = found->name;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipDrvGetErrorString(hipError_t e, const char **text);
MXHIP_API hipError_t hipDrvGetErrorString(hipError_t e, const char **text) {
	const struct error *found = error_of(e);
	if (!text || !found)
		return mx_hip_return(hipErrorInvalidValue);
	*text = found->text;
	return mx_hip_return(hipSuccess);
}
