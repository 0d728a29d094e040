/* Programs of gfx1250 around instructions: 32 lanes load v[8:39] as sources and v[64:79] as old
 * results from memory, and s[16:19]; M0 is s19 and EXEC is s18 around them; v[64:79] are stored. */
#ifndef GFX1250_PROGRAM_H
#define GFX1250_PROGRAM_H

#include "machine_test.h"

enum { LANES = 32, LINE = 4 * LANES };
enum { FIRST_SOURCE = 8, SOURCES = 32, FIRST_RESULT = 64, RESULT_REGISTERS = 16 };
enum { AT_SOURCES = 0, AT_OLD = 0x1000, AT_SCALARS = 0x2000, AT_RESULTS = 0x3000, USED = 0x4000 };

/* Registers are in groups of four, of which each lane has 16 bytes. */
static inline size_t place_in(size_t region, unsigned r, unsigned lane) {
	return region + r / 4 * 4 * LINE + 16 * lane + 4 * (r % 4);
}

/* Lane `lane` of a source, of an old result, of a result; s16 to s19. */
static inline uint32_t source_of(unsigned v, unsigned lane) {
	return get(place_in(AT_SOURCES, v - FIRST_SOURCE, lane));
}
static inline uint32_t old_of(unsigned v, unsigned lane) {
	return get(place_in(AT_OLD, v - FIRST_RESULT, lane));
}
static inline uint32_t result_of(unsigned v, unsigned lane) {
	return get(place_in(AT_RESULTS, v - FIRST_RESULT, lane));
}
static inline uint32_t scalar_of(unsigned s) {
	return get(AT_SCALARS + 4 * (s - 16));
}

static inline void move_group(struct code *c, bool stores, unsigned v, size_t at) {
	const uint32_t load[] = { 0xee05c000, v, 1 | (uint32_t)at << 8 };
	const uint32_t store[] = { 0xee074000, v << 23, 1 | (uint32_t)at << 8 };
	append(c, stores ? store : load, sizeof load);
}

/* Runs the instructions of `part` under a MODE. m->report is valid until the next run. */
static inline void run_gfx1250(struct machine *m, const uint32_t *part, size_t bytes,
                               uint32_t mode) {
	static const uint32_t before[] = {
		0xf4004400, 0xf8002000, /* s_load_b128 s[16:19], s[0:1], 0x2000 */
		0xbfc00000,             /* s_wait_loadcnt 0x0 */
		0xbfc70000,             /* s_wait_kmcnt 0x0 */
		0xbefd0013,             /* s_mov_b32 m0, s19 */
		0xbefe0012,             /* s_mov_b32 exec_lo, s18 */
	};
	enum { WAVES_OF_32 = 1 << 10 }; /* of KERNEL_CODE_PROPERTIES */
	struct code c = { 0 };
	append(&c, (const uint32_t[]){ 0x30020084 }, 4); /* v_lshlrev_b32_e32 v1, 4, v0 */
	for (unsigned r = 0; r < SOURCES; r += 4)
		move_group(&c, false, FIRST_SOURCE + r, place_in(AT_SOURCES, r, 0));
	for (unsigned r = 0; r < RESULT_REGISTERS; r += 4)
		move_group(&c, false, FIRST_RESULT + r, place_in(AT_OLD, r, 0));
	APPEND(&c, before);
	append(&c, part, bytes);
	append(&c, (const uint32_t[]){ 0xbefe00c1 }, 4); /* s_mov_b32 exec_lo, -1 */
	for (unsigned r = 0; r < RESULT_REGISTERS; r += 4)
		move_group(&c, true, FIRST_RESULT + r, place_in(AT_RESULTS, r, 0));
	append(&c, (const uint32_t[]){ 0xbfb00000 }, 4); /* s_endpgm */
	m->kernel.agprs = 0;
	m->kernel.vgprs = 256;
	m->kernel.mode = mode;
	m->kernel.properties |= WAVES_OF_32;
	m->launch.block[0] = LANES;
	m->kernel.entry = (uintptr_t)c.dwords;
	m->launch.kernel = &m->kernel;
	m->launch.program = mx_program_new(&mx_gfx1250, c.dwords, c.bytes, (uintptr_t)c.dwords);
	m->ran = m->launch.program && mx_launch_run(&m->launch, &m->report);
	mx_program_free((struct mx_program *)m->launch.program);
}

#endif
