/* The disassembler at the ends of memory: truncated code and short buffers. With the argument
 * "text" and the name of an instruction set it serves disasm.t and disasm_gfx1250.t, which compare
 * the texts: it reads lines of dwords in hex and prints the instructions of each line and an empty
 * line; a line that is not valid to its end stops at "invalid". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../ref/isa/encoding/instruction_set.h"
#include "../tap.h"

enum { LINE_MAX_DWORDS = 16 };

static size_t parse(const char *line, uint32_t *code) {
	size_t n = 0;
	int used;
	while (n < LINE_MAX_DWORDS && sscanf(line, "%x%n", &code[n], &used) == 1) {
		line += used;
		n++;
	}
	return n;
}

static void print_line(const struct mx_isa *isa, const uint32_t *code, size_t n) {
	char text[400];
	for (size_t i = 0; i < n;) {
		size_t bytes = isa->disassemble(code + i, n - i, 0, text, sizeof text);
		puts(bytes ? text : "invalid");
		if (!bytes)
			break;
		i += bytes / 4;
	}
	puts("");
}

/* Each is valid only at its full length. The dwords are in memory of exactly that size, so a
 * sanitizer detects a read beyond the end. */
static void test_cut_off(void) {
	static const struct {
		const char *text;
		size_t n;
		uint32_t code[4];
	} whole[] = {
		{ "v_add_f32_e32 v1, 0x12345678, v1", 2, { 0x020202ff, 0x12345678 } },
		{ "v_fmamk_f32 v1, 0, 0x5, v1", 2, { 0x2e020280, 5 } },
		{ "v_add_u32_sdwa v1, v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD "
		  "src1_sel:DWORD",
		  2,
		  { 0x680202f9, 0x06060600 } },
		{ "v_add3_u32 v5, v3, v2, v1", 2, { 0xd1ff0005, 0x04060503 } },
		{ "v_add3_u32 v4, lit(0x5), s2, v1", 3, { 0xd1ff0004, 0x040404ff, 5 } },
		{ "global_load_dword v0, v[0:1], off offset:-1", 2, { 0xdc509fff, 0x007f0000 } },
	};
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
		char text[200];
		size_t valid = 0;
		for (size_t left = 0; left < whole[i].n; left++) {
			uint32_t *code = malloc(4 * left);
			memcpy(code, whole[i].code, 4 * left);
			valid += mx_gfx950.disassemble(code, left, 0, text, sizeof text) > 0;
			free(code);
		}
		ok(!valid &&
		           mx_gfx950.disassemble(whole[i].code, whole[i].n, 0, text, sizeof text) ==
		                   4 * whole[i].n &&
		           !strcmp(text, whole[i].text),
		   "%s needs all its %zu dwords", whole[i].text, whole[i].n);
	}
}

static void test_short_room(void) {
	static const uint32_t code[] = { 0xd1ff0005, 0x04060503 };
	const char *whole = "v_add3_u32 v5, v3, v2, v1";
	size_t wrong = 0, length = strlen(whole);
	for (size_t room = 0; room <= length + 1; room++) {
		char *text = malloc(room + 1);
		memset(text, '#', room + 1);
		size_t bytes = mx_gfx950.disassemble(code, 2, 0, text, room);
		wrong += bytes != 8 || text[room] != '#' ||
		         (room && (strlen(text) != room - 1 || memcmp(text, whole, room - 1)));
		free(text);
	}
	ok(!wrong, "a text that does not fit is truncated, for any size");
}

int main(int argc, char **argv) {
	char line[256];
	uint32_t code[LINE_MAX_DWORDS];
	if (argc < 3 || strcmp(argv[1], "text")) {
		test_cut_off();
		test_short_room();
		return done_testing();
	}
	const struct mx_isa *isa = mx_isa_by_name(argv[2]);
	while (isa && fgets(line, sizeof line, stdin))
		print_line(isa, code, parse(line, code));
	return 0;
}
