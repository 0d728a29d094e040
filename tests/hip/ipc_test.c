/* Memory and events that two processes share. */
#include "runtime_test.h"

#include <sys/wait.h>
#include <unistd.h>

struct message {
	hipIpcMemHandle_t handle;
	hipIpcEventHandle_t before, after; /* the other process's kernel */
	bool waits;                        /* for the event of this process */
	bool silent;                       /* no finding in the other process */
	bool opened_twice;                 /* at one address, and closed once */
	hipError_t freed, closed_again;
};

static hipFunction_t load(const char *name) {
	hipModule_t module;
	hipFunction_t f;
	must(hipModuleLoad(&module, built("tests/hip/probe.gpu.co")));
	must(hipModuleGetFunction(&f, module, name));
	return f;
}

/* The other process: reads the handle, runs a kernel on the memory, and writes what it got. */
static void other(int from, int to) {
	struct message m;
	uint32_t *p, *again, n = 2;
	if (read(from, &m, sizeof m) != sizeof m)
		exit(1);
	hipFunction_t add = load("add");
	must(hipIpcOpenMemHandle((void **)&p, m.handle, 0));
	hipEvent_t before, after;
	must(hipIpcOpenEventHandle(&before, m.before));
	must(hipIpcOpenEventHandle(&after, m.after));
	must(hipStreamWaitEvent(NULL, before, 0));
	must(hipModuleLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &p, &n }, NULL));
	must(hipEventRecord(after, NULL));
	m.waits = hipEventQuery(before) == hipErrorNotReady &&
	          hipEventQuery(after) == hipErrorNotReady;
	if (write(to, &m, sizeof m) != sizeof m)
		exit(1);
	must(hipDeviceSynchronize());
	m.silent = mxhipReport()->n_findings == 0;
	m.freed = hipFree(p);
	must(hipIpcOpenMemHandle((void **)&again, m.handle, 0));
	must(hipIpcCloseMemHandle(again));
	m.opened_twice = again == p && *p == 42;
	must(hipIpcCloseMemHandle(p));
	m.closed_again = hipIpcCloseMemHandle(p);
	exit(write(to, &m, sizeof m) != sizeof m);
}

int main(void) {
	int down[2], up[2], status = 0;
	struct message m = { 0 };
	uint32_t host[64] = { 0 };
	void *opened;
	if (pipe(down) || pipe(up))
		return 1;
	pid_t child = fork();
	if (!child)
		other(down[0], up[1]);
	uint32_t *p = device_bytes(8192);
	must(hipMemset(p, 0, 8192));
	must(hipMemsetD32(p + 1025, 40, 1));
	must(hipIpcGetMemHandle(&m.handle, p + 1025));
	ok(p[1025] == 40, "memory that is shared keeps its bytes and address");
	ok(hipIpcOpenMemHandle(&opened, m.handle, 0) == hipErrorInvalidContext,
	   "its own process cannot open it");
	ok(hipIpcGetMemHandle(&m.handle, host) == hipErrorInvalidValue &&
	           hipIpcGetMemHandle(NULL, p) == hipErrorInvalidValue &&
	           hipIpcOpenMemHandle(&opened, (hipIpcMemHandle_t){ 0 }, 0) ==
	                   hipErrorInvalidValue &&
	           hipIpcCloseMemHandle(p) == hipErrorInvalidValue,
	   "only device memory has a handle, and only memory of others is closed");
	hipEvent_t before, after, own;
	must(hipEventCreateWithFlags(&before, hipEventInterprocess | hipEventDisableTiming));
	must(hipEventCreateWithFlags(&after, hipEventInterprocess | hipEventDisableTiming));
	must(hipEventCreate(&own));
	must(hipIpcGetEventHandle(&m.before, before));
	must(hipIpcGetEventHandle(&m.after, after));
	ok(hipIpcGetEventHandle(&m.before, own) == hipErrorInvalidConfiguration &&
	           hipIpcOpenEventHandle(&own, m.before) == hipErrorInvalidContext &&
	           hipIpcOpenEventHandle(&own, (hipIpcEventHandle_t){ 0 }) == hipErrorInvalidValue,
	   "an event for several processes has a handle");
	hipStream_t s;
	must(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
	must(hipStreamWaitValue32(s, p, 1, hipStreamWaitValueEq, ~0u));
	must(hipEventRecord(before, s));
	bool sent = write(down[1], &m, sizeof m) == sizeof m;
	bool answered = sent && read(up[0], &m, sizeof m) == sizeof m;
	ok(answered && m.waits && p[1025] == 40 && hipEventQuery(after) == hipErrorNotReady,
	   "the other process waits for an event of this one");
	p[0] = 1;
	must(hipEventSynchronize(after));
	ok(p[1025] == 42, "and this one for its event");
	answered = read(up[0], &m, sizeof m) == sizeof m;
	must(hipEventDestroy(own));
	waitpid(child, &status, 0);
	ok(answered && WIFEXITED(status) && !WEXITSTATUS(status) && p[1025] == 42,
	   "a kernel of another process changes it");
	ok(m.silent, "and finds its bytes written");
	ok(m.opened_twice, "memory that is open twice stays at its address until both are closed");
	ok(m.freed == hipErrorInvalidValue && m.closed_again == hipErrorInvalidValue,
	   "which the other process closes once, and cannot free");
	must(hipFree(p));
	return done_testing();
}
