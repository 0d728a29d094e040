/* The comparison of a whole output with what is expected, on one thread and on several. */
#include "../../oracle/product.h"
#include "../tap.h"

#include <stdlib.h>

enum { ROWS = 700, COLS = 1000, ALL = ROWS * COLS, NAN_1 = 0x7fc00000, NAN_2 = 0xffc00001 };

static uint32_t got[ALL], want[ALL];
static uint8_t unwritten[ALL], differs[ALL];

static struct mx_output compared(unsigned threads, bool has_unwritten) {
	struct mx_output o = { .g = { .m = ROWS, .n = COLS, .threads = threads },
		               .format = "FP32",
		               .got = got,
		               .want = want,
		               .unwritten = unwritten,
		               .has_unwritten = has_unwritten,
		               .differs = differs };
	memset(differs, 0, sizeof differs);
	mx_output_compare(&o);
	return o;
}

static void test(unsigned threads) {
	for (size_t i = 0; i < ALL; i++)
		got[i] = want[i] = (uint32_t)i * 2654435761u & 0x3fffffff;
	struct mx_output o = compared(threads, false);
	ok(o.is_same && !o.wrong, "%u threads: equal bits are right", threads);
	unwritten[7] = 4;
	o = compared(threads, true);
	ok(o.is_same && o.wrong == 1 && o.first == 7, "  unless they were not written");
	unwritten[7] = 0;
	got[5] = NAN_1, want[5] = NAN_2;
	o = compared(threads, false);
	ok(!o.is_same && !o.wrong, "  a NaN with another payload is right, too");
	got[ALL - 1] ^= 1, got[ALL / 2] ^= 0x80000000;
	o = compared(threads, false);
	ok(o.wrong == 2 && o.first == ALL / 2 && differs[ALL / 2] && differs[ALL - 1] &&
	           !differs[5],
	   "  wrong elements of different parts are found");
	unwritten[7] = 4;
	o = compared(threads, true);
	ok(o.wrong == 3 && o.first == 7, "  an unwritten element is wrong, whatever its value");
	unwritten[7] = 0;
}

int main(void) {
	test(1);
	test(4);
	return done_testing();
}
