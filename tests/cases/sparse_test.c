/* Memory of poison and of zeros: what it holds, and what it takes. */
#include "../../cases/case.h"
#include "../tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes of memory of this process that are its own, not a file's. */
static size_t taken(void) {
	size_t pages = 0, resident = 0, shared = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%zu %zu %zu", &pages, &resident, &shared) != 3)
		diag("no /proc/self/statm");
	if (f)
		fclose(f);
	return (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
}

static bool holds(const uint8_t *p, size_t from, size_t to, uint8_t value) {
	for (size_t i = from; i < to; i++)
		if (p[i] != value)
			return false;
	return true;
}

static void test_poison(size_t bytes) {
	uint8_t *p = mx_poison_new(bytes), *other = mx_poison_new(bytes);
	size_t at = bytes / 2;
	ok(p && other && holds(p, 0, bytes, MX_POISON), "%zu bytes of poison", bytes);
	p[at] = 1;
	ok(holds(p, 0, at, MX_POISON) && holds(p, at + 1, bytes, MX_POISON) &&
	           holds(other, 0, bytes, MX_POISON),
	   "  a byte that is written changes no other one");
	mx_poison_free(p, bytes);
	mx_poison_free(other, bytes);
}

static void test_untouched(void *(*new)(size_t), void (*drop)(void *, size_t), const char *what) {
	enum { BYTES = 64 << 20, LITTLE = BYTES / 8 };
	size_t before = taken();
	uint8_t *p = new (BYTES);
	volatile uint8_t last = p[BYTES - 1];
	(void)last;
	size_t after = taken();
	if (!ok(after < before + LITTLE, "%s takes little memory before it is written", what))
		diag("%zu bytes before, %zu after", before, after);
	drop(p, BYTES);
}

int main(void) {
	test_poison(1);
	test_poison((4 << 20) - 1);
	test_poison((5 << 20) + 4097); /* in pieces, the last of them a part of one */
	test_untouched(mx_poison_new, mx_poison_free, "poison");
	test_untouched(mx_sparse_new, mx_sparse_free, "memory of zeros");
	return done_testing();
}
