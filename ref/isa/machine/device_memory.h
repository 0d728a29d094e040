/* Device memory by address: bounds, and which bytes are unwritten. */
#ifndef MX_DEVICE_MEMORY_H
#define MX_DEVICE_MEMORY_H

#include "pages.h"
#include "spans.h"

/* Whether the run may access [address, address + bytes). An access outside every allocation is a
 * fault and stops the launch. An access to a guard is a finding, and the launch continues. */
bool mx_memory_check(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                     size_t bytes, bool write);

/* Whether the run may access the bytes without a finding; reports nothing. */
bool mx_memory_is_plain(struct mx_wave *w, uint64_t address, size_t bytes, bool write);

/* Reads up to 4 bytes of memory that has been checked, for an instruction that lands, or NULL.
 * *unwritten gets a bit for each bit. lane -1: through the scalar cache. */
uint32_t mx_memory_read(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                        unsigned bytes, uint32_t *unwritten);
void mx_memory_write(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                     unsigned bytes, uint32_t value, uint32_t unwritten);

/* Writes 4 or 8 bytes at once, unless they are not `old` any more: the host may change its memory
 * while a kernel runs. */
bool mx_memory_exchange(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                        unsigned bytes, uint64_t old, uint64_t value, uint64_t unwritten);

/* ---- all lanes of a wave together: what the functions above do lane by lane ---- */

/* Whether the run may access the bytes without a finding, in one region. False if not, or if the
 * lanes must be checked one by one. *stop: the wave must not execute the instruction. */
bool mx_memory_check_wave(struct mx_wave *w, const struct mx_lane_bytes *x, bool write, bool *stop);
/* Whether the bytes, which have been checked, are written. */
bool mx_memory_is_written(struct mx_wave *w, const struct mx_lane_bytes *x);
/* Writes rows without unwritten bits. No watcher is called. */
void mx_memory_write_wave(struct mx_wave *w, const struct mx_lane_bytes *x, const mx_vreg *row);

/* The region of bytes that have been checked, and its version while this launch has not stored
 * there and memory is what it was before; 0: not known. */
size_t mx_memory_region(struct mx_wave *w, uint64_t address, size_t bytes);
static inline uint64_t mx_memory_version(const struct mx_run *run, size_t region) {
	const uint64_t *version = run->launch->memory.version;
	bool same = version && run->pages && !run->pages[region].stored && !run->worker;
	return same ? version[region] : 0;
}

/* The same of spans in [from, to) of one region; and a write of their bytes, one after the other.
 */
bool mx_memory_spans_written(struct mx_wave *w, uint64_t from, uint64_t to,
                             const struct mx_span *span, unsigned n);
void mx_memory_write_spans(struct mx_wave *w, const struct mx_span *span, unsigned n,
                           const uint8_t *bytes);

/* Whether these bytes of one region, which have been checked, are written. */
bool mx_memory_bytes_written(struct mx_wave *w, uint64_t address, size_t bytes);

/* Writes bytes of one region, which have been checked, without unwritten bits. No watcher is
 * called. */
void mx_memory_write_bytes(struct mx_wave *w, uint64_t address, const void *from, size_t bytes);

/* Notes a read of arguments that the launch does not give: they are zero. */
void mx_check_given(struct mx_wave *w, const struct mx_inst *in, uint64_t address, size_t bytes);

#endif
