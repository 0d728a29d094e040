/* Numbers of gfx950: counters of operations in flight and their streams, LDS, MODE. */
#ifndef MX_GFX950_H
#define MX_GFX950_H

#include <stdint.h>

/* Counters, and their highest values [ISA 4.4]. */
enum { MX_COUNTER_VM, MX_COUNTER_LGKM, MX_GFX950_COUNTERS };
enum { MX_VMCNT_MAX = 63, MX_LGKMCNT_MAX = 15 };

/* Streams of operations: mx_gfx950 has their counters and order. A FLAT instruction is two
 * operations, one of each counter. */
enum {
	MX_STREAM_VM,
	MX_STREAM_SCRATCH, /* scratch, if it returns apart from VM; otherwise it is in VM */
	MX_STREAM_DS,
	MX_STREAM_SM, /* scalar memory, messages, FLAT in LDS */
	MX_STREAM_FL, /* FLAT with no lane in memory */
	MX_GFX950_STREAMS
};

enum { MX_LDS_MAX = 160 * 1024 };        /* of a workgroup [ISA 2.2.1] */
enum { MX_VGPRS = 256, MX_AGPRS = 256 }; /* [ISA 3.6.4] */

/* Bits of MODE. MX_MODE_BITS: all of MODE except DEBUG and EXCP_EN. alu/lanes.h has the fields that
 * vector arithmetic reads. */
#define MX_MODE_GPR_IDX_EN (1u << 27)
#define MX_MODE_VSKIP      (1u << 28)
#define MX_MODE_CSP_SHIFT  29
#define MX_MODE_BITS       0xfc8003ffu

/* The maximum of each counter after an s_waitcnt [ISA 4.4]. */
struct mx_wait {
	uint8_t vmcnt, lgkmcnt;
};
static inline struct mx_wait mx_wait_of(uint32_t simm16) {
	return (struct mx_wait){ (uint8_t)((simm16 & 15) | (simm16 >> 14 & 3) << 4),
		                 simm16 >> 8 & 15 };
}
/* SIMM16 with these counters replaced. */
static inline uint32_t mx_wait_into(uint32_t simm16, struct mx_wait wait) {
	return (simm16 & ~0xcf0fu) | (wait.vmcnt & 15u) | (wait.vmcnt >> 4 & 3u) << 14 |
	       (wait.lgkmcnt & 15u) << 8;
}

#endif
