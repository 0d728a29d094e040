/* The 64 bytes that the command processor reads [LLVM "Kernel Descriptor", GFX90A to GFX942 rows;
 * of gfx1250 those of GFX10 and later]. Every field is either read, or checked to have its one
 * supported value. */
#include <string.h>

#include "codeobject.h"

enum {
	RSRC3 = 44,
	RSRC1 = 48,
	RSRC2 = 52,
	PROPERTIES = 56,
	DYNAMIC_STACK = 1 << 11,
};

static uint32_t u32_at(const uint8_t *p) {
	uint32_t v;
	memcpy(&v, p, 4);
	return v;
}

enum { BOTH, GFX950, GFX1250 };

/* Bits that must be 0. A comment names what sets them instead. */
static const struct {
	uint8_t at; /* byte of the dword */
	uint32_t bits;
	const char *what;
	uint8_t only;
} zero[] = {
	{ 12, ~0u, "kernel descriptor: reserved bytes 12 to 15" },
	{ 24, ~0u, "kernel descriptor: reserved bytes 24 to 43" },
	{ 28, ~0u, "kernel descriptor: reserved bytes 24 to 43" },
	{ 32, ~0u, "kernel descriptor: reserved bytes 24 to 43" },
	{ 36, ~0u, "kernel descriptor: reserved bytes 24 to 43" },
	{ 40, ~0u, "kernel descriptor: reserved bytes 24 to 43" },
	{ 60, ~0u, "kernel descriptor: reserved bytes 60 to 63" },
	{ RSRC1, 3u << 10, "kernel descriptor: PRIORITY" },
	{ RSRC1, 1u << 20, "kernel descriptor: PRIV" },
	{ RSRC1, 1u << 22, "kernel descriptor: DEBUG_MODE" },
	{ RSRC1, 1u << 24, "kernel descriptor: BULKY" },
	{ RSRC1, 1u << 25, "kernel descriptor: CDBG_USER" },
	{ RSRC1, 31u << 27, "kernel descriptor: reserved bits 27 to 31 of RSRC1", GFX950 },
	{ RSRC1, 15u << 6, "kernel descriptor: GRANULATED_WAVEFRONT_SGPR_COUNT", GFX1250 },
	{ RSRC1, 1u << 27, "kernel descriptor: FLAT_SCRATCH_IS_NV", GFX1250 },
	{ RSRC1, 3u << 28, "kernel descriptor: reserved bits 28 and 29 of RSRC1", GFX1250 },
	{ RSRC2, 1u << 6, "kernel descriptor: ENABLE_TRAP_HANDLER", GFX950 }, /* firmware */
	{ RSRC2, 3u << 13, "kernel descriptor: address watch and memory exceptions" }, /* same */
	{ RSRC2, 511u << 15, "kernel descriptor: GRANULATED_LDS_SIZE" },               /* same */
	{ RSRC2, 127u << 24, "kernel descriptor: floating-point and integer exceptions" },
	{ RSRC2, 1u << 31, "kernel descriptor: reserved bit 31 of RSRC2" },
	{ RSRC3, 1023u << 6, "kernel descriptor: reserved bits 6 to 15 of RSRC3", GFX950 },
	{ RSRC3, 0xfffe0000u, "kernel descriptor: reserved bits 17 to 31 of RSRC3", GFX950 },
	{ RSRC3, 1u << 13, "kernel descriptor: GLG_EN", GFX1250 },
	{ RSRC3, 1u << 17, "kernel descriptor: ENABLE_DYNAMIC_VGPR", GFX1250 },
	{ RSRC3, 7u << 18, "kernel descriptor: TCP_SPLIT", GFX1250 },
	{ RSRC3, 0xffc0100fu, "kernel descriptor: reserved bits of RSRC3, or IMAGE_OP", GFX1250 },
};

static const char *unsupported(const uint8_t *kd, unsigned set) {
	bool scratch = u32_at(kd + 4) || u32_at(kd + PROPERTIES) & DYNAMIC_STACK;
	for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
		if ((!zero[i].only || zero[i].only == set) &&
		    u32_at(kd + zero[i].at) & zero[i].bits)
			return zero[i].what;
	if (scratch && !(u32_at(kd + RSRC2) & 1))
		return "kernel descriptor: a private segment without ENABLE_PRIVATE_SEGMENT";
	return (u32_at(kd + RSRC2) >> 11 & 3) == 3 ? "kernel descriptor: ENABLE_VGPR_WORKITEM_ID 3"
	                                           : NULL;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
	return a < b ? a : b;
}

/* Each lane has one register file: VGPRs first, then AGPRs. */
static void read_registers(struct mx_descriptor *d, uint32_t rsrc1, uint32_t rsrc3) {
	uint32_t total = ((rsrc1 & 63) + 1) * 8, arch = ((rsrc3 & 63) + 1) * 4;
	d->vgprs = smaller(smaller(arch, total), 256);
	d->agprs = smaller(total - d->vgprs, 256);
}

/* What gfx1250 has in other places: MEM_ORDERED and the hints for prefetch and scheduling have no
 * effect here. */
static void read_gfx1250(struct mx_descriptor *d, uint32_t rsrc1, uint32_t rsrc2, uint32_t rsrc3) {
	enum { SGPRS = 106, DX10_CLAMP_IEEE = 3 << 8 };
	d->vgprs = smaller(((rsrc1 & 63) + 1) * 16, 1024);
	d->agprs = 0;
	d->sgprs = SGPRS;
	d->user_sgprs = rsrc2 >> 1 & 63;
	d->mode &= ~(uint32_t)DX10_CLAMP_IEEE;
	d->tg_split = false;
	d->named_barriers = (rsrc3 >> 14 & 7) * 4;
}

void mx_descriptor_decode(const uint8_t kd[MX_DESCRIPTOR_BYTES], const char *isa,
                          struct mx_descriptor *d) {
	bool gfx1250 = isa && !strcmp(isa, "gfx1250");
	uint32_t rsrc3 = u32_at(kd + RSRC3), rsrc1 = u32_at(kd + RSRC1), rsrc2 = u32_at(kd + RSRC2);
	uint32_t tail = u32_at(kd + PROPERTIES);
	*d = (struct mx_descriptor){
		.lds_bytes = u32_at(kd),
		.scratch_bytes = u32_at(kd + 4),
		.kernarg_bytes = u32_at(kd + 8),
		.sgprs = ((rsrc1 >> 6 & 15) / 2 + 1) * 16, /* counts eights, the hardware 16 */
		.user_sgprs = rsrc2 >> 1 & 31,
		.preload_dwords = tail >> 16 & 0x7f,
		.preload_offset = tail >> 23,
		.properties = tail & 0xffff,
		.workgroup_id = { rsrc2 >> 7 & 1, rsrc2 >> 8 & 1, rsrc2 >> 9 & 1 },
		.workgroup_info = rsrc2 >> 10 & 1,
		.tg_split = rsrc3 >> 16 & 1,
		.dynamic_stack = tail & DYNAMIC_STACK,
		.work_item_ids = rsrc2 >> 11 & 3,
		.mode = (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9 |
		        (rsrc1 >> 26 & 1) << 23,
		.unsupported = unsupported(kd, gfx1250 ? GFX1250 : GFX950),
	};
	memcpy(&d->entry, kd + 16, sizeof d->entry);
	read_registers(d, rsrc1, rsrc3);
	if (gfx1250)
		read_gfx1250(d, rsrc1, rsrc2, rsrc3);
}
