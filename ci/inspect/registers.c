/* Names and contents of registers as text. */
#include "registers.h"

#include <inttypes.h>
#include <stdio.h>

#include "../../ref/isa/encoding/formats.h"
#include "../../ref/isa/encoding/instruction_set.h"

static const char *special_name(const struct mx_isa *isa, unsigned code) {
	static const struct {
		unsigned code;
		const char *name;
	} special[] = {
		{ MX_FLAT_SCRATCH, "flat_scratch_lo" },
		{ MX_FLAT_SCRATCH + 1, "flat_scratch_hi" },
		{ MX_XNACK_MASK, "xnack_mask_lo" },
		{ MX_XNACK_MASK + 1, "xnack_mask_hi" },
		{ MX_VCC, "vcc_lo" },
		{ MX_VCC + 1, "vcc_hi" },
		{ MX_M0, "m0" },
		{ MX_EXEC, "exec_lo" },
		{ MX_EXEC + 1, "exec_hi" },
		{ MX_SCC, "scc" },
	};
	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		if (special[i].code == code && code >= isa->encodings->sgprs)
			return special[i].name;
	return NULL;
}

const char *mx_register_name(const struct mx_isa *isa, unsigned code, char text[16]) {
	const char *special = special_name(isa, code);
	if (special)
		snprintf(text, 16, "%s", special);
	else if (code >= MX_VGPR + isa->vgprs)
		snprintf(text, 16, "a%u", code - MX_VGPR - isa->vgprs);
	else if (code >= MX_VGPR)
		snprintf(text, 16, "v%u", code - MX_VGPR);
	else if (code >= MX_TTMP0)
		snprintf(text, 16, "ttmp%u", code - MX_TTMP0);
	else
		snprintf(text, 16, "s%u", code);
	return text;
}

/* Eight values a line; each line begins with the name of its first register. */
static void print_file(char file, const uint32_t *first, size_t stride, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		if (i % 8 == 0)
			printf("    %c%-3u", file, i);
		printf(" %08" PRIx32 "%s", first[i * stride], i % 8 == 7 || i + 1 == n ? "\n" : "");
	}
}

void mx_registers_print(const struct mx_registers *r, const struct mx_register_counts *n,
                        unsigned lane) {
	const uint32_t *s = r->s;
	printf("    exec %08" PRIx32 "%08" PRIx32 "  vcc %08" PRIx32 "%08" PRIx32
	       "  scc %d  m0 %08" PRIx32 "\n",
	       s[MX_EXEC + 1], s[MX_EXEC], s[MX_VCC + 1], s[MX_VCC], r->scc, s[MX_M0]);
	print_file('s', s, 1, n->s);
	printf("    lane %u\n", lane);
	print_file('v', &r->v[0][lane], MX_LANES, n->v < r->vgprs ? n->v : r->vgprs);
	print_file('a', &r->v[256][lane], MX_LANES, n->a < r->agprs ? n->a : r->agprs);
}
