/* Scratch: the private segments of a wave's lanes. */
#ifndef MX_SCRATCH_H
#define MX_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

struct mx_inst;
struct mx_memop;
struct mx_run;
struct mx_wave;

enum { MX_SCRATCH_MAX = 131056 }; /* bytes per work-item: 13 bits of KiB per wave [HIP's runtime] */

bool mx_scratch_new(struct mx_wave *w, const struct mx_run *run);
void mx_scratch_free(struct mx_wave *w);
void mx_scratch_start(struct mx_wave *w, uint8_t pattern);

/* Whether an access is in the lane's segment; reports a finding if not. */
bool mx_scratch_check(struct mx_wave *w, const struct mx_inst *in, unsigned lane, uint32_t offset,
                      unsigned bytes, bool write);
/* Accesses up to 4 bytes when an instruction lands. Outside the segment a read gives an unwritten
 * 0, and a write is dropped. */
uint32_t mx_scratch_read(const struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                         uint32_t offset, unsigned bytes, uint32_t *unwritten);
void mx_scratch_write(const struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                      uint32_t offset, unsigned bytes, uint32_t value, uint32_t unwritten);

/* ---- an operation of which all lanes are in scratch, together ---- */

/* Whether the accesses of all lanes are in their segments. */
bool mx_scratch_holds_wave(const struct mx_wave *w, const struct mx_memop *m);
/* Lands it. A load does nothing, and returns false, if there are unwritten bits. */
bool mx_scratch_load_together(struct mx_wave *w, struct mx_memop *m);
void mx_scratch_store_together(struct mx_wave *w, struct mx_memop *m);

#endif
