/* Bugs of real kernels, each in an otherwise right result, against every judge: a table of the
 * judges that must flag it, and the diagnosis that they must give.
 *
 * The ids are those of a list of bugs that the project must detect: N numbers, A addressing,
 * L layouts and scales, H harness. */
#include "faults.h"

enum { FP32 = MX_DT_F32, BF16 = MX_DT_BF16, FP16 = MX_DT_F16 };

/* The judges that must flag it; EVERY is all of them. */
enum {
	EXACT = 1,     /* bits, exact regime */
	PROFILE = 2,   /* bits, by the profile, on general or special data */
	BOUND = 4,     /* on the same data */
	SET = 8,       /* splits of K, atomics */
	FREIVALDS = 16 /* exact regime, f32 only */
};
enum { STEPS = EXACT | PROFILE | BOUND | FREIVALDS, EVERY = STEPS | SET };

/* ---- the table ---- */

struct fault {
	const char *id, *what;
	void (*inject)(struct scene *s);
	mx_regime data; /* of PROFILE and BOUND */
	int type;       /* of the output, except for SET and FREIVALDS */
	bool fp8;
	unsigned must, never; /* bits of judges: that flag it; that it does not apply to */
	const char *diagnosis;
};

#define GENERAL MX_REGIME_GENERAL
#define SPECIAL MX_REGIME_SPECIAL
#define BITS    (EXACT | PROFILE)

/* clang-format off */
static const struct fault faults[] = {
	{ "N1", "bf16 store truncates", n1, GENERAL, BF16, false, BITS | BOUND, SET | FREIVALDS, "truncated instead of rounded" },
	{ "N2", "bf16 bits in an f16 output", n2, GENERAL, FP16, false, BITS | BOUND, SET | FREIVALDS, "bf16 bits in an f16 output" },
	{ "N3", "fp4 ties rounded away from zero", n3, GENERAL, FP32, false, PROFILE | BOUND, EXACT | SET | FREIVALDS, NULL },
	{ "N4", "fp8 saturation gives NaN", n4, GENERAL, FP32, true, EXACT | PROFILE | BOUND | FREIVALDS, SET, NULL },
	{ "N5", "scale byte 0 taken for no scale", n5_one, SPECIAL, FP32, false, PROFILE | BOUND, EXACT | SET | FREIVALDS, NULL },
	{ "N5", "scale 0xFF not propagated", n5_nan, SPECIAL, FP32, false, PROFILE | BOUND, EXACT | SET | FREIVALDS, "0xFF were 1.0" },
	{ "N6", "scale from the wrong recipe", n6, GENERAL, FP32, false, PROFILE | BOUND, EXACT | SET | FREIVALDS, NULL },
	{ "N7", "-0 lost", n7, SPECIAL, FP32, false, PROFILE, EXACT | SET | FREIVALDS, "zeros with the wrong sign" },
	{ "N8", "a lost atomic update", n8_lost, GENERAL, FP32, false, SET, (unsigned)~SET, "update of split 2 were lost" },
	{ "N8", "an atomic update done twice", n8_doubled, GENERAL, FP32, false, SET, (unsigned)~SET, "update of split 1 were done twice" },
	{ "N8", "output not zeroed", n8_not_cleared, GENERAL, FP32, false, SET, (unsigned)~SET, NULL },
	{ "N8", "a result that no order gives", n8_no_order, GENERAL, FP32, false, SET, (unsigned)~SET, NULL },
	{ "N9", "a tile that was not written", n9, GENERAL, FP32, false, EVERY, 0, "not written" },
	{ "A4", "stores past 2^31 wrap to the first rows", a4_stores, GENERAL, FP32, false, EVERY, 0, NULL },
	{ "A4", "loads past 2^31 wrap to the first rows", a4_loads, GENERAL, FP32, false, EVERY, 0, NULL },
	{ "A5", "last rows' stores dropped", a5, GENERAL, FP32, false, EVERY, 0, "not written" },
	{ "A6", "bounds of no bytes: all loads give 0", a6, GENERAL, FP32, false, EVERY, 0, "all +0" },
	{ "A7", "masked loads read what the sentinel points to", a7, GENERAL, FP32, false, STEPS, SET, NULL },
	{ "A8", "split-K scale offset in elements", a8, GENERAL, FP32, false, EVERY, 0, NULL },
	{ "A9", "the mask of scales past K removed", a9, GENERAL, FP32, false, STEPS, SET, "NaN where none is right" },
	{ "A10", "floor division skips the tail of K", a10_tail, GENERAL, FP32, false, EVERY, 0, "block 27 of K were dropped" },
	{ "A10", "a share of K counted twice", a10_double, GENERAL, FP32, false, EVERY, 0, "block 3 of K were" },
	{ "A11", "waves past M write over B in LDS", a11, GENERAL, FP32, false, EVERY, 0, NULL },
	{ "A12", "ragged M: last row is the one before", a12, GENERAL, FP32, false, EVERY, 0, "row of A -1 from its own" },
	{ "A13", "0 times a 0xFF scale past the end", a13, GENERAL, FP32, false, EVERY, 0, "NaN where none is right" },
	{ "A14", "a stage of the pipeline that K does not have", a14, GENERAL, FP32, false, STEPS, SET, NULL },
	{ "L1", "K % 256: scales of the wrong block", l1, GENERAL, FP32, false, EVERY, 0, NULL },
	{ "L2", "row stride of the valid width", l2, GENERAL, FP32, false, EVERY, 0, NULL },
	{ "L3", "padding's fill leaks NaN", l3, GENERAL, FP32, false, EVERY, 0, "NaN where none is right" },
	{ "L4", "swizzle: blocks change places", l4, GENERAL, FP32, false, EVERY, 0, "codes of A's block 1 and the next" },
	{ "L5", "scale byte 0 of each word for all", l5, GENERAL, FP32, false, EVERY, 0, "scale word of A had its byte 0" },
	{ "L6", "A and B swapped from K = 128 on", l6, GENERAL, FP32, false, EVERY, 0, "swapped from step 1 of 128" },
	{ "L7", "A-scales of the wave 64 rows up", l7, GENERAL, FP32, false, EVERY, 0, "scales of the row -64 from it" },
	{ "L8", "E4M3 decoded as E5M2", l8, GENERAL, FP32, true, EXACT | PROFILE | BOUND | FREIVALDS, SET, "read in the format's other variant" },
	{ "L8", "the same, without large codes", l8_small, GENERAL, FP32, true, PROFILE | BOUND, EXACT | SET | FREIVALDS, "read in the format's other variant" },
	{ "L9", "shuffle loses the last rows' scales", l9, GENERAL, FP32, false, EVERY, 0, "scales of A were lost" },
	{ "L10", "wrong op_sel byte", l10, GENERAL, FP32, false, EVERY, 0, "order of i ^ 1" },
	{ "L10", "fp8 lane's own scale for all of it", l10_fp8, GENERAL, FP32, true, EXACT | PROFILE | BOUND | FREIVALDS, SET, NULL },
	{ "L10", "fp8 scales by contiguous bytes of a lane", l10_lane, GENERAL, FP32, true, EXACT | PROFILE | BOUND | FREIVALDS, SET, "contiguous bytes of a lane, in steps of 128" },
	{ "L10", "the same in 32x32x64", l10_lane_64, GENERAL, FP32, true, EXACT | PROFILE | BOUND | FREIVALDS, SET, "contiguous bytes of a lane, in steps of 64" },
	{ "", "dequantised to f32 first, fp4", dequantise, SPECIAL, FP32, false, PROFILE | BOUND, EXACT | SET | FREIVALDS, "A and B were dequantised" },
	{ "", "dequantised to f32 first, fp8", dequantise, SPECIAL, FP32, true, PROFILE | BOUND, EXACT | SET | FREIVALDS, "A and B were dequantised" },
	{ "L11", "fp4 nibbles swapped", l11, GENERAL, FP32, false, EVERY, 0, "nibbles of A were swapped" },
	{ "H4", "negative signs dropped", h4_sign, GENERAL, FP32, false, EVERY, 0, NULL },
	{ "H4", "negative signs dropped, special data", h4_sign, SPECIAL, FP32, true, PROFILE | BOUND, EXACT | SET | FREIVALDS, NULL },
	{ "H4", "scale byte 0 taken for 1, fp8", n5_one, SPECIAL, FP32, true, PROFILE | BOUND, EXACT | SET | FREIVALDS, NULL },
	{ "H4", "scale byte 0xFF taken for 1, fp8", n5_nan, SPECIAL, FP32, true, PROFILE | BOUND, EXACT | SET | FREIVALDS, NULL },
	{ "H5", "code of 6 decoded as 4", h5, GENERAL, FP32, false, EVERY, 0, NULL },
	{ "H7", "three wrong elements of 5120", h7, GENERAL, FP32, false, EVERY, 0, NULL },
	{ "", "block 7 dropped", drop_block, GENERAL, FP32, false, EVERY, 0, "block 7 of K were dropped" },
	{ "", "a step of 128 dropped", drop_step, GENERAL, FP32, false, EVERY, 0, "step 1 of 128 of K were dropped" },
	{ "", "output one row off", row_off, GENERAL, FP32, false, EVERY, 0, "row of A +1 from its own" },
	{ "", "output transposed", transpose, GENERAL, FP32, false, EVERY, 0, "transposed" },
	{ "", "scales of B not applied", no_scales, GENERAL, FP32, false, EVERY, 0, "scales of B were not applied" },
	{ "", "scales 2^3 off", scale_off, GENERAL, FP32, false, EVERY, 0, "wrong by 2^3" },
	{ "", "scales of the next row", next_row_scales, GENERAL, FP32, false, EVERY, 0, "scales of the row +1 from it" },
	{ "", "scale of the next block", next_block_scale, GENERAL, FP32, false, EVERY, 0, "scale of the block +1 from it" },
	{ "", "16x16 tiles transposed", transpose_tiles, GENERAL, FP32, false, EVERY, 0, "within 16x16 tiles" },
	{ "", "nothing added up", nothing_added, GENERAL, FP32, false, EVERY, 0, "all +0" },
	{ "", "the sign of everything", other_sign, GENERAL, FP32, false, EVERY, 0, "sign were changed" },
	{ "", "f16 bits in a bf16 output", f16_bits, GENERAL, BF16, false, BITS | BOUND, SET | FREIVALDS, "f16 bits in a bf16 output" },
	{ "", "ties of the output away from zero", ties_away, GENERAL, BF16, false, EXACT, SET | FREIVALDS, "ties of the output" },
	{ "", "pointers of the scales exchanged", exchange_scales, GENERAL, FP32, false, EVERY, 0, "scales of A and B were exchanged" },
	{ "", "A read one block on", block_off, GENERAL, FP32, false, EVERY, 0, "reads of A were shifted by +1 block" },
	{ "", "noise in the last bits", noise, GENERAL, FP32, false, BITS | FREIVALDS, SET, "" },
};
/* clang-format on */

static const char *const judges[] = { "exact", "profile", "bound", "set", "freivalds" };

static struct scene *scene_of(const struct fault *f, unsigned j) {
	const char *file = f->fp8 ? "cases/foreign/mxfp8_asm.yaml" : "cases/gemm/mxfp4_f32.yaml";
	bool exact = j == 0 || j == 4;
	if (j == 3)
		return scene("cases/gemm/mxfp4_splitk4.yaml", MX_JUDGE_SET, MX_REGIME_GENERAL,
		             MX_DT_BF16);
	tiny_rows = f->inject == n7;
	small_codes = f->inject == l8_small;
	struct scene *s = scene(file, j == 2 ? MX_JUDGE_BOUND : MX_JUDGE_BITS,
	                        exact ? MX_REGIME_EXACT : f->data, j == 4 ? MX_DT_F32 : f->type);
	if (j == 4)
		s->b->most_work = 0;
	return s;
}

static void check_diagnosis(const struct fault *f, const struct mx_verdict *v, const char *judge) {
	if (!f->diagnosis)
		return;
	bool good = *f->diagnosis ? strstr(v->diagnosis, f->diagnosis) != NULL : !*v->diagnosis;
	ok(good, "%s%s%s, judge %s: diagnosis '%s'", f->id, *f->id ? " " : "", f->what, judge,
	   v->diagnosis);
}

/* Whether the right result passes; it is judged once for all faults with the same data. */
static bool is_clean(const struct fault *f, unsigned j, struct scene *s) {
	static bool clean[5][MX_REGIME_SPECIAL + 1][2][3];
	unsigned type = f->type == FP32 ? 0 : f->type == BF16 ? 1 : 2;
	bool *of_data = &clean[j][f->data][f->fp8][type];
	bool own = tiny_rows || small_codes;
	if (*of_data && !own)
		return true;
	struct mx_verdict v = judge(s);
	if (v.n_notes)
		diag("%s of the right result: %s", judges[j], v.notes[0].text);
	else if (!own)
		*of_data = true;
	return !v.n_notes;
}

static void try(const struct fault *f, unsigned j, char cell[16], bool *good) {
	struct scene *s = scene_of(f, j);
	bool clean = is_clean(f, j, s);
	f->inject(s);
	struct mx_verdict v = judge(s);
	bool flagged = v.n_notes > 0, differs = memcmp(s->out, s->right, sizeof s->out) != 0;
	snprintf(cell, 16, "%s", flagged ? "flagged" : differs ? "passed" : "no change");
	*good &= clean && (flagged || !(f->must & 1u << j)) && (differs || !flagged);
	/* The bound gives less information than bits; a single tile has fewer samples. */
	if (flagged && f->must & 1u << j && (j < 2 || j == 3))
		if (j != 3 || !strcmp(f->id, "N8"))
			check_diagnosis(f, &v, judges[j]);
	end(s);
}

int main(void) {
	struct mx_why why = { "" };
	need(!mx_device_open("emu", &emu, &why), why.text);
	mx_judge_threads(1); /* more threads do not help for such small products */
	static char table[sizeof faults / sizeof *faults][160];
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		const struct fault *f = &faults[i];
		bool good = true;
		int n = snprintf(table[i], sizeof table[i], "%-4s %-44s", f->id, f->what);
		for (unsigned j = 0; j < 5; j++) {
			char cell[16] = "-";
			if (!(f->never & 1u << j))
				try(f, j, cell, &good);
			n += snprintf(table[i] + n, sizeof table[i] - (size_t)n, " %-10s", cell);
		}
		if (!ok(good, "%s%s%s is flagged by the judges of the table", f->id,
		        *f->id ? " " : "", f->what))
			diag("%s", table[i]);
	}
	diag("%-4s %-44s %-10s %-10s %-10s %-10s %-10s", "bug", "", judges[0], judges[1], judges[2],
	     judges[3], judges[4]);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		diag("%s", table[i]);
	mx_device_close(emu);
	return done_testing();
}
