/* Output that is kept until whole cache lines of it can be written. */
#include "quantize.h"

#include <stdlib.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* LEAST: bytes of a column for which its place in memory is fetched. LARGE: elements with more
 * output than caches hold. */
enum { LINE = 64, LEAST = 2 * LINE, LARGE = 1 << 22 };

size_t mx_stage_bands(mx_format f) {
	size_t bands = 1, bytes;
	while ((bytes = bands * mx_packed_bytes(f, MX_BLOCK)) % LINE || bytes < LEAST)
		bands++;
	return bands;
}

/* So that the codes of each row and column stay aligned. */
static size_t whole_blocks(size_t cols) {
	return (cols + MX_BLOCK - 1) / MX_BLOCK * MX_BLOCK;
}

static size_t stage_bytes(mx_format f, size_t cols, size_t bands) {
	size_t blocks = whole_blocks(cols) / MX_BLOCK;
	size_t rows = MX_BLOCK * (blocks * mx_packed_bytes(f, MX_BLOCK) + blocks);
	size_t columns = blocks * MX_BLOCK * bands * (mx_packed_bytes(f, MX_BLOCK) + 1);
	return (rows + columns + LINE) / LINE * LINE;
}

uint8_t *mx_stages_new(const struct mx_plan *p, size_t cols, size_t bands, size_t n) {
	return aligned_alloc(LINE, n * stage_bytes(p->q->format, cols, bands));
}

struct mx_stage mx_stage_of(const struct mx_plan *p, size_t cols, size_t bands, uint8_t *stages,
                            size_t i) {
	size_t blocks = whole_blocks(cols) / MX_BLOCK,
	       bytes = mx_packed_bytes(p->q->format, MX_BLOCK);
	uint8_t *row_codes = stages + i * stage_bytes(p->q->format, cols, bands);
	uint8_t *column_codes = row_codes + MX_BLOCK * blocks * bytes;
	uint8_t *row_scales = column_codes + blocks * MX_BLOCK * bands * bytes;
	return (struct mx_stage){
		.rows = { row_codes, blocks * bytes, row_scales, blocks },
		.columns = { column_codes, bands * bytes, row_scales + MX_BLOCK * blocks, bands },
		.streams = p->out_rows >= LARGE / (p->x->cols + 1),
	};
}

/* Past the caches, and without a read of the lines. */
static void stream(uint8_t *to, const uint8_t *from, size_t bytes) {
#ifdef __SSE2__
	for (size_t i = 0; i < bytes; i += sizeof(__m128i))
		_mm_stream_si128((__m128i *)(to + i), _mm_load_si128((const __m128i *)(from + i)));
#else
	memcpy(to, from, bytes);
#endif
}

void mx_stage_put(const struct mx_stage *s, const struct mx_quantised *from,
                  const struct mx_quantised *to, size_t lines, size_t bytes, size_t scales) {
	for (size_t i = 0; i < lines; i++) {
		uint8_t *codes = to->codes + i * to->row_bytes;
		const uint8_t *staged = from->codes + i * from->row_bytes;
		if (s->streams && !(((uintptr_t)codes | bytes) % LINE))
			stream(codes, staged, bytes);
		else
			memcpy(codes, staged, bytes);
		memcpy(to->scales + i * to->scale_row_bytes,
		       from->scales + i * from->scale_row_bytes, scales);
	}
}

void mx_stage_end(const struct mx_stage *s) {
#ifdef __SSE2__
	if (s->streams)
		_mm_sfence();
#else
	(void)s;
#endif
}
