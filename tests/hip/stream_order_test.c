/* What orders work of two streams, and what does not, by the documents of HIP and, where they
 * follow it, of CUDA: racy programs beside programs that order the same work. */
#include "races_test.h"

/* Declared since HIP 6. */
hipError_t hipMemcpyBatchAsync(void **to, void **from, size_t *bytes, size_t n, void *attributes,
                               size_t *indices, size_t n_attributes, size_t *failed,
                               hipStream_t stream);
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags);
hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute what, hipDeviceptr_t p);
hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t nx, uint32_t ny, uint32_t nz,
                                    uint32_t bx, uint32_t by, uint32_t bz, size_t lds,
                                    hipStream_t stream, void **params, void **extra,
                                    hipEvent_t start, hipEvent_t stop, uint32_t flags);
enum { EXTERNAL = 1, ANY_ORDER = 1 };

static hipGraph_t graph;

static void nothing(void *unused) {
	(void)unused;
}

/* ---- graphs ---- */

static hipGraphNode_t node_set(hipGraph_t g, uint32_t *at, const hipGraphNode_t *on, size_t n) {
	hipGraphNode_t node;
	hipMemsetParams params = {
		.dst = at, .value = 1, .elementSize = 4, .width = 64, .height = 1
	};
	must(hipGraphAddMemsetNode(&node, g, on, n, &params));
	return node;
}

/* A node that is a graph, which sets memory. */
static hipGraphNode_t node_child(uint32_t *at, const hipGraphNode_t *on, size_t n) {
	hipGraph_t child;
	hipGraphNode_t node;
	must(hipGraphCreate(&child, 0));
	node_set(child, at, NULL, 0);
	must(hipGraphAddChildGraphNode(&node, graph, on, n, child));
	must(hipGraphDestroy(child));
	return node;
}

static void begin_graph(void) {
	must(hipGraphCreate(&graph, 0));
}

static hipGraphExec_t executable(void) {
	hipGraphExec_t x;
	must(hipGraphInstantiate(&x, graph, NULL, NULL, 0));
	must(hipGraphDestroy(graph));
	return x;
}

static void launch_graph(hipStream_t stream) {
	must(hipGraphLaunch(executable(), stream));
}

static void child_and_node(void) {
	begin_graph();
	node_child(p, NULL, 0);
	node_set(graph, p, NULL, 0);
	launch_graph(s);
}

static void child_before_node(void) {
	begin_graph();
	hipGraphNode_t first = node_child(p, NULL, 0);
	node_set(graph, p, &first, 1);
	launch_graph(s);
}

static void two_children(void) {
	begin_graph();
	hipGraphNode_t first = node_set(graph, q, NULL, 0);
	node_child(p, &first, 1);
	node_child(p, &first, 1);
	launch_graph(s);
}

static void children_in_order(void) {
	begin_graph();
	hipGraphNode_t first = node_child(p, NULL, 0);
	first = node_child(p, &first, 1);
	first = node_child(p, &first, 1);
	node_set(graph, p, &first, 1);
	launch_graph(s);
	after(t, s);
	set(p, 64, t);
}

/* A graph that waits for an event before it does something else. */
static void wait_and_set(bool ordered) {
	hipGraphNode_t wait;
	add(p, s);
	must(hipEventRecord(e, s));
	begin_graph();
	must(hipGraphAddEventWaitNode(&wait, graph, NULL, 0, e));
	node_set(graph, p, &wait, ordered);
	launch_graph(t);
}

static void beside_wait(void) {
	wait_and_set(false);
}

static void behind_wait(void) {
	wait_and_set(true);
}

static void set_and_record(bool ordered) {
	hipGraphNode_t node, record;
	begin_graph();
	node = node_set(graph, p, NULL, 0);
	must(hipGraphAddEventRecordNode(&record, graph, &node, ordered, e));
	launch_graph(s);
	must(hipStreamWaitEvent(t, e, 0));
	add(p, t);
}

static void beside_record(void) {
	set_and_record(false);
}

static void before_record(void) {
	set_and_record(true);
}

static void set_and_call(bool ordered) {
	hipGraphNode_t node, call;
	hipHostNodeParams params = { nothing, NULL };
	begin_graph();
	node = node_set(graph, p, NULL, 0);
	must(hipGraphAddHostNode(&call, graph, &node, ordered, &params));
	launch_graph(apart);
	add(p, s);
}

static void beside_host_node(void) {
	set_and_call(false);
}

static void before_host_node(void) {
	set_and_call(true);
}

/* HIP does not say that launches of one graph are in order, and AMD's runtime lets them overlap
 * [ROCm/clr, GraphExec::Run]. */
static void launched_twice(hipStream_t second) {
	begin_graph();
	node_set(graph, p, NULL, 0);
	hipGraphExec_t x = executable();
	must(hipGraphLaunch(x, s));
	must(hipGraphLaunch(x, second));
}

static void launched_in_two_streams(void) {
	launched_twice(t);
}

static void launched_again(void) {
	launched_twice(s);
}

/* The first launch has set p, the second one sets q. */
static void updated(uint32_t *at) {
	hipMemsetParams params = {
		.dst = q, .value = 1, .elementSize = 4, .width = 64, .height = 1
	};
	begin_graph();
	hipGraphNode_t node = node_set(graph, p, NULL, 0);
	hipGraphExec_t x;
	must(hipGraphInstantiate(&x, graph, NULL, NULL, 0));
	must(hipGraphLaunch(x, s));
	after(t, s);
	must(hipGraphExecMemsetNodeSetParams(x, node, &params));
	must(hipGraphLaunch(x, s));
	add(at, t);
}

static void updated_too_late(void) {
	updated(q);
}

static void updated_after_launch(void) {
	updated(p);
}

/* ---- captures ---- */

static void end_capture(hipStream_t stream) {
	must(hipStreamEndCapture(stream, &graph));
}

static void captured_record(unsigned flags) {
	must(hipEventRecord(e, apart));
	must(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
	add(p, s);
	must(hipEventRecordWithFlags(e, s, flags));
	end_capture(s);
	launch_graph(s);
	must(hipStreamWaitEvent(t, e, 0));
	add(p, t);
}

static void external_record(void) {
	captured_record(EXTERNAL);
}

static void external_wait(void) {
	add(p, t);
	must(hipEventRecord(e, t));
	must(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
	must(hipStreamWaitEvent(s, e, EXTERNAL));
	add(p, s);
	end_capture(s);
	launch_graph(s);
}

/* ---- streams and events ---- */

static void recorded_later(void) {
	must(hipEventRecord(e, s));
	must(hipStreamWaitEvent(t, e, 0));
	add(p, s);
	must(hipEventRecord(e, s));
	add(p, t);
}

static void recorded_elsewhere_later(void) {
	add(p, s);
	after(t, s);
	must(hipEventRecord(e, apart));
	add(p, t);
}

static void never_recorded(void) {
	add(p, s);
	must(hipStreamWaitEvent(t, e, 0));
	add(p, t);
}

static void queried(bool until) {
	add(p, s);
	must(hipEventRecord(e, s));
	while (hipEventQuery(e) == hipErrorNotReady && until)
		;
	add(p, t);
}

static void queried_once(void) {
	queried(false);
}

static void queried_until_over(void) {
	queried(true);
}

static hipStream_t destroyed(unsigned flags, bool synchronised) {
	hipStream_t u;
	must(hipStreamCreateWithFlags(&u, flags));
	add(p, u);
	if (synchronised)
		must(hipStreamSynchronize(u));
	must(hipStreamDestroy(u));
	return u;
}

static void used_after_destroy(void) {
	destroyed(hipStreamNonBlocking, false);
	add(p, s);
}

static void legacy_after_destroy(void) {
	destroyed(hipStreamNonBlocking, false);
	add(p, NULL);
}

static void other_after_destroy(void) {
	destroyed(hipStreamDefault, false);
	add(p, s);
}

static void waited_before_destroy(void) {
	destroyed(hipStreamNonBlocking, true);
	add(p, NULL);
	destroyed(hipStreamDefault, false);
	add(p, NULL);
	destroyed(hipStreamDefault, false);
	must(hipDeviceSynchronize());
	add(p, s);
}

/* More streams than a clock once had places for. */
static void many_streams(void) {
	hipStream_t u;
	add(p, s);
	for (unsigned i = 0; i < 109; i++)
		must(hipStreamCreate(&u));
	for (unsigned i = 0; i < 3; i++) {
		must(hipStreamCreate(&u));
		add(q + i, u);
	}
	add(p, u);
}

static void per_thread(void) {
	add(p, hipStreamPerThread);
	add(p, s);
}

static void per_thread_and_legacy(void) {
	add(p, hipStreamPerThread);
	add(p, NULL);
	add(p, hipStreamPerThread);
}

static void any_order(unsigned flags) {
	hipFunction_t f;
	uint32_t n = 1;
	void *params[] = { &p, &n };
	copy(q, p, s);
	must(hipModuleGetFunction(&f, module, "add"));
	must(hipExtModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params, NULL, NULL, NULL, flags));
	add(p, s);
	copy(q, p, s);
}

static void launched_in_any_order(void) {
	any_order(ANY_ORDER);
}

static void launched_in_order(void) {
	any_order(0);
}

/* ---- the host ---- */

static void slept(void) {
	add(p, apart);
	usleep(200000);
	add(p, s);
}

/* The host learns by a flag in its memory that a stream is at its end. */
static void polled(bool by_query) {
	uint32_t *flag;
	must(hipHostMalloc((void **)&flag, 4, 0));
	*flag = 0;
	add(p, apart);
	set(flag, 1, apart);
	while (!*(volatile uint32_t *)flag)
		if (by_query)
			(void)hipStreamQuery(apart);
	add(p, s);
}

static void polled_in_silence(void) {
	polled(false);
}

static void polled_with_queries(void) {
	polled(true);
}

/* hipMemset and copies within a device do not wait for their end [CUDA, API synchronization
 * behavior; hip-tests, hipMemsetSync.cc]. */
static void memset_of_device(void) {
	must(hipMemset(p, 0, 4));
	add(p, apart);
}

static void memset_of_host(void) {
	uint32_t *host;
	must(hipHostMalloc((void **)&host, 4, 0));
	must(hipMemset(host, 0, 4));
	add(host, apart);
}

static void copy_within_device(void) {
	must(hipMemcpy(p, q, 4, hipMemcpyDeviceToDevice));
	add(p, apart);
}

static void synchronous_copy(void) {
	int on = 1;
	must(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
	must(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, q));
	copy_within_device();
}

static void pinned(hipMemcpyKind kind) {
	uint32_t *host;
	must(hipHostMalloc((void **)&host, 8, 0));
	must(hipMemcpyAsync(host, kind == hipMemcpyHostToHost ? host + 1 : p, 4, kind, apart));
	add(host, s);
}

static void copy_to_pinned(void) {
	pinned(hipMemcpyDeviceToHost);
}

static void copy_within_host(void) {
	pinned(hipMemcpyHostToHost);
}

static void copy_to_host(void) {
	uint32_t value;
	add(p, NULL);
	must(hipMemcpy(&value, p, 4, hipMemcpyDeviceToHost));
	add(p, apart);
}

/* Runs all work, and promises nothing. */
static void unregister(void) {
	static uint32_t mine[1024];
	must(hipHostRegister(mine, sizeof mine, 0));
	must(hipHostUnregister(mine));
}

static void unregistered(void) {
	add(p, apart);
	unregister();
	add(p, s);
}

static void freed(void) {
	void *more = device_bytes(64);
	add(p, apart);
	must(hipFree(more));
	add(p, s);
	void *host;
	must(hipHostMalloc(&host, 64, 0));
	must(hipHostFree(host));
	add(p, apart);
}

/* ---- memory ---- */

static void allocated(bool ordered) {
	uint32_t *more;
	must(hipMallocAsync((void **)&more, 256, s));
	if (ordered)
		after(t, s);
	set(more, 64, t);
}

static void used_before_allocated(void) {
	allocated(false);
}

static void used_after_allocated(void) {
	allocated(true);
}

/* Copies of a batch have no order among them [CUDA, cudaMemcpyBatchAsync]. */
static void batch(uint32_t *second) {
	void *to[] = { p, second }, *from[] = { q, q + 8 };
	size_t bytes[] = { 16, 16 }, failed;
	hipMemcpyKind unused = 0;
	set(q, 64, s);
	must(hipMemcpyBatchAsync(to, from, bytes, 2, &unused, &failed, 1, &failed, s));
	set(p, 64, s);
}

static void batch_of_one_place(void) {
	batch(p + 3);
}

static void batch_of_two_places(void) {
	batch(p + 4);
}

static void rows(unsigned column) {
	must(hipMemcpy2DAsync(p, 16, q, 16, 8, 4, hipMemcpyDeviceToDevice, s));
	must(hipMemset2DAsync((char *)p + column, 16, 1, 8, 4, t));
}

static void rows_that_meet(void) {
	rows(4);
}

static void rows_beside_others(void) {
	rows(8);
}

/* Two ranges of addresses with the same memory. */
static void map_twice(uint32_t *at[2]) {
	enum { BYTES = 4096 };
	const hipMemAllocationProp prop = { .type = hipMemAllocationTypePinned,
		                            .location = { .type = hipMemLocationTypeDevice } };
	const hipMemAccessDesc access = { { .type = hipMemLocationTypeDevice },
		                          hipMemAccessFlagsProtReadWrite };
	hipMemGenericAllocationHandle_t memory;
	must(hipMemCreate(&memory, BYTES, &prop, 0));
	for (unsigned i = 0; i < 2; i++) {
		must(hipMemAddressReserve((void **)&at[i], BYTES, 0, NULL, 0));
		must(hipMemMap(at[i], BYTES, 0, memory, 0));
		must(hipMemSetAccess(at[i], BYTES, &access, 1));
		must(hipMemset(at[i], 0, BYTES));
	}
	must(hipDeviceSynchronize());
}

static void mapped_twice(unsigned dwords) {
	uint32_t *at[2];
	map_twice(at);
	set(at[0], 1, s);
	set(at[1] + dwords, 1, t);
}

/* Each of 256 lanes copies a dword by another address than that at which it is written. */
static void shift(unsigned dwords) {
	uint32_t *at[2];
	map_twice(at);
	launch("shift", 256, (void *[]){ &at[0], &(uint32_t *){ at[1] + dwords } }, s);
}

static void shift_same(void) {
	shift(0);
}

static void shift_other(void) {
	shift(256);
}

/* A value that is written by one address, for which a stream waits by the other. */
static void value_with_two_addresses(void) {
	uint32_t *at[2];
	map_twice(at);
	add(p, s);
	must(hipStreamWriteValue32(s, at[0], 1, 0));
	must(hipStreamWaitValue32(t, at[1], 1, hipStreamWaitValueEq, ~0u));
	add(p, t);
}

static void same_memory(void) {
	mapped_twice(0);
}

static void other_memory(void) {
	mapped_twice(1);
}

static void variable(bool ordered) {
	hipDeviceptr_t at;
	size_t bytes;
	must(hipModuleGetGlobal(&at, &bytes, module, "counter"));
	launch("sum", 64, (void *[]){ &q }, s);
	if (ordered)
		after(t, s);
	must(hipMemcpyDtoDAsync(at, (hipDeviceptr_t)p, 4, t));
}

static void variable_without_order(void) {
	variable(false);
}

static void variable_with_order(void) {
	variable(true);
}

/* ---- values and atomics ---- */

/* A stream writes 1, adds, and writes 2, which has run, or has not, when another one waits. */
static void counted(uint32_t until) {
	must(hipStreamWriteValue32(s, q, 1, 0));
	add(p, s);
	must(hipStreamWriteValue32(s, q, 2, 0));
	set(q + 64, 1, apart);
	must(hipStreamSynchronize(apart));
	must(hipStreamWaitValue32(t, q, until, hipStreamWaitValueGte, ~0u));
	add(p, t);
}

static void waited_for_first_value(void) {
	counted(1);
}

static void waited_for_last_value(void) {
	counted(2);
}

/* A flag that goes to and fro. */
static void turns(void) {
	for (unsigned i = 0; i < 3; i++) {
		add(p, s);
		must(hipStreamWriteValue32(s, q, 1, 0));
		must(hipStreamWaitValue32(t, q, 1, hipStreamWaitValueEq, ~0u));
		add(p, t);
		must(hipStreamWriteValue32(t, q, 0, 0));
		must(hipStreamWaitValue32(s, q, 0, hipStreamWaitValueEq, ~0u));
	}
}

/* Either stream may have written what the third one waits for. */
static void two_writers(void) {
	add(p, s);
	must(hipStreamWriteValue32(s, q, 1, 0));
	must(hipStreamWriteValue32(apart, q, 1, 0));
	unregister();
	must(hipStreamWaitValue32(t, q, 1, hipStreamWaitValueEq, ~0u));
	add(p, t);
}

/* The host's wait for other work says nothing to a stream that waits for a value. */
static void host_waits_meanwhile(void) {
	must(hipStreamWaitValue32(t, q, 1, hipStreamWaitValueEq, ~0u));
	add(p, t);
	add(p, apart);
	must(hipStreamWriteValue32(s, q, 1, 0));
	must(hipStreamSynchronize(apart));
}

/* The host waits for a stream before it writes a flag, or after it. */
static void flag_of_host(bool before) {
	uint32_t *flag;
	must(hipHostMalloc((void **)&flag, 4, 0));
	*flag = 0;
	must(hipStreamWaitValue32(t, flag, 1, hipStreamWaitValueEq, ~0u));
	add(p, t);
	add(p, apart);
	*flag = !before;
	must(hipStreamSynchronize(apart));
	*flag = 1;
}

static void waited_before_flag(void) {
	flag_of_host(true);
}

static void waited_after_flag(void) {
	flag_of_host(false);
}

/* An atomic that returns nothing tells nothing. */
static void counted_by_both(void) {
	add(p, s);
	count(q, s);
	count(q, t);
	add(p, t);
}

/* The last of two launches reads what both streams have written. */
static void read_by_the_last(void) {
	add(p, s);
	launch("last", 1, (void *[]){ &q, &p }, s);
	add(p + 1, t);
	launch("last", 1, (void *[]){ &q, &p }, t);
}

/* ---- two devices ---- */

static hipStream_t on_second(void) {
	hipStream_t u;
	must(hipSetDevice(1));
	must(hipStreamCreate(&u));
	must(hipSetDevice(0));
	return u;
}

static void freed_on_first(void) {
	set(p, 1, on_second());
	must(hipFree(device_bytes(64)));
	add(p, s);
}

static void legacy_streams(void) {
	set(p, 1, NULL);
	must(hipSetDevice(1));
	set(p, 1, NULL);
}

static void second_synchronised(void) {
	set(p, 1, on_second());
	must(hipSetDevice(1));
	must(hipDeviceSynchronize());
	must(hipSetDevice(0));
	add(p, s);
	hipStream_t u = on_second();
	after(u, s);
	must(hipMemcpyPeerAsync(p, 0, q, 0, 16, u));
}

/* Both devices count in memory of the first one. */
static void count_on_both(const char *kernel) {
	hipStream_t u = on_second();
	launch(kernel, 64, (void *[]){ &p }, s);
	must(hipSetDevice(1));
	must(hipDeviceEnablePeerAccess(0, 0));
	must(hipModuleLoad(&module, built("tests/hip/probe.gpu.co")));
	launch(kernel, 64, (void *[]){ &p }, u);
}

static void counted_by_agents(void) {
	count_on_both("count");
}

static void counted_by_all(void) {
	count_on_both("count_for_all");
}

/* ---- */

static const struct program programs[] = {
	{ "child_and_node", child_and_node, 1, "a child graph and another node" },
	{ "child_before_node", child_before_node, 0, "  with a dependency" },
	{ "two_children", two_children, 1, "two child graphs" },
	{ "children_in_order", children_in_order, 0, "  one after the other" },
	{ "beside_wait", beside_wait, 1, "a node beside a wait for an event" },
	{ "behind_wait", behind_wait, 0, "  that depends on it" },
	{ "beside_record", beside_record, 1, "a node beside the record of an event" },
	{ "before_record", before_record, 0, "  that comes before it" },
	{ "beside_host_node", beside_host_node, 1, "a node beside a host function" },
	{ "before_host_node", before_host_node, 0, "  that comes before it" },
	{ "launched_in_two_streams", launched_in_two_streams, 1,
	  "a graph launched in two streams" },
	{ "launched_again", launched_again, 0, "  twice in one" },
	{ "updated_too_late", updated_too_late, 1, "a launch after an update has the new memory" },
	{ "updated_after_launch", updated_after_launch, 0, "  one before it the old memory" },
	{ "external_record", external_record, 0, "a captured record that is external" },
	{ "external_wait", external_wait, 0, "  and such a wait" },
	{ "recorded_later", recorded_later, 1, "an event recorded after the wait for it" },
	{ "recorded_elsewhere_later", recorded_elsewhere_later, 0, "  and before" },
	{ "never_recorded", never_recorded, 1, "an event that was never recorded" },
	{ "queried_once", queried_once, 1, "a query that finds work unfinished" },
	{ "queried_until_over", queried_until_over, 0, "  or at its end" },
	{ "used_after_destroy", used_after_destroy, 1, "the end of a stream" },
	{ "legacy_after_destroy", legacy_after_destroy, 1, "  that does not block" },
	{ "other_after_destroy", other_after_destroy, 1, "  that blocks, and another one" },
	{ "waited_before_destroy", waited_before_destroy, 0,
	  "  after a wait, or the legacy stream" },
	{ "many_streams", many_streams, 1, "the first and the last of many streams" },
	{ "per_thread", per_thread, 1, "the stream of a thread and another one" },
	{ "per_thread_and_legacy", per_thread_and_legacy, 0, "  and the legacy one" },
	{ "launched_in_any_order", launched_in_any_order, 1, "a launch in any order" },
	{ "launched_in_order", launched_in_order, 0, "  in the stream's" },
	{ "slept", slept, 1, "a host that sleeps" },
	{ "polled_in_silence", polled_in_silence, 0, "  that polls its memory" },
	{ "polled_with_queries", polled_with_queries, 0, "  with queries in between" },
	{ "memset_of_device", memset_of_device, 1, "a memset of device memory and another stream" },
	{ "memset_of_host", memset_of_host, 0, "  of host memory" },
	{ "copy_within_device", copy_within_device, 1,
	  "a copy within a device and another stream" },
	{ "synchronous_copy", synchronous_copy, 0, "  of memory that asks for it" },
	{ "copy_to_host", copy_to_host, 0, "  to the host" },
	{ "copy_to_pinned", copy_to_pinned, 1, "an asynchronous copy to pinned memory" },
	{ "copy_within_host", copy_within_host, 0, "  from pinned memory" },
	{ "unregistered", unregistered, 1, "the end of registered memory" },
	{ "freed", freed, 0, "  and of memory that is freed" },
	{ "used_before_allocated", used_before_allocated, 1,
	  "memory that another stream allocates" },
	{ "used_after_allocated", used_after_allocated, 0, "  and that is used after it" },
	{ "batch_of_one_place", batch_of_one_place, 1, "two copies of a batch" },
	{ "batch_of_two_places", batch_of_two_places, 0, "  of different bytes" },
	{ "rows_that_meet", rows_that_meet, 1, "copies and memsets of rows" },
	{ "rows_beside_others", rows_beside_others, 0, "  of different columns" },
	{ "same_memory", same_memory, 1, "memory with two addresses" },
	{ "other_memory", other_memory, 0, "  of different bytes" },
	{ "value_with_two_addresses", value_with_two_addresses, 0, "  and a value there" },
	{ "variable_without_order", variable_without_order, 1, "a variable that a kernel reads" },
	{ "variable_with_order", variable_with_order, 0, "  before it is written" },
	{ "waited_for_first_value", waited_for_first_value, 1,
	  "a wait for the first of two values" },
	{ "waited_for_last_value", waited_for_last_value, 0, "  for the last one" },
	{ "two_writers", two_writers, 1, "  for one that two streams write" },
	{ "turns", turns, 0, "  in turns" },
	{ "host_waits_meanwhile", host_waits_meanwhile, 1,
	  "  while the host waits for other work" },
	{ "waited_after_flag", waited_after_flag, 1,
	  "  while the host waits after it has written it" },
	{ "waited_before_flag", waited_before_flag, 0, "  and before" },
	{ "counted_by_both", counted_by_both, 1, "atomics that return nothing" },
	{ "read_by_the_last", read_by_the_last, 0, "  whose old values tell who is the last" },
	{ "freed_on_first", freed_on_first, 1,
	  "memory of one device that is freed, and another device" },
	{ "legacy_streams", legacy_streams, 1, "the legacy streams of two devices" },
	{ "second_synchronised", second_synchronised, 0, "  with a wait or an event" },
	{ "counted_by_agents", counted_by_agents, 1, "atomics of two devices, of agent scope" },
	{ "counted_by_all", counted_by_all, 0, "  of system scope" },
};

/* Of the one launch of a program. */
static bool is_proved(const char *line) {
	return !strncmp(line, "end\t1\t1\t1\t", 10);
}

static void test_text(const char *folder) {
	const struct program *nodes = &programs[0];
	char line[1024] = "";
	races_of(nodes, folder, "0", line);
	if (!ok(strstr(line, ": no dependency in their stream orders them"),
	        "nodes of a graph lack a dependency"))
		diag("%s", line);
}

static bool proves(void (*run)(void), const char *folder, const char *seed) {
	const struct program x = { .run = run };
	char line[1024];
	return lines_of(&x, folder, seed, is_proved, line);
}

/* A kernel waits for a flag that is set: before it, by the host, or by another stream. */
static void await(uint32_t *flag) {
	launch("await", 64, (void *[]){ &flag, &p }, s);
}

static void await_earlier(void) {
	set(q, 1, s);
	await(q);
}

static void await_host(void) {
	uint32_t *flag;
	must(hipHostMalloc((void **)&flag, 4, 0));
	*flag = 1;
	await(flag);
}

static void await_other(void) {
	must(hipStreamWriteValue32(t, q, 1, 0));
	await(q);
}

static void test_proofs(const char *folder) {
	ok(!proves(shift_same, folder, "0") && proves(shift_other, folder, "0"),
	   "a launch that accesses memory by two addresses is not proved");
	ok(!proves(await_host, folder, "0") && !proves(await_other, folder, "0") &&
	           proves(await_earlier, folder, "0"),
	   "nor one that waits for a flag of the host, or of another stream");
	test_text(folder);
}

int main(int argc, char **argv) {
	setenv("MXHIP_DEVICES", "2", 1);
	return test_programs(programs, COUNT(programs), argc, argv, test_proofs);
}
