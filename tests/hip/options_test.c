/* Launch options: versions, refused values, and that a call replaces all earlier options. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "runtime_test.h"

enum { SEEDS = 16 };

static hipModule_t module;
static void *out;

/* A caller that was compiled with members that this version lacks. */
struct newer {
	struct mxhipLaunchOptions known;
	uint64_t unknown[2];
};

static struct newer options(size_t size) {
	return (struct newer){ .known.size = size };
}

static hipError_t set(const struct newer *n) {
	return (hipError_t)mxhipSetLaunchOptions(&n->known);
}

/* The outcome of a launch of four waves, and the wave that stores last. */
static hipError_t launch(uint32_t *wave) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, module, "last_wave"));
	must(hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, NULL, (void *[]){ &out }, NULL));
	hipError_t e = hipDeviceSynchronize();
	must(hipMemcpy(wave, out, 4, hipMemcpyDeviceToHost));
	return e;
}

/* The last waves under some seeds, four bits for each. */
static uint64_t last_waves(size_t size) {
	struct newer n = options(size);
	uint64_t all = 0;
	uint32_t wave;
	for (n.known.seed = 1; n.known.seed <= SEEDS; n.known.seed++) {
		must(set(&n));
		must(launch(&wave));
		all = all << 4 | wave;
	}
	return all;
}

static void test_older(void) {
	enum { OLD = offsetof(struct mxhipLaunchOptions, instruction_limit) };
	uint64_t whole = last_waves(sizeof(struct mxhipLaunchOptions));
	struct newer n = options(OLD);
	uint32_t wave;
	ok(last_waves(OLD) == whole && whole != last_waves(sizeof n.known.size),
	   "a struct that ends after the seed sets the seed");
	with_options(.instruction_limit = 1);
	bool stuck = launch(&wave) == hipErrorLaunchTimeOut;
	n.known.instruction_limit = 1;
	n.known.profile = "no such profile";
	ok(stuck && set(&n) == hipSuccess && launch(&wave) == hipSuccess,
	   "members that it lacks are not read, and get their defaults");
}

static void test_newer(void) {
	struct newer n = options(sizeof n);
	uint32_t wave;
	n.known.instruction_limit = 1;
	ok(set(&n) == hipSuccess && launch(&wave) == hipErrorLaunchTimeOut,
	   "a longer struct with zeros in its tail is accepted");
	n.known.instruction_limit = 0;
	n.unknown[1] = 1;
	ok(set(&n) == hipErrorInvalidValue && strstr(mxhipErrorDetail(), "lacks"),
	   "anything else in its tail is refused");
	ok(launch(&wave) == hipErrorLaunchTimeOut, "and the earlier options stay");
	must(mxhipSetLaunchOptions(NULL));
	ok(launch(&wave) == hipSuccess, "without options a launch has the defaults");
}

static void refused(const struct newer *n, const char *what) {
	ok(set(n) == hipErrorInvalidValue && mxhipErrorDetail()[0] &&
	           hipGetLastError() == hipErrorInvalidValue,
	   "%s: refused, with a reason", what);
}

static void test_refused(void) {
	struct newer n = options(0);
	refused(&n, "a size of 0");
	n = options(sizeof n.known);
	n.known.scratch_apart = 2;
	refused(&n, "a switch that is neither 0 nor 1");
	n = options(sizeof n.known.size / 2);
	refused(&n, "a size that is less than its own");
	n = options(sizeof n.known - 4);
	refused(&n, "a size that ends within a version");
	n = options(sizeof n.known);
	n.known.analysis = 1u << 31;
	refused(&n, "an unknown analysis");
	n = options(sizeof n.known);
	n.known.profile = "fuse";
	refused(&n, "an unknown profile");
	n = options(sizeof n.known);
	n.known.workgroups = (const uint64_t[]){ 3, 3 };
	n.known.n_workgroups = 2;
	refused(&n, "a list with a workgroup twice");
	n.known.workgroups = NULL;
	refused(&n, "workgroups without a list");
	n = options(sizeof n.known);
	n.known.own_memory = 2;
	refused(&n, "own_memory of 2");
	n = options(sizeof n.known);
	n.known.repeats = 2;
	refused(&n, "repeats of 2");
	n = options(sizeof n.known);
	n.known.time_limit = -1;
	refused(&n, "a time limit below 0");
	n = options(sizeof n.known);
	n.known.arithmetic = &(const mx_profile){ .parts = 1 };
	refused(&n, "an arithmetic without a name");
	n.known.arithmetic = &(const mx_profile){ .name = "x", .parts = 3 };
	refused(&n, "an arithmetic that contradicts itself");
	const mx_profile *const lists[] = { &(const mx_profile){ .name = "x", .parts = 1 },
		                            &(const mx_profile){
						    .name = "v_mfma_f32_16x16x32_f16" } };
	n = options(sizeof n.known);
	n.known.n_arithmetics = 1;
	refused(&n, "arithmetics without a list");
	n.known.arithmetics = lists;
	refused(&n, "the arithmetic of no instruction");
	n.known.arithmetics = lists + 1;
	refused(&n, "that of an instruction, which contradicts itself");
}

/* Each workgroup of a grid of 3 x 2 stores a record with its hidden arguments. */
enum { RECORD = 32, RECORDS = 6 };

static hipError_t launch_records(void *records) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, module, "hidden"));
	hipError_t e =
		hipModuleLaunchKernel(f, 3, 2, 1, 64, 1, 1, 0, NULL, (void *[]){ &records }, NULL);
	return e == hipSuccess ? hipDeviceSynchronize() : e;
}

/* A bit for each workgroup that has stored all of its record. */
static unsigned stored(const void *records) {
	uint8_t state[RECORD * RECORDS];
	unsigned all = 0;
	mxhipStates(records, sizeof state, state);
	for (unsigned i = 0; i < RECORDS; i++)
		all |= (unsigned)(state[RECORD * i] & state[RECORD * i + RECORD - 1]) << i;
	return all;
}

static void test_some_workgroups(void) {
	const uint64_t some[] = { 1, 5 }, absent[] = { 1, 6 };
	uint32_t first[2][RECORD / 4];
	void *records = device_bytes(RECORD * RECORDS);
	with_options(.workgroups = some, .n_workgroups = 2, .analysis = MX_ANALYSE_ORDER);
	must(launch_records(records));
	ok(stored(records) == 0x22, "only the workgroups of the list run");
	ok(mxhipReport()->proof.doubt == MX_DOUBT_SOME_WORKGROUPS,
	   "  and nothing is proved of the others");
	must(hipMemcpy(first[0], (char *)records + RECORD, RECORD, hipMemcpyDeviceToHost));
	with_options(.workgroups = absent, .n_workgroups = 2);
	ok(launch_records(records) == hipErrorInvalidValue && mxhipErrorDetail()[0],
	   "a workgroup that the grid lacks is an error");
	must(mxhipSetLaunchOptions(NULL));
	must(launch_records(records));
	must(hipMemcpy(first[1], (char *)records + RECORD, RECORD, hipMemcpyDeviceToHost));
	ok(stored(records) == 0x3f && !memcmp(first[0], first[1], RECORD) && first[0][0] == 3 &&
	           first[0][1] == 2,
	   "a workgroup of a list has the sizes of the whole grid");
	must(hipFree(records));
}

static void test_report(void) {
	struct mx_report own = { .kernel = NULL };
	uint32_t wave;
	must(mxhipSetLaunchOptions(NULL));
	must(launch(&wave));
	uint64_t all = mxhipReport()->stats.instructions;
	with_options(.report = &own, .instruction_limit = 1);
	ok(launch(&wave) == hipErrorLaunchTimeOut && own.stopped && !mxhipReport()->stopped &&
	           mxhipReport()->stats.instructions == all,
	   "results go to the option `report`, and mxhipReport keeps those of before");
	with_options(.report = &own);
	ok(launch(&wave) == hipSuccess && !own.stopped && own.stats.instructions == all,
	   "each launch replaces them");
	must(mxhipSetLaunchOptions(NULL));
	free(own.kernel);
	free(own.findings);
	free(own.stats.by_op);
}

/* The last wave under an explicit schedule, as launch number n. */
static uint32_t under(const struct mx_schedule *s, uint32_t n) {
	uint32_t wave;
	with_options(.schedule = s, .launch = n);
	must(launch(&wave));
	return wave;
}

static void test_launch_number(void) {
	struct mx_deviation third = { .launch = 2, .kind = MX_TURN, .value = 3 };
	const struct mx_schedule s = { .odd = UINT64_MAX, .deviations = &third, .n = 1 };
	struct mx_schedule recorded = { .n = 0 };
	uint32_t wave;
	ok(under(&s, 0) == 3 && under(&s, 2) == 2,
	   "a decision of an explicit schedule is for the launch with its number");
	with_options(.seed = 3, .record = &recorded, .launch = 2);
	must(launch(&wave));
	bool all = recorded.n > 0;
	for (size_t i = 0; i < recorded.n; i++)
		all &= recorded.deviations[i].launch == 2;
	ok(all, "a recorded schedule has the number of its launch");
	must(mxhipSetLaunchOptions(NULL));
	free(recorded.deviations);
}

static void *allocate_here(void *records) {
	must(hipMalloc(records, RECORD * RECORDS));
	return NULL;
}

static void test_own_memory(void) {
	void *records, *own;
	pthread_t thread;
	must((hipError_t)pthread_create(&thread, NULL, allocate_here, &records));
	pthread_join(thread, NULL);
	allocate_here(&own);
	with_options(.own_memory = 1);
	bool is_own = launch_records(own) == hipSuccess && stored(own) == 0x3f;
	bool is_absent = launch_records(records) != hipSuccess && !stored(records);
	with_options();
	ok(is_own && is_absent && launch_records(records) == hipSuccess,
	   "memory of another thread is absent with own_memory, and there without");
	must(hipFree(records));
	must(hipFree(own));
}

int main(void) {
	must(hipModuleLoad(&module, built("tests/hip/probe.gpu.co")));
	out = device_bytes(4);
	test_older();
	test_newer();
	test_refused();
	test_some_workgroups();
	test_report();
	test_launch_number();
	test_own_memory();
	must(hipFree(out));
	must(hipModuleUnload(module));
	return done_testing();
}
