/* Functions that the files of vector memory share: flat.c and buffer.c compute addresses, vmem.c
 * and the others perform the access. */
#ifndef MX_VMEM_H
#define MX_VMEM_H

#include "../machine/registers.h"
#include "../schedule/inflight.h"

static inline unsigned mx_dwords(unsigned bytes) {
	return (bytes + 3) / 4;
}

/* The number of data bytes in dword k. */
static inline unsigned mx_part_bytes(unsigned bytes, unsigned k) {
	unsigned left = bytes - 4 * k;
	return left < 4 ? left : 4;
}

/* ---- vmem.c ---- */

/* Accesses up to 4 bytes at a lane's address plus `at`, in device memory, LDS or scratch. The check
 * comes first; false stops the instruction. If the launch continues, a read out of range gives 0,
 * and a write is dropped. */
bool mx_lane_check(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned at,
                   unsigned bytes, bool write);
uint32_t mx_lane_read(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned at,
                      unsigned bytes, uint32_t *unwritten);
void mx_lane_write(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned at,
                   unsigned bytes, uint32_t value, uint32_t unwritten);

/* Takes store data of the instruction's lanes from registers, and reports unwritten bits if
 * `to_memory`. data: operand code of the first register. */
void mx_take_store_data(struct mx_wave *w, struct mx_memop *m, unsigned data, unsigned bytes,
                        bool to_memory);
/* Reports unwritten bits of dword k of a lane's data, of `bytes` bytes, that are stored to memory.
 */
void mx_find_unwritten_data(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned k,
                            unsigned bytes, uint32_t unwritten);
/* A loaded part of `bytes` (1 to 4), extended to a dword as the opcode defines. */
uint32_t mx_extend(const struct mx_inst *in, uint32_t v, unsigned bytes);
/* Dword k of a lane's loaded data, extended as the opcode defines. */
uint32_t mx_loaded(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned k,
                   uint32_t *unwritten);

/* The first register row of the data: the result of a load, the source of a store or an atomic. */
static inline unsigned mx_data_row(const struct mx_inst *in) {
	return mx_row_at(in, in->op->flags & MX_LOAD ? MX_AT_RESULT : MX_AT_DATA);
}
/* Whether n address registers exist from `row` on; reports unwritten ones. */
bool mx_addresses_exist(struct mx_wave *w, const struct mx_inst *in, unsigned row, unsigned n);
__attribute__((cold)) void mx_report_unwritten_scalars(struct mx_wave *w, const struct mx_inst *in,
                                                       unsigned code, unsigned n);
static inline void mx_check_scalars_written(struct mx_wave *w, const struct mx_inst *in,
                                            unsigned code, unsigned n) {
	uint32_t unwritten = 0;
	for (unsigned i = 0; i < n; i++)
		unwritten |= mx_sread_unwritten(w, code + i);
	if (unwritten)
		mx_report_unwritten_scalars(w, in, code, n);
}

/* After the addresses are computed: checks registers and memory, takes data, and selects the
 * landing function. False if the instruction must not execute. */
bool mx_vmem_prepare(struct mx_wave *w, struct mx_memop *m);
/* Prepares an operation, and issues or drops it. */
void mx_vmem_issue(struct mx_wave *w, struct mx_memop *m);

/* buffer_wbl2, buffer_inv and those of gfx1250: the emulator has no caches. They return an
 * acknowledgement, which decrements their counter [ISA 12.13]. */
void mx_cache_operation(struct mx_wave *w, const struct mx_inst *in);

/* ---- block.c ---- */

/* The loads and stores of up to 32 registers. False: it must not be issued. */
bool mx_prepare_block(struct mx_wave *w, struct mx_memop *m);

/* ---- rmw.c ---- */
bool mx_prepare_atomic(struct mx_wave *w, struct mx_memop *m);

/* ---- lds_dma.c ---- */
void mx_prepare_lds(struct mx_wave *w, struct mx_memop *m);

/* The LDS address of a lane's data of a load to LDS, and its size. */
uint32_t mx_lds_dma_place(const struct mx_memop *m, unsigned lane, unsigned *bytes);

/* ---- async_copy.c ---- */

/* The copies whose lanes have an address in LDS each. False: it must not be issued. */
bool mx_prepare_copy(struct mx_wave *w, struct mx_memop *m);

/* ---- transpose.c ---- */

/* Whether a transposing load may be issued; otherwise with a finding. */
bool mx_may_transpose(struct mx_wave *w, const struct mx_memop *m);
/* Transposes the data that the lanes have loaded. */
void mx_transpose_lanes(const struct mx_wave *w, struct mx_memop *m);

/* ---- typed.c: buffers with converted elements ---- */

/* Sets m->format from the instruction or from the third dword of a resource, and returns the bytes
 * of an element; 0, with a finding, if there is no such format. */
unsigned mx_typed_element(struct mx_wave *w, struct mx_memop *m, uint32_t word3);
unsigned mx_typed_bytes(const struct mx_memop *m); /* the same, after m->format is set */
bool mx_prepare_typed(struct mx_wave *w, struct mx_memop *m);

/* The dword of a lane that a typed load of one component gives. */
uint32_t mx_typed_first(struct mx_wave *w, const struct mx_memop *m, unsigned lane,
                        uint32_t *unwritten);

#endif
