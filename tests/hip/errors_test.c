/* Names and texts of errors; and errors of launches, which are the process's. */
#include "runtime_test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

hipError_t hipDrvGetErrorName(hipError_t e, const char **name);
hipError_t hipDrvGetErrorString(hipError_t e, const char **text);

/* ---- names and texts ---- */

static const struct {
	hipError_t code;
	const char *name;
} header[] = {
#define E(name)                                                                                    \
	{ name, #name }
	E(hipSuccess),
	E(hipErrorInvalidValue),
	E(hipErrorOutOfMemory),
	E(hipErrorNotInitialized),
	E(hipErrorDeinitialized),
	E(hipErrorProfilerDisabled),
	E(hipErrorProfilerNotInitialized),
	E(hipErrorProfilerAlreadyStarted),
	E(hipErrorProfilerAlreadyStopped),
	E(hipErrorInvalidConfiguration),
	E(hipErrorInvalidPitchValue),
	E(hipErrorInvalidSymbol),
	E(hipErrorInvalidDevicePointer),
	E(hipErrorInvalidMemcpyDirection),
	E(hipErrorInsufficientDriver),
	E(hipErrorMissingConfiguration),
	E(hipErrorPriorLaunchFailure),
	E(hipErrorInvalidDeviceFunction),
	E(hipErrorNoDevice),
	E(hipErrorInvalidDevice),
	E(hipErrorInvalidImage),
	E(hipErrorInvalidContext),
	E(hipErrorContextAlreadyCurrent),
	E(hipErrorMapFailed),
	E(hipErrorUnmapFailed),
	E(hipErrorArrayIsMapped),
	E(hipErrorAlreadyMapped),
	E(hipErrorNoBinaryForGpu),
	E(hipErrorAlreadyAcquired),
	E(hipErrorNotMapped),
	E(hipErrorNotMappedAsArray),
	E(hipErrorNotMappedAsPointer),
	E(hipErrorECCNotCorrectable),
	E(hipErrorUnsupportedLimit),
	E(hipErrorContextAlreadyInUse),
	E(hipErrorPeerAccessUnsupported),
	E(hipErrorInvalidKernelFile),
	E(hipErrorInvalidGraphicsContext),
	E(hipErrorInvalidSource),
	E(hipErrorFileNotFound),
	E(hipErrorSharedObjectSymbolNotFound),
	E(hipErrorSharedObjectInitFailed),
	E(hipErrorOperatingSystem),
	E(hipErrorInvalidHandle),
	E(hipErrorIllegalState),
	E(hipErrorNotFound),
	E(hipErrorNotReady),
	E(hipErrorIllegalAddress),
	E(hipErrorLaunchOutOfResources),
	E(hipErrorLaunchTimeOut),
	E(hipErrorPeerAccessAlreadyEnabled),
	E(hipErrorPeerAccessNotEnabled),
	E(hipErrorSetOnActiveProcess),
	E(hipErrorContextIsDestroyed),
	E(hipErrorAssert),
	E(hipErrorHostMemoryAlreadyRegistered),
	E(hipErrorHostMemoryNotRegistered),
	E(hipErrorLaunchFailure),
	E(hipErrorCooperativeLaunchTooLarge),
	E(hipErrorNotSupported),
	E(hipErrorStreamCaptureUnsupported),
	E(hipErrorStreamCaptureInvalidated),
	E(hipErrorStreamCaptureMerge),
	E(hipErrorStreamCaptureUnmatched),
	E(hipErrorStreamCaptureUnjoined),
	E(hipErrorStreamCaptureIsolation),
	E(hipErrorStreamCaptureImplicit),
	E(hipErrorCapturedEvent),
	E(hipErrorStreamCaptureWrongThread),
	E(hipErrorGraphExecUpdateFailure),
	E(hipErrorUnknown),
	E(hipErrorRuntimeMemory),
	E(hipErrorRuntimeOther),
	E(hipErrorTbd),
#undef E
};

static void test_names(void) {
	const char *text = NULL, *name = NULL;
	size_t named = 0, texts = 0;
	for (size_t i = 0; i < COUNT(header); i++) {
		hipError_t e = header[i].code;
		bool good = !strcmp(hipGetErrorName(e), header[i].name) &&
		            hipDrvGetErrorName(e, &name) == hipSuccess &&
		            !strcmp(name, header[i].name);
		if (!good)
			diag("%s is called %s", header[i].name, hipGetErrorName(e));
		named += good;
		texts += hipDrvGetErrorString(e, &text) == hipSuccess && *text &&
		         !strcmp(text, hipGetErrorString(e));
	}
	ok(named == COUNT(header) && texts == named,
	   "all %zu errors of the header have names "
	   "and texts",
	   COUNT(header));
	ok(!strcmp(hipGetErrorName((hipError_t)912), "hipErrorInvalidTexture"),
	   "errors of newer headers, too");
	ok(hipDrvGetErrorName((hipError_t)12345, &name) == hipErrorInvalidValue &&
	           hipDrvGetErrorString((hipError_t)12345, &text) == hipErrorInvalidValue &&
	           hipDrvGetErrorName(hipErrorTbd, NULL) == hipErrorInvalidValue,
	   "the driver API has no name for other numbers");
}

/* ---- what gfx950 does not have ---- */

static void test_images(void) {
	struct hipChannelFormatDesc form = { 32, 0, 0, 0, hipChannelFormatKindFloat };
	hipArray *array = NULL;
	hipTextureObject_t texture = NULL;
	int support = 1;
	float x;
	must(hipDeviceGetAttribute(&support, hipDeviceAttributeImageSupport, 0));
	ok(!support && hipMallocArray(&array, &form, 4, 4, 0) == hipErrorNotSupported && !array &&
	           hipMemcpy2DFromArray(&x, 4, array, 0, 0, 4, 1, hipMemcpyDeviceToHost) ==
	                   hipErrorNotSupported &&
	           hipCreateTextureObject(&texture, NULL, NULL, NULL) == hipErrorNotSupported &&
	           strstr(mxhipErrorDetail(), "hipCreateTextureObject"),
	   "there are no images: no array and no texture can be made");
	ok(hipFreeArray(NULL) == hipErrorInvalidValue &&
	           hipArrayDestroy(NULL) == hipErrorInvalidValue &&
	           hipFreeMipmappedArray(NULL) == hipErrorInvalidValue &&
	           hipMipmappedArrayDestroy(NULL) == hipErrorInvalidValue &&
	           hipFreeArray((hipArray *)&form) == hipErrorNotSupported,
	   "no array is an invalid one to free");
	hipExternalSemaphoreWaitParams wait = { 0 };
	hipExternalSemaphore_t semaphore = NULL;
	ok(hipWaitExternalSemaphoresAsync(NULL, &wait, 1, NULL) == hipErrorInvalidValue &&
	           hipWaitExternalSemaphoresAsync(&semaphore, &wait, 1, NULL) ==
	                   hipErrorNotSupported,
	   "nor are there external semaphores");
}

/* ---- errors of launches ---- */

static hipFunction_t copy;

/* Reads address 0. */
static void *fault(void *options) {
	void *p = NULL, *params[] = { &p, &p };
	if (options)
		must(mxhipSetLaunchOptions(options));
	must(hipModuleLaunchKernel(copy, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
	return NULL;
}

static void in_thread(void *(*run)(void *), void *data) {
	pthread_t thread;
	pthread_create(&thread, NULL, run, data);
	pthread_join(thread, NULL);
}

static void test_error_of_another_thread(void) {
	(void)hipGetLastError();
	in_thread(fault, NULL);
	ok(hipPeekAtLastError() == hipSuccess, "a launch that fails returns no error");
	ok(hipDeviceSynchronize() == hipErrorIllegalAddress,
	   "the next synchronising call does, in another thread");
	ok(strstr(mxhipErrorDetail(), "copy") && strstr(mxhipErrorDetail(), "global_load"),
	   "with kernel and instruction: %s", mxhipErrorDetail());
	ok(hipGetLastError() == hipErrorIllegalAddress && hipDeviceSynchronize() == hipSuccess,
	   "it is returned once");
}

static void *fault_then_synchronise(void *options) {
	fault(options);
	ok(hipDeviceSynchronize() == hipErrorIllegalAddress,
	   "with a report of its own, a thread gets its error");
	fault(options);
	return NULL;
}

static void test_error_with_report(void) {
	static struct mx_report report; /* what it has last is not freed */
	struct mxhipLaunchOptions options = { .size = sizeof options, .report = &report };
	in_thread(fault_then_synchronise, &options);
	ok(hipDeviceSynchronize() == hipSuccess, "and no other thread does");
}

/* ---- at the end of a process ---- */

/* What a child process that faults prints to stderr; *status is its exit status. */
static const char *said(const char *on_fault, bool synchronises, int *status) {
	static char text[1024];
	int ends[2];
	if (pipe(ends))
		return "";
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		dup2(ends[1], 2);
		setenv("MXHIP_ON_FAULT", on_fault, 1);
		fault(NULL);
		if (synchronises)
			(void)hipDeviceSynchronize();
		exit(7);
	}
	close(ends[1]);
	ssize_t n = 0, more;
	while ((more = read(ends[0], text + n, sizeof text - 1 - (size_t)n)) > 0)
		n += more;
	text[n] = 0;
	close(ends[0]);
	waitpid(child, status, 0);
	return text;
}

static void test_end_of_process(void) {
	int status;
	const char *text = said("", false, &status);
	if (!ok(WIFEXITED(status) && WEXITSTATUS(status) == 7 &&
	                strstr(text, "libmxhip: no call returned the error of a launch: "
	                             "hipErrorIllegalAddress: ") &&
	                strstr(text, "copy") && strstr(text, "global_load"),
	        "an error that no call returned is printed at the end"))
		diag("%s", text);
	text = said("", true, &status);
	if (!ok(!strstr(text, "libmxhip") && WEXITSTATUS(status) == 7,
	        "one that was returned is not"))
		diag("%s", text);
	text = said("abort", false, &status);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(text, "global_load"),
	   "MXHIP_ON_FAULT=abort ends the process at the fault");
}

int main(void) {
	hipModule_t m;
	must(hipModuleLoad(&m, built("tests/hip/probe.gpu.co")));
	must(hipModuleGetFunction(&copy, m, "copy"));
	test_names();
	test_images();
	test_error_of_another_thread();
	test_error_with_report();
	test_end_of_process();
	must(hipModuleUnload(m));
	return done_testing();
}
