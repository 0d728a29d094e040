/* Clocks of streams against sets of all work, which random steps change alike. The library does not
 * export clocks, so their source is here. */
#include "../../ref/hip/stream_clock.c"

#include <string.h>

#include "../tap.h"

enum { CLOCKS = 6, WORK = 40, TRIALS = 300, STREAMS = 3, BRANCHES = 4 };

static struct {
	struct mx_stream_clock clock[CLOCKS];
	bool set[CLOCKS][WORK];
	struct mx_work work[WORK];
	unsigned n;
} now;

static uint64_t state = 1;

static unsigned draw(unsigned n) {
	state = state * 6364136223846793005 + 1442695040888963407;
	return (unsigned)(state >> 33) % n;
}

/* Work begins: it comes after all that is in its place, or in its stream. */
static void begin(unsigned i) {
	uint64_t place = mx_place(1 + draw(STREAMS), draw(BRANCHES));
	now.work[now.n++] = mx_work_in(place);
	mx_stream_clock_enter(&now.clock[i], now.work[now.n - 1]);
	for (unsigned k = 0; k < now.n; k++) {
		uint64_t p = now.work[k].place;
		now.set[i][k] |= p == place || (is_first(place) && mx_place_beside(p, 0) == place);
	}
}

static void step(void) {
	unsigned i = draw(CLOCKS), j = draw(CLOCKS), how = draw(8);
	if (how < 4)
		begin(i);
	else if (i != j && how < 7)
		mx_stream_clock_join(&now.clock[i], &now.clock[j]);
	else if (i != j)
		mx_stream_clock_meet(&now.clock[i], &now.clock[j]);
	for (unsigned k = 0; k < now.n && how >= 4 && i != j; k++)
		now.set[i][k] =
			how < 7 ? now.set[i][k] || now.set[j][k] : now.set[i][k] && now.set[j][k];
}

/* The pairs of a clock and a piece of work of which both are of one mind. */
static unsigned agreeing(void) {
	unsigned n = 0;
	for (unsigned i = 0; i < CLOCKS; i++)
		for (unsigned k = 0; k < now.n; k++)
			n += mx_stream_clock_has(&now.clock[i], now.work[k]) == now.set[i][k];
	return n;
}

int main(void) {
	unsigned wrong = 0, empty = 0;
	for (unsigned t = 0; t < TRIALS; t++) {
		memset(&now, 0, sizeof now);
		while (now.n < WORK) {
			step();
			wrong += CLOCKS * now.n - agreeing();
		}
		mx_stream_clocks_clear();
		for (unsigned i = 0; i < CLOCKS; i++) {
			empty += !mx_stream_clock_has(&now.clock[i], now.work[0]);
			mx_stream_clock_free(&now.clock[i]);
		}
	}
	if (!ok(!wrong, "clocks have what sets have, after joins and meets"))
		diag("%u pairs of a clock and a piece of work are wrong", wrong);
	ok(empty == CLOCKS * TRIALS, "when all work is forgotten they are empty");
	return done_testing();
}
