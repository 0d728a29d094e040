/* Layouts: the order of a row-major matrix's bytes after a kernel's packer.
 *
 * A matrix is rows x cols bytes: scales, or packed element codes. A layout (layouts.def) pads it
 * and assigns a slot to each byte. Slots without a byte of the matrix are padding. The caller
 * chooses their fill, because consumers differ: 0, 127, or poison if nothing should read them.
 *
 *   struct mx_packing p;
 *   mx_packing_make(&p, &(struct mx_packing_spec){ "s32x8", .fill = 127 }, M, K / 32, &err);
 *   uint8_t *packed = malloc(p.bytes);
 *   mx_pack(&p, scales, ld, packed);
 *
 * Sizes are 64 bits wide; a larger size fails. Functions return 0, or -1 with err->text. */
#ifndef MX_LAYOUT_H
#define MX_LAYOUT_H

#include "case.h"

/* The layout of that name, or NULL; the layout at a position in layouts.def, from 0. */
const struct mx_layout *mx_layout_by_name(const char *name);
const struct mx_layout *mx_layout_at(unsigned i);
const char *mx_layout_name(const struct mx_layout *l);

/* The contents that a layout is for. FP4 layouts keep 32 elements, 16 bytes, contiguous; F32
 * layouts have columns of 4 bytes. */
typedef enum {
	MX_LAYOUT_ANY,
	MX_LAYOUT_SCALES,
	MX_LAYOUT_CODES,
	MX_LAYOUT_FP4,
	MX_LAYOUT_F32
} mx_layout_use;
mx_layout_use mx_layout_holds(const struct mx_layout *l);

/* The bytes of a row that the layout keeps together, from a multiple of as many: a power of two; 0
 * if it keeps whole rows. */
size_t mx_layout_run(const struct mx_layout *l);

/* MX_FILL_POISON: every byte of a padding slot is MX_POISON. Any other fill is a byte,
 * zero-extended in the slot like a byte of the matrix; of MX_FILL_RANDOM it depends on the slot. */
enum { MX_FILL_POISON = 256, MX_FILL_RANDOM };

/* Byte `at` of the packed matrix, if it is padding. */
uint8_t mx_packing_fill(const struct mx_packing *p, size_t at);

/* Parses a fill of a case file, "poison", "random" or a number; NULL is poison. False if it is none
 * of them. */
bool mx_layout_fill(const char *text, unsigned *fill);

/* Fails on an unknown layout; on pad_rows or pad_cols that are not multiples of the layout's; on a
 * fill over MX_FILL_RANDOM; on a packed size over 2^63; and if the layout's crop loses bytes, with
 * their number. */
int mx_packing_make(struct mx_packing *p, const struct mx_packing_spec *spec, size_t rows,
                    size_t cols, struct mx_error *err);

/* The offset of byte (row, col) of the matrix, in bytes from the start. row < rows, col < cols. */
size_t mx_packing_at(const struct mx_packing *p, size_t row, size_t col);

/* The inverse: false if the slot of byte `at` is padding. */
bool mx_packing_from(const struct mx_packing *p, size_t at, size_t *row, size_t *col);

/* The first run of padding bytes at or after `from`: [*first, *end). False if there is none. */
bool mx_packing_padding(const struct mx_packing *p, size_t from, size_t *first, size_t *end);

/* src: rows of cols bytes, at a distance of ld bytes. packed: p->bytes. */
void mx_pack(const struct mx_packing *p, const uint8_t *src, size_t ld, uint8_t *packed);
void mx_unpack(const struct mx_packing *p, const uint8_t *packed, uint8_t *dst, size_t ld);

#endif
