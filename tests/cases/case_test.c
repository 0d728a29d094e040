/* Case files: the loaded values, and the line in each error message. */
#include "case_file.h"

static void case_has_values_of_the_file(void) {
	struct mx_case *c = load_good(NULL, "");
	ok(!strcmp(c->path, path), "a case has its path");
	ok(!strcmp(c->name, "gemm/mxfp4_f32") && !strcmp(c->title, "MXFP4 GEMM, f32 output"),
	   "name and title are loaded");
	ok(!strcmp(c->code, "gemm/mxfp4_gemm.co") && !strcmp(c->kernel, "mxfp4_gemm_f32"),
	   "code and kernel are loaded");
	ok(c->launch.n_grid == 2 && !strcmp(c->launch.grid[1], "ceildiv(M, 128)") &&
	           c->launch.n_block == 1 && !strcmp(c->launch.block[0], "256"),
	   "grid and block are loaded, a number as text");
	ok(c->n_let == 1 && !strcmp(c->let[0].name, "KS"), "let is loaded");
	ok(c->n_buffers == 6 && c->buffers[1].role == MX_ROLE_A_SCALE &&
	           c->buffers[5].role == MX_ROLE_NONE && c->buffers[5].type == MX_DT_BF16 &&
	           !strcmp(c->buffers[5].ld, "16") && !c->buffers[0].ld &&
	           !strcmp(c->buffers[4].guard, "4") && !c->buffers[0].guard && !c->launch.lds,
	   "buffers are loaded; keys that are left out are NULL");
	ok(c->launch.n_kernarg == 7 && c->launch.kernarg[5].offset == 40 &&
	           c->launch.kernarg[5].type == MX_ARG_U64,
	   "kernarg is loaded, also with an offset in hexadecimal");
	ok(c->verdict.judge == MX_JUDGE_BITS && !strcmp(c->verdict.profile, "block32") &&
	           c->verdict.mma_k == 128,
	   "the verdict is loaded");
	ok(c->n_runs == 2 && c->runs[0].K == 256 && c->runs[0].regime == MX_REGIME_EXACT &&
	           c->runs[0].n_tags == 1 && !strcmp(c->runs[0].tags[0], "quick") &&
	           c->runs[1].n_tags == 0 && c->runs[1].regime == MX_REGIME_GENERAL,
	   "runs are loaded, with and without tags");
	mx_case_free(c);
	mx_case_free(NULL);
}

#define ROLES "none, a, a_scale, b, b_scale, c, c_in, bias_rows, bias_cols, group_begin, group_rows"
#define TYPES                                                                                      \
	"e4m3, e5m2, e2m3, e3m2, e2m1, e8m0, e5m3, e4m3fnuz, e5m2fnuz, bf16, f16, f32, f64, i8, "  \
	"u8, i16, u16, i32, u32, i64, u64"
#define VERDICT "verdict: {judge: bits, profile: block32, mma_k: 128}"

static void wrong_files_say_which_line(void) {
	static const struct {
		const char *sentence, *from, *to, *want;
	} t[] = {
		{ "an unknown key", "buffers:", "bufers:", ":9: unexpected key: bufers" },
		{ "an unknown key of a buffer", "guard: 4", "gard: 4",
		  ":14: unexpected key: gard" },
		{ "a key that only other mappings have",
		  "verdict:", "rows: 4\nverdict:", ":24: unexpected key: rows" },
		{ "a key given twice",
		  "verdict:", "name: x\nverdict:", ":24: key given twice: name" },
		{ "a buffer's key given twice", "cols: N", "rows: N",
		  ":14: key given twice: rows" },
		{ "a key that is a list",
		  "verdict:", "? [x]\n: y\nverdict:", ":24: a key must be a name" },
		{ "a missing key", "block: [256]\n", "", ":1: missing key: block" },
		{ "a buffer's missing key", "cols: N, ", "", ":14: missing key: cols" },
		{ "a run's missing key", ",  regime: general", "", ":27: missing key: regime" },
		{ "an empty value", "code: gemm/mxfp4_gemm.co",
		  "code:", ":3: code: the value is missing" },
		{ "a name with a tab", "name: gemm/mxfp4_f32", "name: \"gemm/a\\tb\"",
		  ":1: name: 'gemm/a b' has a control character" },
		{ "a name with a DEL", "name: gemm/mxfp4_f32", "name: \"gemm/a\\x7fb\"",
		  ":1: name: 'gemm/a b' has a control character" },
		{ "a wrong role", "role: c,", "role: d,", ":14: role: 'd' is not one of " ROLES },
		{ "a role as a number", "role: c,", "role: 5,",
		  ":14: role: '5' is not one of " ROLES },
		{ "a wrong type", "bf16", "f8", ":15: type: 'f8' is not one of " TYPES },
		{ "a type in capitals", "type: e2m1", "type: E2M1",
		  ":10: type: 'E2M1' is not one of " TYPES },
		{ "a wrong kernarg type", "type: u32", "type: f16",
		  ":20: type: 'f16' is not one of ptr, i8, u8, i16, "
		  "u16, i32, u32, i64, u64, f32, f64" },
		{ "a wrong regime", "regime: general", "regime: normal",
		  ":27: regime: 'normal' is not one of exact, general, special" },
		{ "a wrong judge", "judge: bits", "judge: near",
		  ":24: judge: 'near' is not one of bits, bound, set, "
		  "expect, close, repack, none" },
		{ "an unknown assumption", "verdict:", "assume: [scratch-apart, fifo]\nverdict:",
		  ":24: assume: 'fifo' is not one of scratch-apart, "
		  "threadgroup-split, soffset-unchecked" },
		{ "text after a number", "M: 128", "M: 128 k", ":26: M: not a number: 128 k" },
		{ "a fraction", "K: 32,", "K: 32.5,", ":27: K: not a number: 32.5" },
		{ "a number that YAML takes for octal", "N: 16,", "N: 016,",
		  ":27: N: not a number: 016" },
		{ "a number over 64 bits", "M: 128", "M: 99999999999999999999",
		  ":26: M: not a number: 99999999999999999999" },
		{ "an expression for a shape", "M: 128", "M: N", ":26: M: not a number: N" },
		{ "a word that is neither true nor false", "block: [256]",
		  "block: [256]\nexternal: flase", ":7: external: not true or false: flase" },
		{ "a text with a zero byte", "kernel: mxfp4_gemm_f32",
		  "kernel: \"mxfp4_gemm_f32\\0x\"", ":4: kernel: has a zero byte" },
		{ "a negative offset", "offset: 20", "offset: -20", ":19: offset: negative: -20" },
		{ "an offset over 32 bits", "offset: 20", "offset: 4294967316",
		  ":19: offset: invalid UINT value: '4294967316'" },
		{ "a scalar for a list", "block: [256]", "block: 256",
		  ":6: block: must be a list, as in [value]" },
		{ "a list for a scalar", "kernel: mx", "kernel: [mx]\n# ",
		  ":4: kernel: must be one value, not a list or a mapping" },
		{ "a grid of four", "block: [256]", "block: [1, 1, 1, 1]",
		  ":6: block: 4 values, at most 3" },
		{ "a grid of none", "block: [256]", "block: []",
		  ":6: block: 0 of at least 1 values" },
		{ "a buffer's name twice", "name: SB", "name: SA",
		  ":13: buffers[3].name: 'SA' is already a buffer" },
		{ "a buffer called M", "name: W", "name: M",
		  ":15: buffers[5].name: 'M' is a name of the shape" },
		{ "a buffer's name that no expression can use", "name: W", "name: W.2",
		  ":15: buffers[5].name: 'W.2' is not a name of letters, digits and _" },
		{ "a let called K", "{name: KS, value", "{name: K, value",
		  ":8: let[0].name: 'K' is a name of the shape" },
		{ "a let called as a buffer", "{name: KS, value", "{name: C, value",
		  ":8: let[0].name: 'C' is already a buffer" },
		{ "a let twice", "buffers:", "  - {name: KS,\n     value: 1}\nbuffers:",
		  ":9: let[1].name: 'KS' is already a let" },
		{ "a role twice", "role: b_scale", "role: a_scale",
		  ":13: buffers[3].role: buffer SA already has this role" },
		{ "an operand without scales", "role: b_scale", "role: none",
		  ":12: buffers[2].role: there is no buffer with role b_scale" },
		{ "scales without an operand", "role: a, ", "role: none, ",
		  ":11: buffers[1].role: there is no buffer with role a" },
		{ "an operand in f32", "type: e2m1, rows: N", "type: f32, rows: N",
		  ":12: buffers[2].type: an operand needs an element format" },
		{ "scales in e4m3", "type: e8m0, rows: N", "type: e4m3, rows: N",
		  ":13: buffers[3].type: a scale is e8m0" },
		{ "an output in e4m3", "type: f32,  rows: M", "type: e4m3,  rows: M",
		  ":14: buffers[4].type: an output is f32, bf16 or f16" },
		{ "an operand in columns", "type: e2m1, rows: M", "order: col, type: e2m1, rows: M",
		  ":10: buffers[0].order: operands and scales must be in rows" },
		{ "an unknown layout", "cols: K / 32, ld: KS}\n  - {name: B",
		  "cols: K / 32, layout: s32x9}\n  - {name: B",
		  ":11: buffers[1].layout: unknown layout" },
		{ "a layout of codes for scales", "cols: K / 32, ld: KS}\n  - {name: B",
		  "cols: K / 32, layout: preshuffle_16x16}\n  - {name: B",
		  ":11: buffers[1].layout: it is a layout of codes" },
		{ "a layout of scales for codes", "rows: N, cols: K}",
		  "rows: N, cols: K, layout: s32x8}",
		  ":12: buffers[2].layout: it is a layout of scales" },
		{ "a layout of FP4 for FP8", "type: e2m1, rows: N, cols: K}",
		  "type: e4m3, rows: N, cols: K, layout: iree_n256_k256}",
		  ":12: buffers[2].layout: it is a layout of e2m1 codes" },
		{ "a layout that splits elements", "cols: N, guard",
		  "cols: N, layout: s32x8, guard",
		  ":14: buffers[4].layout: it splits the bytes of an element" },
		{ "a layout with a line stride", "ld: KS}\n  - {name: B",
		  "ld: KS, layout: s32x8}\n  - {name: B",
		  ":11: buffers[1].layout: a packed buffer has no ld or extent" },
		{ "a fill that is not a byte", "rows: N, cols: K}",
		  "rows: N, cols: K, layout: preshuffle_16x16, fill: 256}",
		  ":12: buffers[2].fill: it must be 0 to 255, poison or random" },
		{ "a fill without a layout", "rows: N, cols: K}", "rows: N, cols: K, fill: 0}",
		  ":12: buffers[2].fill: the buffer has no layout" },
		{ "rows padded without a layout", "rows: N, cols: K}",
		  "rows: N, cols: K, pad_rows: 32}",
		  ":12: buffers[2].pad_rows: the buffer has no layout" },
		{ "groups without padding",
		  "buffers:", "groups: {rows: [M]}\nbuffers:", ":9: missing key: padding" },
		{ "an unknown padding", "buffers:", "groups: {rows: [M], padding: one}\nbuffers:",
		  ":9: padding: 'one' is not one of free, zero, kept, none" },
		{ "groups of neither rows nor columns",
		  "buffers:", "groups: {of: k, rows: [M], padding: free}\nbuffers:",
		  ":9: of: 'k' is not one of rows, cols" },
		{ "a buffer of groups without any", "role: none,    type: bf16",
		  "role: group_rows, type: i32", ":15: buffers[5].role: the case has no groups" },
		{ "groups in bf16", "buffers:\n  - {name: A,  role: a,       type: e2m1",
		  "groups: {rows: [M], padding: free}\nbuffers:\n"
		  "  - {name: A,  role: group_begin, type: bf16",
		  ":11: buffers[0].type: group sizes have 32 or 64 bits" },
		{ "a let called as the number of groups", "let:\n  - {name: KS",
		  "groups: {rows: [M], padding: free}\nlet:\n  - {name: G",
		  ":9: let[0].name: 'G' is a name of the shape" },
		{ "padding kept of an output that is not poison",
		  "cols: N, guard: 4}\n"
		  "  - {name: W,  role: none,    type: bf16, rows: 3, cols: 5, ld: 16}\n",
		  "cols: N, data: zero}\ngroups: {rows: [M], padding: kept}\n",
		  ":14: buffers[4].data: padding is kept, so the output must be poison" },
		{ "bits without a profile", "profile: block32, ", "", ":24: missing key: profile" },
		{ "an expectation without its judge", "rows: 3,", "rows: 3, expect: x.npy,",
		  ":24: a buffer has expect, but the judge is not expect or close" },
		{ "a judge without an expectation", "judge: bits", "judge: expect",
		  ":24: judge expect: no buffer has expect" },
		{ "splits of another judge", "mma_k: 128", "mma_k: 128, splits: 2",
		  ":24: only judge set has splits and k_split" },
		{ "a set without splits", "judge: bits", "judge: set", ":24: missing key: splits" },
		{ "a set without their size", "judge: bits", "judge: set, splits: 2",
		  ":24: missing key: k_split" },
		{ "atomics that round in an unknown way", "mma_k: 128", "mma_k: 128, atomic: up",
		  ":24: atomic: 'up' is not one of rne, rtz" },
		{ "an argument inside another", "offset: 20", "offset: 12",
		  ":19: kernarg[2].offset: overlaps kernarg[1]" },
		{ "an argument far out", "offset: 48", "offset: 480000",
		  ":23: kernarg[6].offset: 480000 is beyond 65536 bytes" },
		{ "a segment that is too short", "verdict:", "kernarg_size: 48\nverdict:",
		  ":17: kernarg_size: 48, but the arguments end at 52 of at most 65536" },
		{ "mma_k 0", "mma_k: 128", "mma_k: 0",
		  ":24: verdict.mma_k: 0 is not a positive multiple of 32" },
		{ "a tile that is not a multiple of mma_k", "mma_k: 128", "mma_k: 128, k_tile: 192",
		  ":24: verdict.k_tile: 192 is not a multiple of mma_k, 128" },
		{ "a batch of operands", "rows: N, cols: K}", "rows: N, cols: K, batch: 2}",
		  ":12: buffers[2].batch: only a buffer with role none has a batch" },
		{ "a distance without a batch", "rows: 3,", "rows: 3, batch_ld: 64,",
		  ":15: buffers[5].batch_ld: the buffer has no batch" },
		{ "slack without a layout", "rows: 3,", "rows: 3, slack: 64,",
		  ":15: buffers[5].slack: the buffer has no layout" },
		{ "a buffer in none", "rows: 3,", "rows: 3, in: Q,",
		  ":15: buffers[5].in: no buffer has this name" },
		{ "a buffer in itself", "rows: 3,", "rows: 3, in: W,",
		  ":15: buffers[5].in: it must be a buffer of its own, with role none and no "
		  "layout" },
		{ "a buffer in an operand", "rows: 3,", "rows: 3, in: A,",
		  ":15: buffers[5].in: it must be a buffer of its own, with role none and no "
		  "layout" },
		{ "a guard inside", "cols: N, guard: 4", "cols: N, guard: 4, in: W",
		  ":14: buffers[4].guard: a buffer in another one has no guard" },
		{ "a place without a holder", "rows: 3,", "rows: 3, at: 64,",
		  ":15: buffers[5].at: the buffer is not in another one" },
		{ "no kernel at all", "kernel: mxfp4_gemm_f32\n", "", ":1: missing key: kernel" },
		{ "a variant without a kernel", "kernel: mxfp4_gemm_f32\n",
		  "variants: [{name: x}]\n",
		  ":4: variants[0]: neither it nor the case has a kernel" },
		{ "a variant twice", "let:\n", "variants: [{name: x}, {name: x}]\nlet:\n",
		  ":7: variants[1].name: 'x' is already a variant" },
		{ "a variant with a name that leads out", "let:\n",
		  "variants: [{name: ../x}]\nlet:\n",
		  ":7: variants[0].name: '../x' has a part that begins with . or -" },
		{ "a variant's size that a buffer is called", "let:\n",
		  "variants: [{name: x, sizes: {SA: 1}}]\nlet:\n",
		  ":7: variants[0].sizes: 'SA' is already a buffer" },
		{ "a variant's size that is one of runs", "let:\n",
		  "variants: [{name: x, sizes: {M: 1}}]\nlet:\n",
		  ":7: variants[0].sizes: 'M' is a size of runs" },
		{ "a variant's size that is no number", "let:\n",
		  "variants: [{name: x, sizes: {T: K}}]\nlet:\n", ":7: sizes: T: not a number: K" },
		{ "a reference of nothing", "verdict:", "reference: {op: sum}\nverdict:",
		  ":24: op: 'sum' is not one of product, attention, moe, "
		  "softmax, layer_norm, rms_norm, topk" },
		{ "a reference without numbers", VERDICT,
		  "reference: {op: softmax, x: W, y: W}\nverdict: {judge: none}",
		  ":25: a case with a reference has judge bound, close or bits" },
		{ "a reference without an input", VERDICT,
		  "reference: {op: softmax, y: W}\nverdict: {judge: bound}",
		  ":24: reference.x: this reference needs the key" },
		{ "a reference with another's key", VERDICT,
		  "reference: {op: softmax, x: W, lse: W}\nverdict: {judge: bound}",
		  ":24: reference.lse: not a key of this reference" },
		{ "a reference to no buffer", VERDICT,
		  "reference: {op: softmax, x: Q, y: W}\nverdict: {judge: bound}",
		  ":24: reference.x: no buffer has this name" },
		{ "a reference to an operand", VERDICT,
		  "reference: {op: softmax, x: A, y: W}\nverdict: {judge: bound}",
		  ":24: reference.x: a buffer of the reference has role none" },
		{ "an output that is an input", VERDICT,
		  "reference: {op: softmax, x: W, y: W}\nverdict: {judge: bound}",
		  ":24: reference.y: the buffer is already in the reference" },
		{ "a block of one size", VERDICT,
		  "reference: {op: product, a_block: [1]}\nverdict: {judge: bound}",
		  ":24: a_block: 1 of at least 2 values" },
		{ "an unknown rounding", VERDICT,
		  "reference: {op: softmax, rounding: up}\nverdict: {judge: bound}",
		  ":24: rounding: 'up' is not one of rne, rtz, half_up" },
		{ "numbers of elements in bf16", "role: none,    type: bf16",
		  "role: none, data: index, type: bf16",
		  ":15: buffers[5].data: index is for types of integers" },
		{ "flushed results of another judge", VERDICT,
		  "verdict: {judge: bound, flush: true}",
		  ":24: flush is for judges bits and set without groups or epilogue" },
		{ "a size that is not a number", "K: 32,", "K: 32, sizes: {S: x},",
		  ":27: sizes: S: not a number: x" },
		{ "a size twice", "K: 32,", "K: 32, sizes: {S: 1, S: 2},",
		  ":27: sizes: S is given twice" },
		{ "a size that is M again", "K: 32,", "K: 32, sizes: {M: 1},",
		  ":27: sizes: M is given twice" },
		{ "a size without a name", "K: 32,", "K: 32, sizes: {S.1: 1},",
		  ":27: sizes: 'S.1' is not a name of at most 16 letters, digits and _" },
		{ "a size with a long name", "K: 32,", "K: 32, sizes: {abcdefghijklmnopq: 1},",
		  ":27: sizes: 'abcdefghijklmnopq' is not a name of at most 16 letters, digits and "
		  "_" },
		{ "a size called as a buffer", "K: 32,", "K: 32, sizes: {SA: 1},",
		  ":27: runs[1].sizes: 'SA' is already a buffer" },
		{ "a size called as a let", "K: 32,", "K: 32, sizes: {KS: 1},",
		  ":27: runs[1].sizes: 'KS' is already a let" },
		{ "sizes as a list", "K: 32,", "K: 32, sizes: [1],",
		  ":27: sizes: not {name: number, ...}" },
		{ "13 sizes", "K: 32,",
		  "K: 32, sizes: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1},",
		  ":27: sizes: more than 12" },
		{ "a product without K", "K: 32,", "",
		  ":27: runs[1]: a product has the sizes M, N and K" },
		{ "a run without sizes", "M: 1,   N: 16,  K: 32,", "",
		  ":27: missing key: M, N and K, or sizes" },
		{ "an unclosed brace", "cols: N, guard: 4}", "cols: N, guard: 4",
		  ":15: not YAML: did not find expected ',' or '}'" },
		{ "a tab for an indent", "let:\n  -", "let:\n\t-",
		  ":8: not YAML: found character that cannot start any token" },
		{ "a second document", NULL, "---\nname: other\n",
		  ":29: a second YAML document; a file is one case" },
		{ "an alias without anchor", "name: W", "name: *w",
		  ":15: not YAML: found undefined alias" },
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_case *c;
		struct mx_error err = { "" };
		int rc = load(edited(t[i].from, t[i].to), &c, &err);
		ok_error(rc, err.text, t[i].want, t[i].sentence);
		if (!rc)
			mx_case_free(c);
	}
}

static void other_files_are_refused(void) {
	static const struct {
		const char *sentence, *bytes;
		size_t n;
		const char *want;
	} t[] = {
		{ "an empty file", "", 0, ": no YAML document" },
		{ "a file of comments", "# a\n# b\n", 8, ": no YAML document" },
		{ "a code object", "\177ELF\2\1\1\0\0\0", 10,
		  ":1: not YAML: control characters are not allowed" },
		{ "bytes that are not UTF-8, on the third line", "a: b\n\n\xFF\xC0", 8,
		  ":3: not YAML: invalid leading UTF-8 octet" },
		{ "a word", "hello\n", 6, ":1: must be a mapping, as in {key: value}" },
		{ "a list", "\n- 1\n", 5, ":2: must be a mapping, as in {key: value}" },
	};
	struct mx_case *c;
	struct mx_error err;
	for (size_t i = 0; i < COUNT(t); i++) {
		write_file(t[i].bytes, t[i].n);
		ok_error(mx_case_load(path, &c, &err), err.text, t[i].want, t[i].sentence);
	}
	char *huge = calloc(1, 2 << 20);
	memset(huge, '#', 2 << 20);
	write_file(huge, 2 << 20);
	free(huge);
	ok_error(mx_case_load(path, &c, &err), err.text, ": larger than 1 MiB", "a file of 2 MiB");
	unlink(path);
	ok_error(mx_case_load(path, &c, &err), err.text, ": No such file or directory",
	         "a missing file");
	ok(mx_case_load(folder, &c, &err) == -1 && strstr(err.text, ": Is a directory"),
	   "a folder is not a case: %s", err.text);
}

static void test_peek(void) {
	static const struct {
		const char *text, *name; /* NULL: none */
	} t[] = {
		{ "# a comment\n\nname: gemm/x # short\ntitle: [", "gemm/x" },
		{ "name: \"gemm/\\x78\"\n", "gemm/x" },
		{ "name: gemm/x\ntitle: x\n", "gemm/x" },
		{ "name: gemm\n  x\ntitle: x\n", "gemm x" },
		{ "title: x\nname: gemm/x\n", NULL },
		{ "name: [gemm/x]\n", NULL },
		{ "name: gemm/long\n", NULL },
		{ "- name\n", NULL },
		{ "name", NULL },
		{ "", NULL },
	};
	char name[sizeof "gemm/x"];
	for (size_t i = 0; i < COUNT(t); i++) {
		write_file(t[i].text, strlen(t[i].text));
		bool found = mx_case_peek(path, name, sizeof name);
		ok(found == (t[i].name != NULL) && (!found || !strcmp(name, t[i].name)),
		   "the name in '%.11s...': %s", t[i].text, t[i].name ? t[i].name : "none");
	}
	unlink(path);
	ok(!mx_case_peek(path, name, sizeof name), "a missing file has none");
}

static void an_error_is_one_line(void) {
	struct mx_error err;
	int rc = mx_fail(&err, "a\nb\t%s", "c\r");
	ok(rc == -1 && !strcmp(err.text, "a b c "), "mx_fail makes one line: '%s'", err.text);
}

static void names_have_a_length(void) {
	struct mx_case *c;
	struct mx_error err;
	char to[200] = "name: ";
	memset(to + 6, 'n', 161);
	ok(load(edited("name: gemm/mxfp4_f32", to), &c, &err) == -1 &&
	           strstr(err.text, "161 bytes, at most 160"),
	   "a name of 161 letters is too long: %s", err.text);
	to[6 + 160] = 0;
	ok(!load(edited("name: gemm/mxfp4_f32", to), &c, &err), "one of 160 is not");
	mx_case_free(c);
}

static void regimes_have_names(void) {
	static const char *const want[] = { "exact", "general", "special" };
	mx_regime r = MX_REGIME_EXACT;
	for (int i = 0; i < 3; i++)
		ok(mx_regime_by_name(want[i], &r) && (int)r == i &&
		           !strcmp(mx_regime_name(r), want[i]),
		   "regime %s maps to its name and back", want[i]);
	ok(!mx_regime_by_name("Exact", &r), "an unknown regime is refused");
}

int main(void) {
	make_folder();
	case_has_values_of_the_file();
	wrong_files_say_which_line();
	other_files_are_refused();
	test_peek();
	an_error_is_one_line();
	names_have_a_length();
	regimes_have_names();
	remove_folder();
	return done_testing();
}
