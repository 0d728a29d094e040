/* Fuzz target: the executor, on a program of arbitrary dwords with a small memory. */
#include <string.h>

#include "../../ref/isa/isa.h"
#include "target.h"

enum {
	ARENA = 1 << 14,
	START = 64, /* dwords before the entry of a kernel with preloaded arguments */
	PROGRAM = 256,
	KERNARG_POINTER = 1 << 3,
	S_NOP = 0xbf800000u,
	S_ENDPGM = 0xbf810000u,
};

static uint8_t arena[ARENA], state[ARENA];
static uint32_t code[START + PROGRAM + 4];

/* Arguments that make accesses hit the arena: its address, twice, and a buffer descriptor. */
static void set_up_arena(void) {
	uint64_t base = (uintptr_t)arena + ARENA / 2;
	uint32_t buffer[4] = { (uint32_t)base, (uint32_t)(base >> 32), ARENA / 2, 0x27000 };
	memset(arena, 0x5a, sizeof arena);
	memset(state, MX_WRITTEN, sizeof state);
	memset(state, MX_GUARD, 64);
	memcpy(arena + 64, &base, 8);
	memcpy(arena + 72, &base, 8);
	memcpy(arena + 80, buffer, sizeof buffer);
}

static void set_up_code(const uint8_t *data, size_t size) {
	for (size_t i = 0; i < sizeof code / sizeof *code; i++)
		code[i] = i < START ? S_NOP : S_ENDPGM;
	memcpy(code + START, data, size < 4 * PROGRAM ? size : 4 * PROGRAM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct mx_region region = { (uintptr_t)arena, ARENA, state };
	struct mx_kernel kernel = { .name = "fuzz",
		                    .entry = (uintptr_t)code,
		                    .lds_bytes = 4096,
		                    .vgprs = 32,
		                    .agprs = 32,
		                    .user_sgprs = 10,
		                    .preload_dwords = 8,
		                    .properties = KERNARG_POINTER,
		                    .mode = 0x2f0 };
	struct mx_launch launch = { .kernel = &kernel,
		                    .memory = { .regions = &region, .n = 1 },
		                    .grid = { 1, 1, 1 },
		                    .block = { 65, 1, 1 },
		                    .kernarg = (uintptr_t)arena + 64,
		                    .seed = size,
		                    .profile = mx_profile_at(0),
		                    .max_instructions = 2 * PROGRAM };
	struct mx_report report = { 0 };
	set_up_arena();
	set_up_code(data, size);
	launch.program =
		mx_program_new(mx_isa_by_name("gfx950"), code, sizeof code, (uintptr_t)code);
	if (launch.program)
		mx_launch_run(&launch, &report);
	mx_program_free((struct mx_program *)launch.program);
	mx_report_free(&report);
	return 0;
}
