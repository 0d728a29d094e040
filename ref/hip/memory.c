/* Device memory: allocations at host addresses, each byte with a state. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "queue.h"
#include "watch.h"

/* Allocations start here and go up, so that addresses do not change from run to run. This is a
 * hint: if the place is taken, the system chooses. */
#define ARENA 0x400000000000ull

enum {
	PAGE = 4096,
	LARGE = 1 << 30, /* bytes of an allocation */
	POPULATED = 1 << 20,
	RETIRED = 8,
	MOST_RETIRED = 1 << 16, /* bytes: they are cleared again */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mx_region *regions;   /* sorted by base */
static struct mx_allocation *about; /* each region's kind and flags */
static size_t n_regions, room;
static uint64_t next_hint = ARENA;
static struct mx_region retired[RETIRED]; /* mappings that the next allocations may get */
static size_t n_retired;

/* ---- the table, under the lock ---- */

static size_t position(uint64_t base) {
	size_t i = n_regions;
	while (i && regions[i - 1].base > base)
		i--;
	return i;
}

static bool grow(void) {
	size_t more = room ? 2 * room : 64;
	struct mx_region *r = realloc(regions, more * sizeof *r);
	if (r)
		regions = r;
	struct mx_allocation *a = realloc(about, more * sizeof *a);
	if (a)
		about = a;
	if (r && a)
		room = more;
	return r && a;
}

static void change_version(const struct mx_region *r) {
	static uint64_t last;
	struct mx_allocation *a = &about[r - regions];
	if (a->version)
		a->version = ++last;
}

static bool insert(struct mx_region r, struct mx_allocation a) {
	static uint32_t ids;
	if (n_regions == room && !grow())
		return false;
	size_t i = position(r.base);
	memmove(regions + i + 1, regions + i, (n_regions - i) * sizeof *regions);
	memmove(about + i + 1, about + i, (n_regions - i) * sizeof *about);
	regions[i] = r;
	about[i] = a;
	about[i].id = ++ids;
	change_version(&regions[i]);
	n_regions++;
	return true;
}

static void erase(size_t i) {
	n_regions--;
	memmove(regions + i, regions + i + 1, (n_regions - i) * sizeof *regions);
	memmove(about + i, about + i + 1, (n_regions - i) * sizeof *about);
}

/* The region that contains [address, address + bytes), or NULL. */
static struct mx_region *holding(uint64_t address, size_t bytes) {
	size_t i = position(address);
	struct mx_region *r = i ? &regions[i - 1] : NULL;
	bool inside = r && address - r->base <= r->size && bytes <= r->size - (address - r->base);
	return inside ? r : NULL;
}

/* ---- allocation ---- */

static size_t pages(size_t bytes) {
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

static void *map(uint64_t hint, size_t bytes) {
	void *p = mmap((void *)hint, pages(bytes), PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (bytes >= LARGE) /* a launch of some workgroups touches little of it */
		madvise(p, pages(bytes), MADV_NOHUGEPAGE);
	return p;
}

static void unmap(const struct mx_region *r) {
	munmap((void *)(uintptr_t)r->base, pages(r->size));
	munmap(r->state, pages(r->size));
}

static void unmap_retired(void) {
	while (n_retired)
		unmap(&retired[--n_retired]);
}

/* Whether a retired mapping is as a new one would be; otherwise there is none any more. */
static bool take_retired(size_t bytes, void **p, void **state) {
	size_t i = 0;
	while (i < n_retired && retired[i].base != next_hint)
		i++;
	if (i == n_retired || pages(retired[i].size) != pages(bytes)) {
		unmap_retired();
		return false;
	}
	*p = memset((void *)(uintptr_t)retired[i].base, 0, pages(bytes));
	*state = memset(retired[i].state, 0, pages(bytes));
	retired[i] = retired[--n_retired];
	return true;
}

void *mx_hip_allocate(size_t bytes, struct mx_allocation a) {
	void *p, *state;
	if (!bytes || bytes > 1ull << 46)
		return NULL;
	pthread_mutex_lock(&lock);
	if (!take_retired(bytes, &p, &state)) {
		p = map(next_hint, bytes);
		state = map(0, bytes);
	}
	struct mx_region r = { (uint64_t)(uintptr_t)p, bytes, state };
	a.thread = pthread_self();
	bool ok = p && state && insert(r, a);
	if (ok)
		next_hint = r.base + pages(bytes) + PAGE;
	else {
		if (p)
			munmap(p, pages(bytes));
		if (state)
			munmap(state, pages(bytes));
	}
	pthread_mutex_unlock(&lock);
	return ok ? p : NULL;
}

static void lock_to_remove(void) {
	mx_watch_enter(false);
	pthread_mutex_lock(&lock);
}

static void unlock_removed(void) {
	pthread_mutex_unlock(&lock);
	mx_watch_leave();
}

/* Memory of these kinds is released by calls of their own. */
static bool is_foreign(enum mx_memory_kind kind) {
	return kind == MX_REGISTERED_MEMORY || kind == MX_IMPORTED_MEMORY ||
	       kind == MX_VIRTUAL_MEMORY || kind == MX_GRAPH_MEMORY;
}

/* Removes memory of a kind, or an allocation of any kind, from the table; *r gets its mapping. */
static bool take(void *p, enum mx_memory_kind kind, struct mx_region *r) {
	uint64_t base = (uint64_t)(uintptr_t)p;
	struct mx_region *found = holding(base, 0);
	size_t i = (size_t)(found - regions);
	if (!found || found->base != base)
		return false;
	if (about[i].kind != kind && (is_foreign(kind) || is_foreign(about[i].kind)))
		return false;
	*r = *found;
	if (!is_foreign(kind) && base < next_hint)
		next_hint = base; /* a loop of allocations gets the same addresses */
	if (about[i].file)
		close(about[i].file);
	erase(i);
	return true;
}

bool mx_hip_release(void *p) {
	struct mx_region r;
	if (mx_hip_graph_step(p, MX_GRAPH_FREE))
		return true;
	lock_to_remove();
	bool ok = take(p, MX_DEVICE_MEMORY, &r);
	if (ok)
		unmap(&r);
	unlock_removed();
	return ok;
}

void mx_hip_release_device(int device) {
	lock_to_remove();
	for (size_t i = n_regions; i--;) {
		struct mx_region r;
		if (about[i].until_reset && about[i].device == device &&
		    take((void *)(uintptr_t)regions[i].base, about[i].kind, &r))
			unmap(&r);
	}
	unlock_removed();
}

void mx_hip_retire(void *p) {
	struct mx_region r;
	lock_to_remove();
	if (take(p, MX_DEVICE_MEMORY, &r)) {
		if (n_retired == RETIRED)
			unmap_retired();
		if (r.size <= MOST_RETIRED)
			retired[n_retired++] = r;
		else
			unmap(&r);
	}
	unlock_removed();
}

/* ---- host memory of the program ---- */

static bool overlaps(uint64_t base, size_t bytes) {
	size_t i = position(base + bytes - 1);
	return i && regions[i - 1].base + regions[i - 1].size > base;
}

hipError_t mx_hip_register(void *p, size_t bytes, unsigned flags) {
	void *state = map(0, bytes);
	struct mx_region r = { (uint64_t)(uintptr_t)p, bytes, state };
	struct mx_allocation a = { .kind = MX_REGISTERED_MEMORY,
		                   .flags = flags,
		                   .thread = pthread_self() };
	hipError_t e = hipSuccess;
	if (!state)
		return hipErrorOutOfMemory;
	memset(state, MX_WRITTEN, bytes);
	pthread_mutex_lock(&lock);
	if (overlaps(r.base, bytes))
		e = hipErrorHostMemoryAlreadyRegistered;
	else if (!insert(r, a))
		e = hipErrorOutOfMemory;
	pthread_mutex_unlock(&lock);
	if (e != hipSuccess)
		munmap(state, pages(bytes));
	return e;
}

bool mx_hip_unregister(void *p) {
	struct mx_region r;
	lock_to_remove();
	bool ok = take(p, MX_REGISTERED_MEMORY, &r);
	if (ok)
		munmap(r.state, pages(r.size));
	unlock_removed();
	return ok;
}

/* ---- memory that processes share: a file has its bytes and then its states ---- */

static void *map_file(void *at, size_t bytes, int file, size_t offset) {
	void *p = mmap(at, pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0),
	               file, (off_t)offset);
	return p == MAP_FAILED ? NULL : p;
}

static bool write_all(int file, const void *bytes, size_t n, size_t at) {
	ssize_t done = 1;
	for (size_t i = 0; i < n && done > 0; i += (size_t)done)
		done = pwrite(file, (const char *)bytes + i, n - i, (off_t)(at + i));
	return done > 0;
}

/* The file keeps the addresses, so the region stays as it is. */
static int share(const struct mx_region *r) {
	void *p = (void *)(uintptr_t)r->base;
	size_t n = pages(r->size);
	int file = memfd_create("libmxhip", MFD_CLOEXEC);
	if (file > 0 && !ftruncate(file, (off_t)(2 * n)) && write_all(file, p, n, 0) &&
	    write_all(file, r->state, n, n) && map_file(p, n, file, 0) &&
	    map_file(r->state, n, file, n))
		return file;
	if (file > 0)
		close(file);
	return 0;
}

int mx_hip_share(const void *p, struct mx_allocation *a) {
	pthread_mutex_lock(&lock);
	const struct mx_region *r = holding((uint64_t)(uintptr_t)p, 1);
	size_t i = (size_t)(r - regions);
	if (r && about[i].kind == MX_DEVICE_MEMORY && !about[i].file)
		about[i].file = share(r);
	int file = r ? about[i].file : 0;
	if (file) {
		about[i].version = 0; /* other processes change it */
		*a = about[i];
		a->base = (void *)(uintptr_t)r->base;
		a->bytes = r->size;
	}
	pthread_mutex_unlock(&lock);
	return file;
}

static void *map_shared(int file, size_t bytes, uint64_t inode) {
	void *p = map_file(NULL, bytes, file, 0),
	     *state = map_file(NULL, bytes, file, pages(bytes));
	struct mx_region r = { (uint64_t)(uintptr_t)p, bytes, state };
	struct mx_allocation a = {
		.kind = MX_IMPORTED_MEMORY, .thread = pthread_self(), .inode = inode, .opened = 1
	};
	bool ok = p && state && insert(r, a);
	if (!ok && p)
		munmap(p, pages(bytes));
	if (!ok && state)
		munmap(state, pages(bytes));
	return ok ? p : NULL;
}

void *mx_hip_import(int file, size_t bytes) {
	struct stat s;
	void *p = NULL;
	if (fstat(file, &s) || (uint64_t)s.st_size != 2 * pages(bytes))
		return NULL;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; !p && i < n_regions; i++)
		if (about[i].kind == MX_IMPORTED_MEMORY && about[i].inode == s.st_ino) {
			about[i].opened++;
			p = (void *)(uintptr_t)regions[i].base;
		}
	if (!p)
		p = map_shared(file, bytes, s.st_ino);
	pthread_mutex_unlock(&lock);
	return p;
}

bool mx_hip_end_import(void *p) {
	struct mx_region r, *found;
	lock_to_remove();
	bool ok = (found = holding((uint64_t)(uintptr_t)p, 1)) &&
	          about[found - regions].kind == MX_IMPORTED_MEMORY;
	if (ok && !--about[found - regions].opened && (ok = take(p, MX_IMPORTED_MEMORY, &r)))
		unmap(&r);
	unlock_removed();
	return ok;
}

/* ---- virtual memory ---- */

bool mx_hip_show(void *p, size_t bytes, void *states, struct mx_allocation a) {
	struct mx_region r = { (uint64_t)(uintptr_t)p, bytes, states };
	a.thread = pthread_self();
	pthread_mutex_lock(&lock);
	bool ok = insert(r, a);
	pthread_mutex_unlock(&lock);
	return ok;
}

void mx_hip_hide_range(uint64_t from, uint64_t to) {
	lock_to_remove();
	for (size_t i = n_regions; i--;)
		if (regions[i].base >= from && regions[i].base < to)
			erase(i);
	unlock_removed();
}

/* ---- memory of graphs ---- */

static bool change(bool *flag, bool to) {
	bool changed = *flag != to;
	*flag = to;
	return changed;
}

static bool advance(struct mx_graph_use *use, enum mx_graph_step step) {
	switch (step) {
	case MX_GRAPH_KEEP: use->nodes++; return true;
	case MX_GRAPH_DROP: use->nodes--; return true;
	case MX_GRAPH_FREE_NODE: return change(&use->has_free, true);
	case MX_GRAPH_TAKE: return change(&use->taken, true);
	case MX_GRAPH_GIVE: return change(&use->taken, false);
	case MX_GRAPH_ALLOCATE: return change(&use->present, true);
	default: return change(&use->present, false);
	}
}

static void clear(const struct mx_region *r) {
	madvise((void *)(uintptr_t)r->base, pages(r->size), MADV_DONTNEED);
	madvise(r->state, pages(r->size), MADV_DONTNEED);
}

bool mx_hip_graph_step(void *p, enum mx_graph_step step) {
	pthread_mutex_lock(&lock);
	struct mx_region *r = holding((uint64_t)(uintptr_t)p, 0);
	struct mx_allocation *a = r ? &about[r - regions] : NULL;
	bool done = a && a->kind == MX_GRAPH_MEMORY && r->base == (uint64_t)(uintptr_t)p &&
	            advance(&a->graph, step);
	if (done && step == MX_GRAPH_FREE)
		clear(r);
	if (done && !a->graph.nodes && !a->graph.present) {
		unmap(r);
		erase((size_t)(r - regions));
	}
	pthread_mutex_unlock(&lock);
	return done;
}

bool mx_hip_is_absent(const void *p) {
	struct mx_allocation a;
	return mx_hip_about(p, &a) && a.kind == MX_GRAPH_MEMORY && !a.graph.present;
}

/* ---- lookup ---- */

bool mx_hip_about(const void *p, struct mx_allocation *a) {
	pthread_mutex_lock(&lock);
	struct mx_region *r = holding((uint64_t)(uintptr_t)p, 1);
	if (r) {
		*a = about[r - regions];
		a->base = (void *)(uintptr_t)r->base;
		a->bytes = r->size;
	}
	pthread_mutex_unlock(&lock);
	return r != NULL;
}

bool mx_hip_is_internal(uint64_t address) {
	struct mx_allocation a;
	return mx_hip_about((void *)(uintptr_t)address, &a) && a.internal;
}

static bool is_of(const struct mx_allocation *a, const void *pool, int device) {
	if (a->kind == MX_GRAPH_MEMORY && !a->graph.present)
		return false;
	if (pool)
		return a->pool == pool;
	return a->device == device &&
	       (a->kind == MX_DEVICE_MEMORY || a->kind == MX_MANAGED_MEMORY ||
	        a->kind == MX_VIRTUAL_MEMORY || a->kind == MX_GRAPH_MEMORY);
}

size_t mx_hip_allocated(const void *pool, int device) {
	size_t sum = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_regions; i++)
		if (is_of(&about[i], pool, device))
			sum += pool ? regions[i].size : pages(regions[i].size);
	pthread_mutex_unlock(&lock);
	return sum < MX_DEVICE_BYTES ? sum : MX_DEVICE_BYTES;
}

void mx_hip_leave_pool(const void *pool) {
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_regions; i++)
		if (about[i].pool == pool)
			about[i].pool = NULL;
	pthread_mutex_unlock(&lock);
}

void mx_hip_set_access(const void *pool, uint32_t devices) {
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_regions; i++)
		if (about[i].pool == pool)
			about[i].devices = devices;
	pthread_mutex_unlock(&lock);
}

bool mx_hip_set_synchronous(const void *p, bool synchronous) {
	pthread_mutex_lock(&lock);
	const struct mx_region *r = holding((uint64_t)(uintptr_t)p, 1);
	if (r)
		about[r - regions].synchronous = synchronous;
	pthread_mutex_unlock(&lock);
	return r != NULL;
}

bool mx_hip_mark(uint64_t address, size_t bytes, uint8_t state) {
	pthread_mutex_lock(&lock);
	struct mx_region *r = holding(address, bytes);
	if (r) {
		change_version(r);
		memset(r->state + (address - r->base), state, bytes);
	}
	pthread_mutex_unlock(&lock);
	return r != NULL;
}

void mx_hip_changed(uint64_t address) {
	pthread_mutex_lock(&lock);
	const struct mx_region *r = holding(address, 0);
	if (r)
		change_version(r);
	pthread_mutex_unlock(&lock);
}

uint64_t mxhipVersion(const void *address, size_t bytes) {
	mx_queue_drain(NULL);
	pthread_mutex_lock(&lock);
	const struct mx_region *r = holding((uint64_t)(uintptr_t)address, bytes);
	uint64_t version = r ? about[r - regions].version : 0;
	pthread_mutex_unlock(&lock);
	return version;
}

static bool is_for(const struct mx_allocation *a, bool own, int device) {
	if (own && !pthread_equal(a->thread, pthread_self()))
		return false;
	if (a->kind == MX_VIRTUAL_MEMORY)
		return a->devices >> device & 1;
	if (a->kind == MX_GRAPH_MEMORY)
		return a->graph.present;
	return a->internal || a->kind != MX_DEVICE_MEMORY || a->device < 0 ||
	       mx_has_access(device, a->device) || a->devices >> device & 1;
}

bool mx_hip_snapshot(bool own, int device, struct mx_memory *m) {
	pthread_mutex_lock(&lock);
	uint64_t *version;
	struct mx_region *copy = malloc((n_regions + 1) * (sizeof *copy + sizeof *version));
	size_t n = 0;
	version = (uint64_t *)(copy + n_regions + 1);
	for (size_t i = 0; copy && i < n_regions; i++)
		if (is_for(&about[i], own, device)) {
			version[n] = about[i].version;
			copy[n] = regions[i];
			copy[n].read_only = about[i].kind == MX_VIRTUAL_MEMORY &&
			                    !(about[i].writers >> device & 1);
			copy[n++].internal = about[i].internal;
		}
	*m = (struct mx_memory){ copy, n, version };
	pthread_mutex_unlock(&lock);
	return copy != NULL;
}

bool mxhipMark(void *address, size_t bytes, uint8_t state) {
	mx_queue_drain(NULL);
	return mx_hip_mark((uint64_t)(uintptr_t)address, bytes, state);
}

const uint8_t *mxhipStatesOf(const void *address, size_t bytes) {
	uint64_t from = (uint64_t)(uintptr_t)address;
	mx_queue_drain(NULL);
	pthread_mutex_lock(&lock);
	const struct mx_region *r = holding(from, bytes);
	const uint8_t *states = r ? r->state + (from - r->base) : NULL;
	pthread_mutex_unlock(&lock);
	return states;
}

bool mxhipStates(const void *address, size_t bytes, uint8_t *states) {
	const uint8_t *from = mxhipStatesOf(address, bytes);
	if (from)
		memcpy(states, from, bytes);
	return from != NULL;
}

/* All pages of new memory at once, which takes less time than a fault of each. */
static void fill(void *p, uint8_t value, size_t bytes) {
	uintptr_t from = ((uintptr_t)p + PAGE - 1) / PAGE * PAGE;
	uintptr_t to = ((uintptr_t)p + bytes) / PAGE * PAGE;
	if (bytes >= POPULATED)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
	memset(p, value, bytes);
}

/* Without the lock, so that several threads fill parts of a buffer. */
bool mxhipPoison(void *address, size_t bytes, uint8_t value) {
	uint8_t *states = (uint8_t *)(uintptr_t)mxhipStatesOf(address, bytes);
	if (!states)
		return false;
	mx_hip_changed((uint64_t)(uintptr_t)address);
	fill(address, value, bytes);
	fill(states, 0, bytes);
	return true;
}

bool mx_hip_load(const void *p, unsigned bytes, uint64_t *value) {
	pthread_mutex_lock(&lock);
	bool known = holding((uint64_t)(uintptr_t)p, bytes) != NULL;
	if (known)
		*value = bytes == 4 ? __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE)
		                    : __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
	pthread_mutex_unlock(&lock);
	return known;
}

bool mx_hip_is_allocation(const void *p, size_t bytes) {
	pthread_mutex_lock(&lock);
	bool known = holding((uint64_t)(uintptr_t)p, bytes) != NULL;
	pthread_mutex_unlock(&lock);
	return known;
}

bool mx_hip_is_writable(const void *p, size_t bytes) {
	struct mx_allocation a;
	return mx_hip_is_allocation(p, bytes) && mx_hip_about(p, &a) &&
	       (a.kind != MX_VIRTUAL_MEMORY || a.writers);
}

/* Copies the states with the bytes; those of host memory count as written. */
bool mx_hip_copy_states(uint64_t to, const void *from, size_t bytes) {
	pthread_mutex_lock(&lock);
	struct mx_region *d = holding(to, bytes), *s = holding((uint64_t)(uintptr_t)from, bytes);
	if (d)
		change_version(d);
	if (d && s)
		memmove(d->state + (to - d->base), s->state + ((uint64_t)(uintptr_t)from - s->base),
		        bytes);
	else if (d)
		memset(d->state + (to - d->base), MX_WRITTEN, bytes);
	pthread_mutex_unlock(&lock);
	return d != NULL;
}
