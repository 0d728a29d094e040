/* Layouts: where the bytes of a row-major matrix lie once a kernel's packer has been over it.
 *
 * A matrix is rows x cols bytes: scales, or packed element codes. A layout (layouts.def) pads
 * it and puts each byte into a slot of its own; slots that no byte of the matrix has are
 * padding, and hold a fill that the caller chooses, since consumers differ: 0, 127, or
 * poison where nobody should look.
 *
 *   struct mx_packing p;
 *   mx_packing_make(&p, &(struct mx_packing_spec){ "s32x8", .fill = 127 }, M, K / 32, &err);
 *   uint8_t *packed = malloc(p.bytes);
 *   mx_pack(&p, scales, ld, packed);
 *
 * Sizes are 64 bits wide; one that is not fails. Functions return 0, or -1 with err->text.
 */
#ifndef MX_LAYOUT_H
#define MX_LAYOUT_H

#include "case.h"

/* The layout of that name, or NULL; its position in layouts.def, from 0, for walking all. */
const struct mx_layout *mx_layout_by_name(const char *name);
const struct mx_layout *mx_layout_at(unsigned i);
const char *mx_layout_name(const struct mx_layout *l);

/* What a layout is for. Those of FP4 codes put 32 elements, 16 bytes, side by side. */
typedef enum { MX_LAYOUT_ANY, MX_LAYOUT_SCALES, MX_LAYOUT_CODES, MX_LAYOUT_FP4 } mx_layout_use;
mx_layout_use mx_layout_holds(const struct mx_layout *l);

/* The fill that is poison: every byte of a padding slot is MX_POISON. Any other is a byte
 * that stands in the slot as a byte of the matrix would, zero-extended. */
enum { MX_FILL_POISON = 256 };

/* A fill as case files have it, "poison" or a number; NULL is poison. False if it is neither. */
bool mx_layout_fill(const char *text, unsigned *fill);

/* Fails on an unknown layout; on pad_rows or pad_cols that are no multiple of what the
 * layout needs; on a fill over MX_FILL_POISON; on a matrix whose packed size is over 2^63;
 * and on one that the layout crops so that bytes are lost, with their number. */
int mx_packing_make(struct mx_packing *p, const struct mx_packing_spec *spec, size_t rows,
                    size_t cols, struct mx_error *err);

/* Where byte (row, col) of the matrix lies, in bytes from the start. row < rows, col < cols. */
size_t mx_packing_at(const struct mx_packing *p, size_t row, size_t col);

/* The other way round: false where the slot that byte `at` belongs to is padding. */
bool mx_packing_from(const struct mx_packing *p, size_t at, size_t *row, size_t *col);

/* The first run of padding bytes at or after `from`: [*first, *end). False if there is none. */
bool mx_packing_padding(const struct mx_packing *p, size_t from, size_t *first, size_t *end);

/* src: rows of cols bytes, ld bytes from one to the next. packed: p->bytes of them. */
void mx_pack(const struct mx_packing *p, const uint8_t *src, size_t ld, uint8_t *packed);
void mx_unpack(const struct mx_packing *p, const uint8_t *packed, uint8_t *dst, size_t ld);

#endif
