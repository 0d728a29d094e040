/* The text of immediates that are printed as names: hardware registers, messages, counters, index
 * modes, buffer formats. */
#include <string.h>

#include "disasm.h"
#include "gfx950.h"

void mx_put_hwreg(struct mx_text *t, unsigned v, const char *const names[64]) {
	unsigned id = v & 63, offset = v >> 6 & 31, width = (v >> 11) + 1;
	if (names[id])
		mx_put(t, "hwreg(HW_REG_%s", names[id]);
	else
		mx_put(t, "hwreg(%u", id);
	if (offset || width != 32)
		mx_put(t, ", %u, %u", offset, width);
	mx_put(t, ")");
}

static void put_hwreg(struct mx_text *t, unsigned v) {
	static const char *const names[64] = {
		[1] = "MODE",
		[2] = "STATUS",
		[3] = "TRAPSTS",
		[4] = "HW_ID",
		[5] = "GPR_ALLOC",
		[6] = "LDS_ALLOC",
		[7] = "IB_STS",
		[15] = "SH_MEM_BASES",
		[16] = "TBA_LO",
		[17] = "TBA_HI",
		[18] = "TMA_LO",
		[19] = "TMA_HI",
		[20] = "XCC_ID",
		[21] = "SQ_PERF_SNAPSHOT_DATA",
		[22] = "SQ_PERF_SNAPSHOT_DATA1",
		[23] = "SQ_PERF_SNAPSHOT_PC_LO",
		[24] = "SQ_PERF_SNAPSHOT_PC_HI",
	};
	mx_put_hwreg(t, v, names);
}

/* Messages: ID 3:0, operation 6:4, stream 9:8. ops: names of operations 0, 1 ...; empty if the
 * message has no operation. */
static const struct {
	const char *name, *ops[5];
	bool streams;
} messages[16] = {
	[1] = { "INTERRUPT" },
	[2] = { "GS", { NULL, "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT" }, true },
	[3] = { "GS_DONE", { "GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT" }, true },
	[4] = { "SAVEWAVE" },
	[5] = { "STALL_WAVE_GEN" },
	[6] = { "HALT_WAVES" },
	[7] = { "ORDERED_PS_DONE" },
	[8] = { "EARLY_PRIM_DEALLOC" },
	[9] = { "GS_ALLOC_REQ" },
	[10] = { "GET_DOORBELL" },
	[15] = { "SYSMSG",
	         { NULL, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", NULL,
	           "SYSMSG_OP_TTRACE_PC" } },
};

static void put_sendmsg(struct mx_text *t, unsigned v) {
	unsigned id = v & 15, op = v >> 4 & 7, stream = v >> 8 & 3;
	const char *name = messages[id].name;
	bool has_ops = messages[id].ops[1];
	const char *op_name = has_ops && op < 5 ? messages[id].ops[op] : NULL;
	bool has_stream = messages[id].streams && op;
	if (name && (has_ops ? op_name != NULL : !op) && (has_stream || !stream)) {
		mx_put(t, "sendmsg(MSG_%s%s%s", name, op_name ? ", " : "", op_name ? op_name : "");
		mx_put(t, has_stream ? ", %u)" : ")", stream);
	} else if (v == (id | op << 4 | stream << 8))
		mx_put(t, "sendmsg(%u, %u, %u)", id, op, stream);
	else
		mx_put(t, "%u", v);
}

/* Counters of s_waitcnt [ISA 4.4]. A counter at its maximum waits for nothing and is not printed,
 * unless all three are at their maximum. */
static void put_waitcnt(struct mx_text *t, unsigned v) {
	struct mx_wait wait = mx_wait_of(v);
	const struct {
		const char *name;
		unsigned count, most;
	} counters[] = {
		{ "vmcnt", wait.vmcnt, 63 },
		{ "expcnt", v >> 4 & 7, 7 },
		{ "lgkmcnt", wait.lgkmcnt, 15 },
	};
	bool waits = false, space = false;
	for (int i = 0; i < 3; i++)
		waits |= counters[i].count != counters[i].most;
	for (int i = 0; i < 3; i++)
		if (!waits || counters[i].count != counters[i].most) {
			mx_put(t, "%s%s(%u)", space ? " " : "", counters[i].name,
			       counters[i].count);
			space = true;
		}
}

void mx_put_gpr_idx(struct mx_text *t, unsigned modes) {
	static const char *const names[] = { "SRC0", "SRC1", "SRC2", "DST" };
	bool comma = false;
	if (modes > 15) {
		mx_put(t, "0x%x", modes);
		return;
	}
	mx_put(t, "gpr_idx(");
	for (int i = 0; i < 4; i++)
		if (modes >> i & 1) {
			mx_put(t, comma ? ",%s" : "%s", names[i]);
			comma = true;
		}
	mx_put(t, ")");
}

void mx_put_simm16(struct mx_text *t, const char *kind) {
	unsigned v = mx_text_field(t, "simm16");
	if (strlen(kind) > 1 && t->set == &mx_gfx1250_encodings)
		mx_put_gfx1250_name(t, kind, v);
	else if (strcmp(kind, "hwreg") == 0)
		put_hwreg(t, v);
	else if (strcmp(kind, "sendmsg") == 0)
		put_sendmsg(t, v);
	else if (strcmp(kind, "waitcnt") == 0)
		put_waitcnt(t, v);
	else if (strcmp(kind, "gpr_idx") == 0)
		mx_put_gpr_idx(t, v);
	else if (*kind == 'u' || (*kind == 't' && v <= 64))
		mx_put(t, "%u", v);
	else
		mx_put(t, "0x%x", v);
}

/* Data format 3:0, number format 6:4. The defaults (8 bits, UNORM) are not printed. */
void mx_put_format(struct mx_text *t, unsigned format) {
	static const char *const data[] = {
		"INVALID",     "8",        "16",          "8_8",        "32",      "16_16",
		"10_11_11",    "11_11_10", "10_10_10_2",  "2_10_10_10", "8_8_8_8", "32_32",
		"16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"
	};
	static const char *const number[] = { "UNORM", "SNORM", "USCALED",    "SSCALED",
		                              "UINT",  "SINT",  "RESERVED_6", "FLOAT" };
	unsigned d = format & 15, n = format >> 4;
	if (d == 1 && n == 0)
		return;
	mx_put(t, " format:[");
	if (d != 1)
		mx_put(t, "BUF_DATA_FORMAT_%s%s", data[d], n ? "," : "");
	if (n)
		mx_put(t, "BUF_NUM_FORMAT_%s", number[n]);
	mx_put(t, "]");
}
