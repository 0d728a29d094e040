/* Kernels that call the host while they run: printf, device memory, functions. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "runtime_test.h"

hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz,
                                            unsigned bx, unsigned by, unsigned bz, unsigned lds,
                                            hipStream_t stream, void **params);

enum { FUNCTION_CALL = 1, PRINTF = 2, DEVICE_MEMORY = 3 };

static hipModule_t module;

static hipFunction_t kernel(const char *name) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, module, name));
	return f;
}

/* ---- printf ---- */

static uint64_t message[256];
static char said[1 << 16];

/* Adds a string, padded to words, at word n; the next word. */
static unsigned text(unsigned n, const char *s) {
	size_t words = strlen(s) / 8 + 1;
	memset(message + n, 0, words * 8);
	memcpy(message + n, s, strlen(s));
	return n + (unsigned)words;
}

/* Launches a kernel of one dimension, and reads what it left in a stream of the process: 1, 2. */
static void launch(const char *name, unsigned groups, unsigned threads, void **params, int stream) {
	FILE *file = tmpfile(), *of = stream == 1 ? stdout : stderr;
	fflush(of);
	int old = dup(stream);
	dup2(fileno(file), stream);
	hipError_t e = hipModuleLaunchKernel(kernel(name), groups, 1, 1, threads, 1, 1, 0, NULL,
	                                     params, NULL);
	(void)mxhipReport(); /* runs it */
	fflush(of);
	dup2(old, stream);
	close(old);
	rewind(file);
	said[fread(said, 1, sizeof said - 1, file)] = 0;
	fclose(file);
	must(e);
	must(hipDeviceSynchronize());
}

/* Each work-item prints n words of the message. */
static uint64_t print(unsigned n, unsigned groups, unsigned threads, int stream) {
	uint64_t first, *result = device_bytes(8ull * 128 * groups);
	uint64_t *words = device_copy(message, sizeof message);
	launch("prints", groups, threads, (void *[]){ &result, &words, &n }, stream);
	must(hipMemcpy(&first, result, 8, hipMemcpyDeviceToHost));
	must(hipFree(result));
	must(hipFree(words));
	return first;
}

static uint64_t bits(double d) {
	uint64_t u;
	memcpy(&u, &d, sizeof u);
	return u;
}

/* Formats with one argument, and what the host's printf makes of it. */
static void test_conversions(void) {
	static const struct {
		const char *format;
		uint64_t word;
		const char *want;
	} rows[] = {
		{ "%d|", 0xffffffff00000005, "5|" },
		{ "%5d|", (uint64_t)-7, "   -7|" },
		{ "%-5u|", 7, "7    |" },
		{ "%+d %% |", 7, "+7 % |" },
		{ "%#06x|", 255, "0x00ff|" },
		{ "%hhd|", 0x1ff, "-1|" },
		{ "%hu|", 0x12345, "9029|" },
		{ "%lld|", (uint64_t)-5000000000, "-5000000000|" },
		{ "%lu|", UINT64_MAX, "18446744073709551615|" },
		{ "%.3x|", 1, "001|" },
		{ "%c|", 'z', "z|" },
		{ "%p|", 0x1234, "0x1234|" },
		{ "%n|", 0, "|" },
		{ "%.2y|", 0, "|" },
		{ "ends with %", 0, "ends with " },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		message[0] = 0;
		unsigned n = text(1, rows[i].format);
		message[n++] = rows[i].word;
		uint64_t length = print(n, 1, 1, 1);
		if (!ok(!strcmp(said, rows[i].want) && length == strlen(rows[i].want),
		        "%s prints %s", rows[i].format, rows[i].want))
			diag("%s, length %llu", said, (unsigned long long)length);
	}
}

static void test_arguments(void) {
	message[0] = 0;
	unsigned n = text(1, "%s and %.3s, %*d, %.*f, %e: %s.\n");
	n = text(n, "eight ch");
	n = text(n, "cut off");
	message[n++] = 4;
	message[n++] = 42;
	message[n++] = 2;
	message[n++] = bits(3.14159);
	message[n++] = bits(-0.5);
	n = text(n, "");
	print(n, 1, 1, 1);
	const char *want = "eight ch and cut,   42, 3.14, -5.000000e-01: .\n";
	if (!ok(!strcmp(said, want), "strings, stars and doubles, in messages of several packets"))
		diag("%s", said);
	message[0] = 1;
	print(n, 1, 1, 2);
	ok(!strcmp(said, want), "a message to standard error");
	message[0] = 2;
	ok(print(n, 1, 1, 1) == (uint64_t)-1 && !*said,
	   "a stream that there is not prints nothing");
	message[0] = 0;
	memset(message + 1, 'x', 16);
	ok(print(3, 1, 1, 1) == (uint64_t)-1 && !*said, "nor does a format without an end");
	print(text(1, "%d %s %f|"), 1, 1, 1);
	ok(!strcmp(said, "0  0.000000|"), "arguments that are missing are 0");
}

static void test_many_waves(void) {
	unsigned lines = 0, n = text(1, "from the device\n");
	message[0] = 0;
	print(n, 40, 96, 1);
	for (const char *c = said; (c = strstr(c, "from the device\n")); c++)
		lines++;
	if (!ok(lines == 40 * 96 && strlen(said) == 16 * 40 * 96,
	        "each work-item of 80 waves prints its line once, on any number of threads"))
		diag("%u lines", lines);
}

static void test_options(void) {
	message[0] = 0;
	unsigned n = text(1, "hello\n");
	with_options(.analysis = MX_ANALYSE_ORDER);
	print(n, 8, 96, 2);
	ok(!strncmp(said, "hello\nhello\n", 12),
	   "under launch options it prints to standard error");
	if (!ok(!mxhipReport()->n_findings, "how waves share packets is no finding"))
		diag("%s", in_words(mxhipReport()->findings));
	ok(mxhipReport()->proof.outcome == MX_NOT_PROVED, "but it prevents a proof");
	with_options(.seed = 3);
	print(n, 1, 1, 2);
	ok(!*said, "and nothing without analyses");
	must(mxhipSetLaunchOptions(NULL));
}

/* ---- the other services ---- */

/* One wave's calls, n lanes with a word 0 and a word 1 each; results in word 0. */
static void call(unsigned service, unsigned n, uint64_t w[][2]) {
	uint64_t given[64][8] = { 0 }, got[64], *result = device_bytes(sizeof got);
	for (unsigned i = 0; i < n; i++)
		memcpy(given[i], w[i], sizeof w[i]);
	void *words = device_copy(given, sizeof given);
	void *params[] = { &result, &words, &service };
	must(hipModuleLaunchKernel(kernel("calls"), 1, 1, 1, n, 1, 1, 0, NULL, params, NULL));
	must(hipDeviceSynchronize());
	must(hipMemcpy(got, result, n * sizeof *got, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < n; i++)
		w[i][0] = got[i];
	must(hipFree(result));
	must(hipFree(words));
}

static void squared(uint64_t *out, const uint64_t *in) {
	out[0] = in[0] * in[0];
}

static void test_functions(void) {
	uint64_t w[64][2];
	unsigned good = 0;
	for (unsigned i = 0; i < 64; i++) {
		w[i][0] = (uint64_t)(uintptr_t)squared;
		w[i][1] = i;
	}
	call(FUNCTION_CALL, 64, w);
	for (unsigned i = 0; i < 64; i++)
		good += w[i][0] == i * i;
	ok(good == 64, "each lane calls a function of the host");
	call(77, 64, w);
	ok(!w[0][0] && !w[63][0], "a service that there is not gives 0");
}

static bool is_usable(uint64_t w[][2], unsigned n) {
	uint64_t at[64], got;
	bool good = true;
	for (unsigned i = 0; i < n; i++)
		at[i] = w[i][0];
	void *list = device_copy(at, n * sizeof *at);
	must(hipModuleLaunchKernel(kernel("stores"), 1, 1, 1, n, 1, 1, 0, NULL, (void *[]){ &list },
	                           NULL));
	must(hipDeviceSynchronize());
	for (unsigned i = 0; i < n; i++) {
		must(hipMemcpy(&got, (void *)at[i], sizeof got, hipMemcpyDeviceToHost));
		good &= got == 7 * i;
	}
	must(hipFree(list));
	return good;
}

static void test_memory(void) {
	uint64_t w[64][2] = { { 0, 5000 }, { 0, 2 << 20 }, { 0, 1 }, { 0, 2 << 20 } };
	call(DEVICE_MEMORY, 4, w);
	ok(w[0][0] && w[1][0] && w[2][0] && w[3][0], "the host gives memory to lanes");
	ok(w[1][0] % (2 << 20) == 0 && w[3][0] % (2 << 20) == 0, "2 MiB at a multiple of 2 MiB");
	ok(is_usable(w, 4), "later kernels and the host use it");
	uint64_t first = w[0][0], again[2][2] = { { w[0][0], 0 }, { w[2][0] + 4096 * 7, 0 } };
	call(DEVICE_MEMORY, 2, again);
	uint64_t same[1][2] = { { 0, 5000 } };
	call(DEVICE_MEMORY, 1, same);
	ok(same[0][0] == first, "memory that is given back is given again");
	uint64_t large[2][2] = { { 0, 1ull << 40 }, { 0, 0 } };
	call(DEVICE_MEMORY, 2, large);
	ok(!large[0][0] && !large[1][0], "too much of it, and nothing, is 0");
}

static void test_heap_limit(void) {
	size_t bytes = 0;
	uint64_t w[64][2] = { { 0, 12 << 20 }, { 0, 12 << 20 } };
	ok(hipDeviceGetLimit(&bytes, hipLimitMallocHeapSize) == hipSuccess && bytes == 64 << 20,
	   "the heap has 64 MiB");
	ok(hipDeviceSetLimit(hipLimitMallocHeapSize, 0) == hipErrorInvalidValue &&
	           hipDeviceSetLimit(hipLimitMallocHeapSize, 16 << 20) == hipSuccess &&
	           hipDeviceGetLimit(&bytes, hipLimitMallocHeapSize) == hipSuccess &&
	           bytes == 16 << 20,
	   "or another size");
	call(DEVICE_MEMORY, 2, w);
	ok(w[0][0] && !w[1][0], "of which kernels get no more");
	ok(hipDeviceSetLimit(hipLimitMallocHeapSize, 64 << 20) == hipErrorInvalidValue,
	   "it stays when a kernel has needed it");
	w[1][0] = w[0][0];
	call(DEVICE_MEMORY, 1, w + 1);
}

/* ---- assertions ---- */

static hipError_t fail(uint64_t stream, const char *words_of_it) {
	hipError_t e;
	message[0] = 1 | 2 | 5 << 5;
	message[1] = stream;
	memset(message + 2, 0, 48);
	memcpy(message + 2, words_of_it, strlen(words_of_it));
	uint64_t *words = device_copy(message, 64);
	FILE *file = tmpfile();
	int old = dup(2);
	dup2(fileno(file), 2);
	must(hipModuleLaunchKernel(kernel("asserts"), 1, 1, 1, 1, 1, 1, 0, NULL,
	                           (void *[]){ &words }, NULL));
	e = hipDeviceSynchronize();
	dup2(old, 2);
	close(old);
	fclose(file);
	must(hipFree(words));
	return e;
}

static void test_assertions(void) {
	ok(fail(1, "Device-side assertion failed.") == hipErrorAssert,
	   "a failed assertion has an error of its own");
	ok(fail(1, "another message") == hipErrorLaunchFailure, "a trap after another message");
}

/* ---- cooperative launches ---- */

enum { GROUPS = 8 };

/* A node that is cooperative stays so when it gets other arguments. */
static void run_cooperative_node(void **params) {
	hipKernelNodeParams k = { .blockDim = { 64, 1, 1 },
		                  .gridDim = { GROUPS, 1, 1 },
		                  .func = kernel("across"),
		                  .kernelParams = params };
	hipKernelNodeAttrValue yes = { .cooperative = 1 };
	hipGraph_t g;
	hipGraphNode_t node;
	hipGraphExec_t exec;
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddKernelNode(&node, g, NULL, 0, &k));
	must(hipGraphKernelNodeSetAttribute(node, hipKernelNodeAttributeCooperative, &yes));
	must(hipGraphKernelNodeSetParams(node, &k));
	must(hipGraphInstantiate(&exec, g, NULL, NULL, 0));
	must(hipGraphLaunch(exec, NULL));
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
}

static void test_grid(void) {
	uint32_t n = GROUPS, sum[GROUPS] = { 0 }, good = 0;
	uint32_t *out = device_copy(sum, sizeof sum), *each = device_copy(sum, sizeof sum);
	void *params[] = { &out, &each, &n };
	must(hipModuleLaunchKernel(kernel("across"), n, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
	must(hipMemcpy(sum, out, sizeof sum, hipMemcpyDeviceToHost));
	ok(!sum[0], "a launch that is not cooperative has no barrier of the grid");
	must(hipModuleLaunchCooperativeKernel(kernel("across"), n, 1, 1, 64, 1, 1, 0, NULL,
	                                      params));
	must(hipMemcpy(sum, out, sizeof sum, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < GROUPS; i++)
		good += sum[i] == GROUPS * (GROUPS + 1) / 2;
	if (!ok(good == GROUPS, "after it each workgroup reads what all have written"))
		diag("%u of %u", sum[0], GROUPS * (GROUPS + 1) / 2);
	must(hipMemset(out, 0, sizeof sum));
	run_cooperative_node(params);
	must(hipMemcpy(sum, out, sizeof sum, hipMemcpyDeviceToHost));
	ok(sum[GROUPS - 1] == GROUPS * (GROUPS + 1) / 2, "a node of a graph is cooperative, too");
	must(hipFree(out));
	must(hipFree(each));
}

int main(void) {
	size_t size;
	void *file = read_whole(built("tests/hip/hostcall.gpu.co"), &size);
	must(hipModuleLoadData(&module, file));
	test_conversions();
	test_arguments();
	test_many_waves();
	test_options();
	test_heap_limit();
	test_functions();
	test_memory();
	test_assertions();
	test_grid();
	must(hipModuleUnload(module));
	free(file);
	done_testing();
}
