/* What is enqueued in streams; see queue.c. */
#ifndef MX_QUEUE_H
#define MX_QUEUE_H

#include "graph.h"

struct ihipStream_t *mx_legacy_stream(int device);

/* The list of all streams. A stream that leaves it has run its work. */
void mx_queue_enlist(struct ihipStream_t *stream);
void mx_queue_unlist(struct ihipStream_t *stream);

/* Lets a stream begin or join a capture; and ends that of all its streams. */
void mx_queue_capture_stream(struct ihipStream_t *stream, struct mx_capture *capture);
void mx_queue_end_capture(struct mx_capture *capture);

/* A capture that has not ended, or NULL. */
struct mx_capture *mx_queue_capture(uint64_t id);

/* Whether there is a captured stream for which `which` holds. */
bool mx_queue_captures(bool (*which)(const struct ihipStream_t *, const void *), const void *with);

/* The same; invalidates the capture of each. */
bool mx_queue_invalidate(bool (*which)(const struct ihipStream_t *, const void *),
                         const void *with);

/* Enqueues a node, and takes what it points to. */
hipError_t mx_queue_push(struct ihipStream_t *stream, struct hipGraphNode *node);

/* Runs what is enqueued so far: in a stream with all that it waits for; in the streams of a device;
 * up to the last record of an event. Other work may run before it. The host has waited for it: for
 * calls that are documented to wait. */
void mx_queue_finish(const struct ihipStream_t *stream);
void mx_queue_finish_device(int device);
void mx_queue_finish_event(hipEvent_t event);

/* The same for calls that need the work to be over here, where HIP promises nothing: what comes
 * after them has no order with it. NULL: all streams. */
void mx_queue_drain(const struct ihipStream_t *stream);
void mx_queue_drain_device(int device);

/* The host knows that this work is over. */
void mx_queue_tell_host(const struct mx_stream_clock *clock);

/* Whether some of that had not run yet; and runs one piece. */
bool mx_queue_query(const struct ihipStream_t *stream);
bool mx_queue_query_event(hipEvent_t event);

/* Enqueues the record of an event, or the wait for one. */
hipError_t mx_stream_event(struct ihipStream_t *stream, hipGraphNodeType type, hipEvent_t event);

/* Enqueues the write of a value, or the wait for one. */
hipError_t mx_stream_value(hipStream_t stream, int type, const struct mx_value *v);
/* Whether a value ends a wait. */
bool mx_hip_value_ends(const struct mx_value *v, uint64_t now);
/* A wait is over when its value holds, or when its memory is freed, which is an error. */
bool mx_hip_value_holds(const struct mx_value *v);
void mx_hip_value_check(const struct mx_value *v); /* when it is over: that error */
hipError_t mx_hip_value_write(const struct mx_value *v);
/* What a wait is for, and what is there, in one line. */
enum { MX_VALUE_ROOM = 160 };
char *mx_hip_value_text(const struct mx_value *v, char *text, size_t room);

/* Runs what is enqueued until a wait is over, which is done then. */
void mx_queue_wait(struct hipGraphNode *wait);

/* For a node of the graph that this thread runs: records its event now, unless work enqueued after
 * the graph records it. */
void mx_queue_record(const struct hipGraphNode *node);

/* The fields of an event, and whether it is complete; and frees it. */
bool mx_queue_event(hipEvent_t event, struct ihipEvent_t *copy);
void mx_queue_free_event(hipEvent_t event);

#endif
