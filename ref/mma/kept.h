/* Operands as a method has loaded them, and what they were loaded from.
 *
 * The waves of a workgroup multiply a few fragments of A by a few of B, so most operands come again
 * soon. To compare an operand's registers with those of a kept one is faster than to load it. Each
 * thread keeps its own. */
#ifndef MX_KEPT_H
#define MX_KEPT_H

#include "tile.h"

/* An operand and its scales. */
struct side {
	mx_shape shape;
	mx_format format;
	mx_scale_format scales;
	unsigned block, codes; /* codes: of scales */
	unsigned registers;
	const uint32_t (*regs)[MX_LANES];
	const uint8_t *scale;
};
struct side mx_side_of(const struct mx_mma_args *g, mx_side s);

typedef enum {
	MX_KEPT_NIBBLES, /* bytes, for two operands of E2M1 */
	MX_KEPT_GROUPS,  /* bytes, for others */
	MX_KEPT_WORDS,
	MX_KEPT_FACTORS,
	MX_KEPT_ALIGNED,
	MX_KEPT_METHODS
} mx_kept_method;
enum { MX_KEPT_BYTES = 20544 }; /* room for what a method loads */

struct mx_kept {
	_Alignas(64) uint32_t regs[8][MX_LANES];
	uint8_t scales[MX_SCALES];
	struct side side; /* but for its pointers */
	bool loaded;      /* `operand` is valid; the method sets it */
	_Alignas(64) unsigned char operand[MX_KEPT_BYTES];
};

/* The thread's place for this operand. Where `loaded` is not set, the method loads it there. It
 * stays valid until the thread has asked for 7 others of that side. NULL: no memory. */
struct mx_kept *mx_kept_operand(mx_kept_method method, mx_side s, const struct side *o);

#endif
