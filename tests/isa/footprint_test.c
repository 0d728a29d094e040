/* The cells that the lanes of an operation access, for each step of the CPU, against a count of the
 * bytes of each lane. */
#include "../../ref/isa/race/footprint.h"
#include "../random.h"
#include "../tap.h"

#include <string.h>

static unsigned rounds;

extern mx_footprint_maker MX_STEPS_OF(mx_footprint_make);

static uint64_t state = 1;

struct operation {
	uint64_t address[MX_LANES], offset;
	uint64_t at[MX_LANES]; /* address plus offset */
	uint64_t lanes;
	unsigned bytes;
};

/* Runs, rows, strides, and scattered addresses; most are aligned, some except for one lane. */
static struct operation operation(void) {
	uint64_t r = next_random(&state), base = r >> 40;
	struct operation o = { .offset = r >> 29 & 0xfff, .bytes = 1u << next_random(&state) % 5 };
	unsigned row = 1u << (r >> 2 & 7), kind = r >> 5 & 3;
	uint64_t stride = (r >> 7 & 31) * o.bytes, pitch = (r >> 12 & 0xfff) * o.bytes;
	uint64_t off = (r >> 24 & 15) ? o.bytes - 1 : 0;
	unsigned odd = next_random(&state) % (8 * MX_LANES); /* this lane, if there is one */
	for (unsigned l = 0; l < MX_LANES; l++) {
		o.at[l] = kind == 0   ? base + l * o.bytes
		          : kind == 1 ? base + l % row * o.bytes + l / row * pitch
		          : kind == 2 ? base + l * stride
		                      : base + next_random(&state) % (1u << (4 + row % 16));
		o.at[l] = (o.at[l] & ~off) + (l == odd);
		o.address[l] = o.at[l] - o.offset;
	}
	o.lanes = r >> 28 & 1 ? ~0ull : next_random(&state) | next_random(&state);
	return o;
}

/* A bit for each byte of a page. */
struct bytes {
	uint64_t bit[MX_RACE_PAGE / 64];
};

static struct bytes bytes_in(const struct operation *o, uint64_t page, uint64_t *lanes) {
	struct bytes b = { 0 };
	*lanes = 0;
	for (unsigned l = 0; l < MX_LANES; l++) {
		if (!(o->lanes >> l & 1) || o->at[l] / MX_RACE_PAGE != page)
			continue;
		*lanes |= 1ull << l;
		for (unsigned i = 0; i < o->bytes; i++) {
			uint64_t at = (o->at[l] + i) % MX_RACE_PAGE;
			b.bit[at / 64] |= 1ull << at % 64;
		}
	}
	return b;
}

static struct bytes bytes_of(const struct mx_footprint_page *p, unsigned cell) {
	struct bytes b = { 0 };
	for (unsigned at = 0; at < MX_RACE_PAGE; at++)
		b.bit[at / 64] |= (p->cells[at / cell / 64] >> at / cell % 64 & 1) << at % 64;
	return b;
}

/* Whether each access is to whole cells. */
static bool is_regular(const struct operation *o) {
	bool regular = true;
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint64_t page = o->at[l] / MX_RACE_PAGE, lanes;
		if (!(o->lanes >> l & 1))
			continue;
		regular &= o->at[l] % o->bytes == 0;
		if (o->bytes >= 4)
			continue;
		struct bytes b = bytes_in(o, page, &lanes);
		uint64_t dword = o->at[l] % MX_RACE_PAGE & ~3ull;
		regular &= (b.bit[dword / 64] >> dword % 64 & 15) == 15;
	}
	return regular;
}

static bool is_right(const struct operation *o, const struct mx_footprint *f) {
	uint64_t all = 0, lanes;
	for (unsigned i = 0; i < f->n; i++) {
		const struct mx_footprint_page *p = &f->page[i];
		struct bytes want = bytes_in(o, p->page, &lanes);
		struct bytes have = bytes_of(p, o->bytes < 4 ? 4 : o->bytes);
		if (p->lanes != lanes || all & lanes || memcmp(&want, &have, sizeof want))
			return false;
		all |= lanes;
	}
	return all == o->lanes;
}

/* The same lanes elsewhere, by cells and pages, up or down; sometimes one lane less, or one lane
 * elsewhere than the others. */
static void move(struct operation *o) {
	uint64_t r = next_random(&state);
	uint64_t by = (r & 3 ? r >> 2 & 63 : 0) * o->bytes + (r >> 8 & 1) * (r >> 9 & 7) * 1024;
	for (unsigned l = 0; l < MX_LANES; l++) {
		o->at[l] += (r >> 12 & 1 ? by : -by) + (l == (r >> 13 & 0x3ff)) * 16;
		o->address[l] = o->at[l] - o->offset;
	}
	o->lanes &= r >> 23 & 15 ? ~0ull : ~1ull;
}

static void check_moves(const char *step, mx_footprint_maker *make) {
	unsigned right = 0;
	for (unsigned i = 0; i < rounds; i++) {
		struct operation o = operation();
		struct mx_footprint f = { .lanes = 0 };
		bool good = true;
		for (unsigned l = 0; l < MX_LANES; l++)
			o.at[l] += 1 << 20, o.address[l] += 1 << 20;
		for (unsigned times = 0; times < 8 && good; times++, move(&o)) {
			bool made = make(&f, o.address, o.offset, o.lanes, o.bytes);
			good = made == is_regular(&o) && (!made || is_right(&o, &f));
		}
		right += good;
	}
	ok(right == rounds, "%s: the cells of an operation that moves", step);
}

static void check(const char *step, mx_footprint_maker *make) {
	unsigned right = 0, refused = 0;
	for (unsigned i = 0; i < rounds; i++) {
		const struct operation o = operation();
		struct mx_footprint f = { .lanes = 0 };
		bool made = make(&f, o.address, o.offset, o.lanes, o.bytes);
		right += made == is_regular(&o) && (!made || is_right(&o, &f));
		refused += !made;
	}
	ok(right == rounds, "%s: the cells of %u operations, of which %u have parts of cells", step,
	   rounds, refused);
}

int main(void) {
	static mx_footprint_maker *const by_step[] = { MX_STEPS_OF(mx_footprint_make) };
	rounds = is_long() ? 4000 : 1000;
	for (unsigned s = 0; s < sizeof by_step / sizeof *by_step; s++)
		if (mx_cpu_has(s))
			check(mx_cpu_name(s), by_step[s]), check_moves(mx_cpu_name(s), by_step[s]);
		else
			ok(true, "%s # SKIP this CPU does not have it", mx_cpu_name(s));
	return done_testing();
}
