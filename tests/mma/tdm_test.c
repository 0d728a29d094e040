/* Tensor descriptors of gfx1250: random ones against an evaluation byte by byte, and directed ones.
 * The fields are packed here, dword by dword as in HIP's amd_gfx1250_TDM.h. */
#include "../../ref/mxref.h"
#include "../random.h"
#include "../tap.h"

#include <string.h>

struct fields {
	uint64_t memory, stride[4], memory_step;
	uint32_t lds, tensor[5], tile[5], data_size, lds_step, repeats, row[16], mask, barrier;
	uint32_t pad_interval, pad_amount;
	bool gather, wide, pad, iterate, arrives, early;
};

static void pack(const struct fields *f, uint32_t d[20]) {
	memset(d, 0, 20 * sizeof *d);
	d[0] = 1 | (uint32_t)f->wide << 30 | (uint32_t)f->gather << 31;
	d[1] = f->lds;
	d[2] = (uint32_t)f->memory;
	d[3] = (uint32_t)(f->memory >> 32) | 0x80000000;
	d[4] = f->mask | f->data_size << 16 | f->arrives << 18 | f->iterate << 19 | f->pad << 20 |
	       f->early << 21 | f->pad_interval << 22 | f->pad_amount << 25;
	d[5] = f->barrier / 8 | f->tensor[0] << 16;
	d[6] = f->tensor[0] >> 16 | f->tensor[1] << 16;
	d[7] = f->tensor[1] >> 16 | f->tile[0] << 16;
	d[8] = f->tile[1] | f->tile[2] << 16;
	d[9] = (uint32_t)f->stride[0];
	d[10] = (uint32_t)(f->stride[0] >> 32) | (uint32_t)f->stride[1] << 16;
	d[11] = (uint32_t)(f->stride[1] >> 16);
	if (f->gather) {
		for (unsigned i = 0; i < 16 && !f->wide; i++)
			d[12 + i / 2] |= f->row[i] << i % 2 * 16;
		for (unsigned i = 0; i < 8 && f->wide; i++)
			d[12 + i] = f->row[i];
		return;
	}
	uint64_t third = f->iterate ? f->memory_step : f->stride[2];
	d[12] = f->tensor[2];
	d[13] = f->iterate ? f->lds_step : f->tensor[3];
	d[14] = (uint32_t)third;
	d[15] = (uint32_t)(third >> 32) | (f->iterate ? f->repeats - 1 : f->tile[3]) << 16;
	d[16] = (uint32_t)f->stride[3];
	d[17] = (uint32_t)(f->stride[3] >> 32) | f->tensor[4] << 16;
	d[18] = f->tensor[4] >> 16 | f->tile[4] << 16;
}

/* ---- byte by byte ---- */

enum { BYTES = 1 << 15 };
struct byte {
	uint64_t memory;
	uint32_t lds;
	bool inside;
};
struct bytes {
	size_t n;
	struct byte of[BYTES];
};
static struct bytes got, want;
static uint32_t place[BYTES]; /* in LDS, of the bytes without padding */

static void find_places(const struct fields *f, bool store, size_t n) {
	uint32_t since = 0, at = f->lds;
	for (size_t i = 0; i < n; i++) {
		place[i] = at++;
		since++;
		if (!store && f->pad && since >> 3 >= 1u << f->pad_interval) {
			since = 0;
			at += 4 * (f->pad_amount + 1);
		}
	}
}

/* The coordinates of the tensor's element at a distance from the tile's first, or coordinates
 * outside. */
static void find_origin(const struct fields *f, uint64_t distance, uint64_t o[5]) {
	memset(o, 0, 5 * sizeof *o);
	if (!distance)
		return;
	for (o[2] = 0; o[2] < (f->tile[2] ? f->tensor[2] : 1); o[2]++)
		for (o[1] = 0; o[1] < f->tensor[1]; o[1]++)
			for (o[0] = 0; o[0] < f->tensor[0]; o[0]++)
				if (o[0] + o[1] * f->stride[0] + o[2] * f->stride[1] == distance)
					return;
	o[0] = 1ull << 40;
}

static void put_element(const struct fields *f, uint64_t copy, const uint64_t origin[5],
                        const uint32_t x[5], uint64_t nth) {
	uint64_t at = copy * f->memory_step, bytes = 1ull << f->data_size;
	bool inside = true;
	for (unsigned i = 0; i < 5; i++) {
		bool used = i < 1 || f->tile[i];
		uint64_t c = f->gather && i == 1 ? f->row[x[1]] : x[i];
		inside &= !used || origin[i] + c < f->tensor[i];
		at += c * (i ? f->stride[i - 1] : 1);
	}
	for (uint64_t b = 0; b < bytes; b++)
		want.of[want.n++] =
			(struct byte){ f->memory + at * bytes + b,
			               place[(copy * f->lds_step + nth) * bytes + b], inside };
}

static void by_bytes(const struct fields *f, bool store) {
	uint32_t x[5], n[5];
	want.n = 0;
	for (unsigned i = 0; i < 5; i++)
		n[i] = i && !f->tile[i] ? 1 : f->tile[i];
	if (f->gather)
		n[1] = f->tile[1];
	find_places(f, store,
	            ((f->repeats - 1) * f->lds_step + n[0] * n[1] * n[2] * n[3] * n[4])
	                    << f->data_size);
	for (unsigned copy = 0; copy < (f->iterate ? f->repeats : 1); copy++) {
		uint64_t origin[5], nth = 0;
		find_origin(f, copy * f->memory_step, origin);
		for (x[4] = 0; x[4] < n[4]; x[4]++)
			for (x[3] = 0; x[3] < n[3]; x[3]++)
				for (x[2] = 0; x[2] < n[2]; x[2]++)
					for (x[1] = 0; x[1] < n[1]; x[1]++)
						for (x[0] = 0; x[0] < n[0]; x[0]++)
							put_element(f, copy, origin, x, nth++);
	}
}

/* ---- by moves ---- */

static void take(void *context, const struct mx_tdm_move *m) {
	(void)context;
	for (uint32_t i = 0; i < m->bytes && got.n < BYTES; i++)
		got.of[got.n++] = (struct byte){ m->memory + i, m->lds + i, m->inside };
}

static bool by_moves(const struct fields *f, bool store, struct mx_tdm *t) {
	uint32_t d[MX_TDM_DWORDS];
	pack(f, d);
	got.n = 0;
	return mx_tdm_decode(d, store, t) == MX_OK && !t->invalid &&
	       mx_tdm_moves(t, take, NULL) == MX_OK;
}

static bool same_bytes(void) {
	for (size_t i = 0; i < got.n; i++) {
		const struct byte *a = &got.of[i], *b = &want.of[i];
		if (a->lds != b->lds || a->inside != b->inside ||
		    (a->inside && a->memory != b->memory))
			return false;
	}
	return got.n == want.n;
}

static uint64_t end_of(void) {
	uint64_t end = 0;
	for (size_t i = 0; i < got.n; i++)
		end = got.of[i].lds + 1ull > end ? got.of[i].lds + 1ull : end;
	return end;
}

/* ---- random descriptors ---- */

static uint32_t below(uint64_t *seed, uint32_t n) {
	return (uint32_t)(next_random(seed) >> 32) % n;
}

/* Strides with which no two elements of the tensor share an address, in either order. */
static void nest(struct fields *f, uint64_t *seed) {
	bool swap = below(seed, 2);
	uint64_t first = f->tensor[0] + below(seed, 4) + 1;
	uint64_t second = first * (f->tensor[swap ? 2 : 1] + 1) + below(seed, 9);
	f->stride[0] = swap ? second : first;
	f->stride[1] = swap ? first : second;
}

static void draw_repeats(struct fields *f, uint64_t *seed) {
	f->iterate = true;
	f->repeats = 1 + below(seed, 6);
	f->lds_step = below(seed, 60);
	f->tile[1] = 1 + below(seed, 4);
	f->tile[2] = below(seed, 3);
	f->tile[3] = f->tile[4] = 0;
	nest(f, seed);
	uint64_t some = below(seed, 3) * f->stride[0] + below(seed, 3) * f->stride[1];
	f->memory_step = below(seed, 2) ? below(seed, 60) : some;
}

static void draw_rows(struct fields *f, uint64_t *seed) {
	f->gather = true;
	f->wide = below(seed, 2);
	f->tile[1] = below(seed, f->wide ? 9 : 17);
	for (unsigned i = 0; i < 16; i++)
		f->row[i] = below(seed, 12) ? below(seed, 10) : f->wide ? ~0u : 0xffff;
	f->tile[2] = f->tile[3] = f->tile[4] = 0;
	f->iterate = below(seed, 2); /* ignored */
}

static struct fields draw(uint64_t *seed) {
	struct fields f = { .memory = next_random(seed) >> 8,
		            .lds = below(seed, 4096),
		            .data_size = below(seed, 4),
		            .pad = below(seed, 2),
		            .pad_interval = below(seed, 4),
		            .pad_amount = below(seed, 2) ? below(seed, 128) : below(seed, 4),
		            .repeats = 1,
		            .mask = below(seed, 0x10000),
		            .early = below(seed, 2) };
	unsigned dims = below(seed, 6);
	for (unsigned i = 0; i < 5; i++) {
		f.tile[i] = i < dims ? 1 + below(seed, i ? 3 : 20) : 0;
		f.tensor[i] = below(seed, i ? 5 : 20);
		f.tensor[i] = below(seed, 9) ? f.tensor[i] : 1u << (16 + below(seed, 15));
	}
	for (unsigned i = 0; i < 4; i++)
		f.stride[i] = next_random(seed) >> (below(seed, 4) ? 58 : 16);
	if (dims > 1 && !below(seed, 3)) {
		for (unsigned i = 0; i < 5; i++)
			f.tensor[i] = below(seed, 8);
		draw_repeats(&f, seed);
	} else if (dims && !below(seed, 3))
		draw_rows(&f, seed);
	if (f.pad && (f.tile[0] << f.data_size) % 4)
		f.tile[0] = (f.tile[0] + 3) / 4 * 4;
	return f;
}

static void test_random(uint64_t seeds) {
	uint64_t wrong = 0, ends = 0, first = 0;
	for (uint64_t i = 0; i < seeds; i++) {
		uint64_t seed = i;
		struct fields f = draw(&seed);
		bool store = below(&seed, 3) == 0;
		struct mx_tdm t;
		by_bytes(&f, store);
		bool same = by_moves(&f, store, &t) && same_bytes();
		first = same || wrong ? first : i;
		wrong += !same;
		ends += mx_tdm_lds_end(&t) != end_of();
	}
	if (!ok(!wrong, "%llu random descriptors copy each byte as the manual says",
	        (unsigned long long)seeds))
		diag("%llu differ, first seed %llu", (unsigned long long)wrong,
		     (unsigned long long)first);
	ok(!ends, "mx_tdm_lds_end is the end of the last byte");
}

/* ---- directed ---- */

static struct fields two_dims(void) {
	return (struct fields){ .memory = 0x10000,
		                .lds = 0x800,
		                .data_size = 1,
		                .tile = { 4, 2 },
		                .tensor = { 4, 2 },
		                .stride = { 8 },
		                .repeats = 1 };
}

static void test_bounds(void) {
	struct fields f = two_dims();
	struct mx_tdm t;
	f.tensor[0] = 3;
	f.tensor[1] = 1;
	ok(by_moves(&f, false, &t) && got.n == 16 && got.of[5].inside && !got.of[6].inside &&
	           !got.of[8].inside,
	   "bounds count from the tile's start, in each dimension");
	f.tensor[0] = 0;
	ok(by_moves(&f, false, &t) && got.n == 16 && !got.of[0].inside,
	   "an empty tensor leaves zeros");
	f.tile[0] = 0;
	ok(by_moves(&f, false, &t) && !got.n && !t.dims && !mx_tdm_lds_end(&t),
	   "tile_dim0 of 0 copies nothing");
}

static void test_padding(void) {
	struct fields f = two_dims();
	struct mx_tdm t;
	f.data_size = 2;
	f.tile[0] = 64;
	f.tensor[0] = 64;
	f.pad = true;
	f.pad_interval = 5;
	f.pad_amount = 3;
	ok(by_moves(&f, false, &t) && t.pad_every == 256 && t.pad == 16 &&
	           got.of[256].lds == 0x800 + 272,
	   "interval 5 and amount 3 are 16 bytes after each 256");
	ok(by_moves(&f, true, &t) && got.of[256].lds == 0x800 + 256, "a store has no padding");
}

static void test_one_row(void) {
	struct fields f = { .data_size = 0,
		            .tile = { 4, 1 },
		            .tensor = { 10, 1 },
		            .iterate = true,
		            .repeats = 3,
		            .memory_step = 4,
		            .lds_step = 4 };
	struct mx_tdm t;
	ok(by_moves(&f, false, &t) && got.n == 12 && got.of[9].inside && got.of[9].memory == 9 &&
	           !got.of[10].inside,
	   "the stride of a tensor of one row does not matter to repeats");
}

static void test_modes(void) {
	struct fields f = two_dims();
	struct mx_tdm t;
	uint32_t d[MX_TDM_DWORDS] = { 0 };
	ok(mx_tdm_decode(d, false, &t) == MX_OK && t.null && !t.invalid &&
	           mx_tdm_moves(&t, take, NULL) == MX_OK && !mx_tdm_lds_end(&t),
	   "count 0 is a null descriptor, whatever else it says");
	f.mask = 0xf00f;
	f.early = f.arrives = true;
	f.barrier = 0x7fff8;
	ok(by_moves(&f, false, &t) && t.workgroups == 0xf00f && t.early_timeout && t.arrives &&
	           t.barrier == 0x7fff8,
	   "multicast and the barrier of a load");
	ok(by_moves(&f, true, &t) && !t.workgroups && !t.early_timeout && t.arrives,
	   "a store has a barrier, and ignores multicast");
	f = (struct fields){ .data_size = 3, .tile = { 0xffff, 0xffff, 0xffff, 0xffff, 0xffff } };
	pack(&f, d);
	mx_tdm_decode(d, false, &t);
	ok(mx_tdm_lds_end(&t) == UINT64_MAX && mx_tdm_moves(&t, take, NULL) == MX_BAD_SHAPE,
	   "a tile beyond LDS is not walked");
	ok(mx_tdm_decode(NULL, false, &t) == MX_BAD_POINTER &&
	           mx_tdm_decode(d, false, NULL) == MX_BAD_POINTER &&
	           mx_tdm_moves(NULL, take, NULL) == MX_BAD_POINTER &&
	           mx_tdm_moves(&t, NULL, NULL) == MX_BAD_POINTER && !mx_tdm_lds_end(NULL) &&
	           !mx_tdm_text(NULL, NULL, 0),
	   "null pointers");
}

static void test_invalid(void) {
	static const struct {
		struct {
			unsigned at;
			uint32_t clear, set;
		} dword[2];
		const char *why;
	} bad[] = {
		{ { { 3, 0xc0000000, 0 } }, "its type is not 2" },
		{ { { 0, 3, 2 } }, "its count is above 1, which is for context restore" },
		{ { { 0, 0, 4 } },
		  "bit 2, 3, 4 or 10 of group 0 is set, which is for context "
		  "restore" },
		{ { { 0, 0, 0x400 } },
		  "bit 2, 3, 4 or 10 of group 0 is set, which is for context "
		  "restore" },
		{ { { 0, 0, 0x800 } }, "a reserved bit of group 0 is set" },
		{ { { 3, 0, 0x2000000 } }, "a reserved bit of group 0 is set" },
		{ { { 19, 0, 1 } }, "a reserved bit of group 3 is set" },
		{ { { 0, 0, 1u << 30 } }, "its rows have an index size, but it is no gather" },
		{ { { 0, 0, 1u << 31 }, { 8, 0xffff, 17 } }, "it has more rows than indices" },
		{ { { 0, 0, 3u << 30 }, { 8, 0xffff, 9 } }, "it has more rows than indices" },
		{ { { 4, 0, 1 << 19 }, { 15, 0, 0x1000000 } }, "it repeats more than 256 times" },
		{ { { 4, 0, 1 << 19 }, { 18, 0, 0x10000 } },
		  "it repeats a tile of five dimensions" },
		{ { { 4, 0, 1 << 19 }, { 8, 0xffff, 0 } }, "it repeats a tile of one dimension" },
		{ { { 8, 0xffff, 0x10000 } },
		  "a dimension of its tile is unused below one that is used" },
		{ { { 4, 0x30000, 1 << 20 }, { 7, 0xffff0000, 0x60000 } },
		  "it pads rows that are no whole dwords" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct fields f = two_dims();
		struct mx_tdm t;
		uint32_t d[MX_TDM_DWORDS];
		pack(&f, d);
		for (unsigned k = 0; k < 2; k++)
			d[bad[i].dword[k].at] = (d[bad[i].dword[k].at] & ~bad[i].dword[k].clear) |
			                        bad[i].dword[k].set;
		mx_tdm_decode(d, false, &t);
		bool said = t.invalid && !strcmp(t.invalid, bad[i].why);
		if (!ok(said && mx_tdm_moves(&t, take, NULL) == MX_BAD_OPTION, "invalid: %s",
		        bad[i].why))
			diag("it says: %s", t.invalid ? t.invalid : "nothing");
	}
	struct fields f = two_dims();
	struct mx_tdm t;
	f.iterate = true;
	f.repeats = 2;
	f.memory_step = 1;
	f.stride[0] = 2;
	by_moves(&f, false, &t);
	ok(t.invalid && !strcmp(t.invalid, "it repeats in a tensor whose elements overlap"),
	   "invalid: repeats in a tensor whose elements overlap");
	uint32_t scope[MX_TDM_DWORDS];
	f = two_dims();
	pack(&f, scope);
	scope[0] |= 0x3e0;
	mx_tdm_decode(scope, false, &t);
	ok(!t.invalid, "scope and temporal hint of group 0 are ignored");
}

static void is_text(struct fields f, bool store, const char *want_text) {
	struct mx_tdm t;
	char text[512], cut[8];
	uint32_t d[MX_TDM_DWORDS];
	pack(&f, d);
	mx_tdm_decode(d, store, &t);
	size_t n = mx_tdm_text(&t, text, sizeof text);
	bool same = !strcmp(text, want_text) && n == strlen(text);
	same &= mx_tdm_text(&t, cut, sizeof cut) == n && !strncmp(cut, text, 7) && !cut[7];
	if (!ok(same && mx_tdm_text(&t, NULL, 0) == n, "text: %s", want_text))
		diag("it is:  %s", text);
}

static void test_text(void) {
	struct fields f = { .memory = 0x7f0000010000,
		            .lds = 0x800,
		            .data_size = 1,
		            .tile = { 128, 64 },
		            .tensor = { 4096, 100 },
		            .stride = { 4096 },
		            .pad = true,
		            .pad_interval = 5,
		            .pad_amount = 3,
		            .arrives = true,
		            .barrier = 0x40,
		            .repeats = 1 };
	is_text(f, false,
	        "load [64][128] of 2 bytes at 0x7f0000010000, strides [4096]; tensor from there "
	        "[100][4096]; LDS 0x800, 16 bytes after each 256; arrives at LDS 0x40");
	f.mask = 3;
	f.early = true;
	f.pad = f.arrives = false;
	f.iterate = true;
	f.repeats = 4;
	f.memory_step = 8192;
	f.lds_step = 8192;
	is_text(f, false,
	        "load [64][128] of 2 bytes at 0x7f0000010000, strides [4096]; tensor from there "
	        "[100][4096]; LDS 0x800; 4 times, memory + 8192, LDS + 8192 elements; multicast "
	        "0x0003 with early timeout");
	f = (struct fields){ .tile = { 8, 3 }, .tensor = { 8, 99 }, .stride = { 16 } };
	f.gather = true;
	f.row[0] = 9;
	f.row[1] = 2;
	f.row[2] = 6;
	is_text(f, true,
	        "store rows 9, 2, 6 of [8] of 1 byte at 0x0, strides [16]; tensor from there "
	        "[99][8]; LDS 0x0");
	f.tile[0] = 0;
	is_text(f, true, "store nothing");
	f.tile[1] = 17;
	is_text(f, true, "store (invalid: it has more rows than indices) nothing");
	f = (struct fields){ .tile = { 5 }, .tensor = { 9 }, .data_size = 3 };
	is_text(f, false, "load [5] of 8 bytes at 0x0; tensor from there [9]; LDS 0x0");
}

int main(void) {
	test_random(is_long() ? 1000000 : 40000);
	test_bounds();
	test_padding();
	test_one_row();
	test_modes();
	test_invalid();
	test_text();
	done_testing();
}
