/* Numbers of gfx1250: counters of operations in flight and their streams, LDS, barriers. */
#ifndef MX_GFX1250_H
#define MX_GFX1250_H

#include <stdint.h>

/* Counters [LLVM "SIInsertWaitcnts", extended counters of gfx12]. No data depend on XCNT, the
 * counter of address translations. */
enum {
	MX_COUNTER_LOAD,
	MX_COUNTER_STORE,
	MX_COUNTER_DS,
	MX_COUNTER_KM, /* scalar memory, messages */
	MX_COUNTER_ASYNC,
	MX_COUNTER_TENSOR,
	MX_GFX1250_COUNTERS
};
enum { MX_MOST_COUNT = 63, MX_MOST_KM = 31 };

/* Streams: mx_gfx1250 has their counters and order. */
enum {
	MX_STREAM_LOAD,
	MX_STREAM_STORE,
	MX_STREAM_LDS, /* also the part in LDS of a FLAT instruction */
	MX_STREAM_KM,
	MX_STREAM_ASYNC_LOAD,
	MX_STREAM_ASYNC_STORE,
	MX_STREAM_TENSOR,
	MX_GFX1250_STREAMS
};

enum { MX_GFX1250_LDS = 320 * 1024 }; /* of a workgroup */
enum { MX_GFX1250_VGPRS = 1024 };

/* MODE has the banks of VGPRs in bits 19:12 in the order destination, source 0, 1, 2; s_set_vgpr_msb
 * has the destination last. */
enum { MX_MODE_BANKS_SHIFT = 12 };
static inline unsigned mx_banks_of_mode(uint32_t mode) {
	unsigned b = mode >> MX_MODE_BANKS_SHIFT & 0xff;
	return (b >> 2 | b << 6) & 0xff;
}

/* Barriers of a workgroup: 0 is -1 of the instructions, the next are the named ones, the last is -3,
 * that of its cluster. */
enum { MX_BARRIER_WORKGROUP, MX_BARRIER_CLUSTER = 17, MX_GFX1250_BARRIERS };

#endif
