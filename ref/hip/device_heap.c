/* The memory of malloc in device code: the heap that device code itself manages, which begins as
 * zeros [ROCm-Device-Libs ockl/src/dm.cl], and a pool of which it requests parts through the
 * hostcall buffer. Both belong to the process. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hostcall.h"

enum {
	UNIT = 4096,
	SLAB = 2 << 20,   /* such a request gets a multiple of its size */
	HEAP = 128 << 10, /* of device code */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *heap, *pool;
static uint64_t start; /* of the units: a multiple of SLAB in the pool */
static size_t units = (64 << 20) / UNIT;
static uint32_t *taken; /* units of a request from this one to its end; 0: the unit is free */
static size_t parts;    /* that are taken */
static uint64_t requests;

static bool make(void) {
	if (!heap)
		heap = mx_hip_allocate(HEAP, (struct mx_allocation){ .internal = true });
	if (!taken)
		taken = calloc(units, sizeof *taken);
	if (heap && taken)
		pool = mx_hip_allocate(units * UNIT + SLAB, (struct mx_allocation){ .device = -1 });
	if (!pool)
		return false;
	mx_hip_mark((uint64_t)(uintptr_t)heap, HEAP, MX_WRITTEN);
	start = ((uint64_t)(uintptr_t)pool + SLAB - 1) / SLAB * SLAB;
	return true;
}

size_t mx_device_heap_bytes(void) {
	pthread_mutex_lock(&lock);
	size_t bytes = units * UNIT;
	pthread_mutex_unlock(&lock);
	return bytes;
}

bool mx_device_heap_resize(size_t bytes) {
	pthread_mutex_lock(&lock);
	bool ok = !heap && bytes && bytes <= MX_DEVICE_BYTES;
	if (ok)
		units = (bytes + UNIT - 1) / UNIT;
	pthread_mutex_unlock(&lock);
	return ok;
}

uint64_t mx_device_heap(void) {
	pthread_mutex_lock(&lock);
	bool ok = pool || make();
	pthread_mutex_unlock(&lock);
	return ok ? (uint64_t)(uintptr_t)heap : 0;
}

struct mx_heap_use mx_device_heap_use(void) {
	pthread_mutex_lock(&lock);
	struct mx_heap_use use = { (uint64_t)(uintptr_t)heap, (uint64_t)(uintptr_t)pool, parts,
		                   requests };
	pthread_mutex_unlock(&lock);
	return use;
}

/* The first place for n units, a multiple of `step`; units if there is none. */
static size_t find(size_t n, size_t step) {
	size_t from = 0, i = 0;
	while (i < units && i - from < n)
		if (taken[i]) {
			i += taken[i];
			from = i = (i + step - 1) / step * step;
		} else
			i++;
	return i - from >= n && from + n <= units ? from : units;
}

uint64_t mx_device_heap_take(uint64_t bytes) {
	pthread_mutex_lock(&lock);
	size_t n = bytes <= units * UNIT ? (size_t)(bytes + UNIT - 1) / UNIT : units + 1;
	requests++;
	size_t i = pool && n ? find(n, bytes == SLAB ? SLAB / UNIT : 1) : units;
	for (size_t k = 0; i < units && k < n; k++)
		taken[i + k] = (uint32_t)(n - k);
	parts += i < units;
	pthread_mutex_unlock(&lock);
	return i < units ? start + i * UNIT : 0;
}

static bool begins(size_t i) {
	return taken[i] && (!i || taken[i - 1] <= 1);
}

/* Its bytes count as unwritten again. */
bool mx_device_heap_give(uint64_t address) {
	pthread_mutex_lock(&lock);
	requests++;
	size_t i = (size_t)(address - start) / UNIT;
	bool ok = pool && address >= start && i < units && !(address % UNIT) && begins(i);
	if (ok) {
		size_t n = taken[i];
		mx_hip_mark(address, n * UNIT, 0);
		memset(taken + i, 0, n * sizeof *taken);
		parts--;
	}
	pthread_mutex_unlock(&lock);
	return ok;
}
