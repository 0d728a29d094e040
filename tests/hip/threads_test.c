/* Threads that take turns on two devices: each makes memory, streams and events, and destroys them
 * in another order in each round, while the others work. exec.t runs it with launches that are
 * repeated. */
#include "runtime_test.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 24, WORDS = 64, AHEAD = 1 << 16 };

static hipModule_t modules[2];

struct round {
	uint32_t *in, *out, *device, *pooled;
	hipStream_t stream, other;
	hipEvent_t event;
};

static hipFunction_t copy_on(unsigned device) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, modules[device], "copy"));
	return f;
}

static void launch(hipFunction_t f, uint32_t *to, uint32_t *from, hipStream_t s) {
	must(hipModuleLaunchKernel(f, 1, 1, 1, WORDS, 1, 1, 0, s, (void *[]){ &to, &from }, NULL));
}

static void begin(struct round *r, unsigned id) {
	must(hipHostMalloc((void **)&r->in, AHEAD, 0));
	must(hipHostMalloc((void **)&r->out, 4 * WORDS, 0));
	must(hipMalloc((void **)&r->device, 4 * WORDS));
	must(hipStreamCreateWithFlags(&r->stream, id % 2 ? hipStreamNonBlocking : 0));
	must(hipStreamCreate(&r->other));
	must(hipEventCreate(&r->event));
	must(hipMallocAsync((void **)&r->pooled, 4 * WORDS, r->other));
}

/* What the host writes must not be lost while other threads' launches run and are repeated. */
static bool work(struct round *r, unsigned id, unsigned i) {
	hipFunction_t f = copy_on((id + i) % 2);
	bool good = true;
	for (uint32_t k = 0; k < AHEAD / 4; k++)
		r->in[k] = id + 100 * i + k;
	launch(f, r->device, r->in, r->stream);
	must(hipEventRecord(r->event, r->stream));
	must(hipStreamWaitEvent(r->other, r->event, 0));
	launch(f, r->pooled, r->device, r->other);
	must(hipMemcpyAsync(r->out, r->pooled, 4 * WORDS, hipMemcpyDeviceToHost, r->other));
	must(i % 2 ? hipStreamSynchronize(r->other) : hipDeviceSynchronize());
	for (uint32_t k = 0; k < AHEAD / 4; k++)
		good &= r->in[k] == id + 100 * i + k && (k >= WORDS || r->out[k] == r->in[k]);
	return good;
}

static void end_part(struct round *r, unsigned part) {
	switch (part) {
	case 0: must(hipStreamDestroy(r->stream)); break;
	case 1: must(hipEventDestroy(r->event)); break;
	case 2: must(hipHostFree(r->in)); break;
	case 3: must(hipFree(r->device)); break;
	case 4: must(hipFree(r->pooled)); break;
	case 5: must(hipStreamDestroy(r->other)); break;
	default: must(hipHostFree(r->out));
	}
}

static void *thread(void *argument) {
	unsigned id = (unsigned)(uintptr_t)argument;
	uintptr_t good = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct round r;
		must(hipSetDevice((int)((id + i) % 2)));
		begin(&r, id);
		good += work(&r, id, i);
		for (unsigned k = 0; k < 7; k++)
			end_part(&r, (k * (1 + i % 6) + id) % 7);
	}
	return (void *)good;
}

int main(void) {
	pthread_t threads[THREADS];
	uintptr_t good = 0;
	setenv("MXHIP_DEVICES", "2", 1);
	for (int i = 0; i < 2; i++) {
		must(hipSetDevice(i));
		must(hipModuleLoad(&modules[i], built("tests/hip/probe.gpu.co")));
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread, (void *)i))
			exit(1);
	for (unsigned i = 0; i < THREADS; i++) {
		void *n;
		pthread_join(threads[i], &n);
		good += (uintptr_t)n;
	}
	ok(good == THREADS * ROUNDS,
	   "%d threads get their results, in whatever order they end: %zu of %d", THREADS,
	   (size_t)good, THREADS * ROUNDS);
	return done_testing();
}
