/* Which work comes before other work in every run of a program; stream_clock.c. */
#ifndef MX_STREAM_CLOCK_H
#define MX_STREAM_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of work that was begun. Numbers ascend. Of two pieces in one place the one with the
 * greater number comes after the other. The first place of a stream is for what comes after all
 * earlier work of the stream; its other places are for branches. */
struct mx_work {
	uint64_t place, number;
};

/* The next piece in a place. */
struct mx_work mx_work_in(uint64_t place);

/* A place of a stream: 0 is the first one. `stream`: a number that no other stream has. */
uint64_t mx_place(uint64_t stream, unsigned branch);
/* Another place of the stream that has a place. */
uint64_t mx_place_beside(uint64_t place, unsigned branch);

/* The work that comes before something: of places the last piece, sorted by place. */
struct mx_stream_clock {
	struct mx_work *last;
	size_t n, room;
	uint64_t age; /* an older clock than the present age has only work that is forgotten */
	bool all;     /* memory was short: all work seems to come before */
};

void mx_stream_clock_free(struct mx_stream_clock *c);

/* Adds what another clock has, or one piece. */
void mx_stream_clock_join(struct mx_stream_clock *to, const struct mx_stream_clock *from);
void mx_stream_clock_enter(struct mx_stream_clock *c, struct mx_work w);

/* Leaves what another clock has, too. */
void mx_stream_clock_meet(struct mx_stream_clock *c, const struct mx_stream_clock *with);

/* Whether a piece comes before. */
bool mx_stream_clock_has(const struct mx_stream_clock *c, struct mx_work w);

/* All clocks become empty. */
void mx_stream_clocks_clear(void);

#endif
