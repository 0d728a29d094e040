/* Accesses of the same bytes by work of different streams, without order; stream_races.c. */
#ifndef MX_STREAM_RACES_H
#define MX_STREAM_RACES_H

#include "graph.h"
#include "watch.h"

/* The place of a stream in clocks. */
unsigned mx_races_place(const struct ihipStream_t *stream);

/* Adds to a clock what another one has. */
void mx_stream_clock_join(struct mx_stream_clock *to, const struct mx_stream_clock *from);

/* The calling thread runs work of a stream from now on, and then none: pieces whose clock is NULL
 * are not observed. The clock gets more if the work turns out to come after other work. */
void mx_races_begin(const struct ihipStream_t *stream, uint64_t seq, struct mx_stream_clock *clock);
void mx_races_end(void);

/* What the work that the thread runs accesses: MX_TOUCH_...; bytes of host memory do not count. And
 * what a watched launch has accessed, which this takes. */
void mx_races_touch(const void *p, size_t bytes, unsigned how);
void mx_races_launch(const struct mx_watched *w, struct mx_touched *touched);
bool mx_races_observed(void);

/* After a node: reports its races with earlier work. */
void mx_races_check(const struct hipGraphNode *node);

/* A wait for a value comes after what has written it. */
void mx_races_acquire(struct mx_stream_clock *clock, const struct mx_value *v);

/* The clock of what the thread runs, or NULL. */
struct mx_stream_clock *mx_races_clock(void);

/* Forgets work that comes before all that will be enqueued. Nothing is enqueued now. */
void mx_races_forget(const struct mx_stream_clock *host);

#endif
