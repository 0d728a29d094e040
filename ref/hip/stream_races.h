/* Accesses of the same bytes by work of different streams, without order; stream_races.c. */
#ifndef MX_STREAM_RACES_H
#define MX_STREAM_RACES_H

#include "graph.h"
#include "watch.h"

/* The calling thread runs a piece of work of a stream from now on, and then none: pieces without a
 * clock are not observed. Clocks get more if work turns out to come after other work. polled: the
 * host may read memory in a loop. */
void mx_races_begin(const struct ihipStream_t *stream, struct hipGraphNode *launch, bool polled);
void mx_races_end(void);

/* Gives a node of a graph its clock, within the node that has the graph; and gives such a node what
 * its graph has done. */
void mx_races_enter(struct hipGraphNode *node, const struct hipGraphNode *within);
void mx_races_leave(const struct hipGraphNode *node);

/* What the work that the thread runs accesses: MX_TOUCH_...; bytes of host memory do not count. And
 * what a watched launch has accessed, which this takes. */
void mx_races_touch(const void *p, size_t bytes, unsigned how);
void mx_races_launch(const struct mx_watched *w, struct mx_touched *touched);
void mx_races_write(const struct mx_value *v, uint64_t before); /* what was there */
void mx_races_unknown(void);                                    /* a launch that is not watched */
bool mx_races_observed(void);

/* Whether a launch has accessed bytes by two addresses, and has written them. Its ranges are
 * sorted. */
bool mx_races_aliases(const struct mx_touched *t);

/* Whether a launch uses what an atomic or a flag reads in memory that the host may write while a
 * kernel runs. */
bool mx_races_reads_host(const struct mx_touched *t);

/* After a node, whose clock may get more: reports its races with earlier work. */
void mx_races_check(const struct hipGraphNode *node);

/* A wait for a value comes after what the writes that are known and may have ended it have in
 * common; or, if there are none, after what the host knew before it wrote. */
void mx_races_acquire(struct mx_stream_clock *clock, const struct mx_value *v,
                      const struct mx_stream_clock *host);

/* Memory is not what it was: nothing that has accessed it races with what will. */
void mx_races_end_memory(const void *p, size_t bytes);

/* Forgets work that comes before all that will be enqueued. Nothing is enqueued now. */
void mx_races_forget(const struct mx_stream_clock *host);

#endif
