/* Between the files of vector memory: vmem.c and what lands, flat.c and buffer.c, which make
 * addresses. */
#ifndef MX_VMEM_H
#define MX_VMEM_H

#include "../schedule/inflight.h"

static inline unsigned mx_dwords(unsigned bytes) {
	return (bytes + 3) / 4;
}

/* Bytes of the data in its dword k. */
static inline unsigned mx_part_bytes(unsigned bytes, unsigned k) {
	unsigned left = bytes - 4 * k;
	return left < 4 ? left : 4;
}

/* ---- vmem.c ---- */

/* Up to 4 bytes, `at` bytes into where a lane points: device memory, LDS or scratch. Checking
 * comes first, and false stops the instruction; what goes on out of range reads 0 and is not
 * written. */
bool mx_lane_check(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned at,
                   unsigned bytes, bool write);
uint32_t mx_lane_read(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned at,
                      unsigned bytes, uint32_t *unwritten);
void mx_lane_write(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned at,
                   unsigned bytes, uint32_t value, uint32_t unwritten);

/* Takes store data of the instruction's lanes from registers, reporting unwritten bits
 * where `to_memory`. data: operand code of the first register. */
void mx_take_store_data(struct mx_wave *w, struct mx_memop *m, unsigned data, unsigned bytes,
                        bool to_memory);
/* A loaded part of `bytes` (1 to 4) widened to a dword, as the opcode asks. */
uint32_t mx_extend(const struct mx_inst *in, uint32_t v, unsigned bytes);
/* Dword k of what a lane loads, as the opcode widens it. */
uint32_t mx_loaded(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned k,
                   uint32_t *unwritten);

/* Whether there are n address registers from `row`; reports those that nobody wrote. */
bool mx_addresses_exist(struct mx_wave *w, const struct mx_inst *in, unsigned row, unsigned n);
void mx_check_scalars_written(struct mx_wave *w, const struct mx_inst *in, unsigned code,
                              unsigned n);

/* With addresses in place: checks registers and memory, takes data, chooses how to land. False
 * if the instruction must not happen. */
bool mx_vmem_prepare(struct mx_wave *w, struct mx_memop *m);
/* Prepares an operation of vmcnt and issues or drops it. */
void mx_vmem_issue(struct mx_wave *w, struct mx_memop *m);

/* ---- rmw.c ---- */
bool mx_prepare_atomic(struct mx_wave *w, struct mx_memop *m);

/* ---- lds_dma.c ---- */
void mx_prepare_lds(struct mx_wave *w, struct mx_memop *m);

/* Where in LDS a lane's data of a load to LDS goes, and how much of it. */
uint32_t mx_lds_dma_place(const struct mx_memop *m, unsigned lane, unsigned *bytes);

/* ---- typed.c: buffers whose elements are converted ---- */

/* Fills m->format from the instruction or from the third dword of a resource, and returns the
 * bytes of an element; 0, with a finding, where there is no such format. */
unsigned mx_typed_element(struct mx_wave *w, struct mx_memop *m, uint32_t word3);
unsigned mx_typed_bytes(const struct mx_memop *m); /* the same, once m->format is there */
bool mx_prepare_typed(struct mx_wave *w, struct mx_memop *m);

/* The dword of a lane that a typed load of one component gives. */
uint32_t mx_typed_first(struct mx_wave *w, const struct mx_memop *m, unsigned lane,
                        uint32_t *unwritten);

#endif
