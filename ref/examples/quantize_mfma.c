/* D = A * B with scaled MFMAs, from f32 matrices: quantise, pad K, load registers, multiply,
 * and read the result. A becomes MXFP8, B becomes MXFP6, by 16x16x128 instructions.
 *
 * The elements are small integers, which both formats hold exactly, so that D must be the
 * exact product. The program computes that too, and exits with 1 if they differ.
 *
 *   cc quantize_mfma.c $(pkg-config --cflags --libs mxref) -o quantize_mfma
 */
#include <mxref.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16, K = 200 };                                      /* A is N x K, B is K x N */
enum { STEP = 128, PADDED = 256, BLOCKS = PADDED / MX_BLOCK }; /* K of one instruction and of all */

static const mx_shape shape = MX_16X16X128;

static void must(mx_status s) {
	if (s) {
		fprintf(stderr, "%s\n", mx_strerror(s));
		exit(1);
	}
}

/* An operand in memory: rows of K packed codes, and of scales. Padding is code 0 and scale 1;
 * mx_quantize writes no byte past its K. */
struct operand {
	mx_format format;
	uint8_t codes[N][PADDED], scales[N][BLOCKS];
	struct mx_quantised m;
};

static void clear(struct operand *o, mx_format f) {
	o->format = f;
	memset(o->codes, 0, sizeof o->codes);
	memset(o->scales, 0x7F, sizeof o->scales);
	o->m = (struct mx_quantised){ *o->codes, sizeof *o->codes, *o->scales, sizeof *o->scales };
}

/* Blocks of A lie along rows: the row-wise output. Blocks of B lie down the columns: the
 * column-wise output, which is the transpose, N rows of K. Strides are in bytes. */
static void quantize(const float a[N][K], const float b[K][N], struct operand *qa,
                     struct operand *qb) {
	struct mx_tensor xa = { a, MX_DTYPE_F32, N, K, sizeof *a, sizeof **a };
	struct mx_tensor xb = { b, MX_DTYPE_F32, K, N, sizeof *b, sizeof **b };
	struct mx_quantizer how = { .recipe = MX_RECIPE_EVEN };
	clear(qa, how.format = MX_E4M3);
	must(mx_quantize(&how, &xa, &qa->m, NULL));
	clear(qb, how.format = MX_E2M3);
	must(mx_quantize(&how, &xb, NULL, &qb->m));
}

/* The registers of all lanes for k to k + 127. A lane's registers are a packed array of the 32
 * elements that mx_layout_operand gives; its scale may belong to the elements of another lane. */
static void load(const struct operand *o, unsigned k, uint32_t reg[8][MX_LANES],
                 uint8_t scale[MX_LANES]) {
	for (unsigned lane = 0; lane < MX_LANES; lane++) {
		uint8_t packed[32] = { 0 };
		unsigned row, at, block;
		for (unsigned j = 0; j < 32; j++) {
			must(mx_layout_operand(shape, o->format, lane, j, &row, &at));
			mx_elem code = mx_elem_get(o->format, o->codes[row], k + at);
			must(mx_elem_set(o->format, packed, j, code));
		}
		for (unsigned r = 0; r < mx_operand_vgprs(o->format); r++)
			memcpy(&reg[r][lane], packed + 4 * r, 4); /* on a little-endian host */
		must(mx_layout_scale(shape, lane, &row, &block));
		scale[lane] = o->scales[row][k / MX_BLOCK + block];
	}
}

/* One instruction for each 128 k; its D is the next one's C. */
static void multiply(const struct operand *a, const struct operand *b, uint32_t d[4][MX_LANES]) {
	uint32_t ra[8][MX_LANES], rb[8][MX_LANES];
	uint8_t sa[MX_LANES], sb[MX_LANES];
	struct mx_mma_args args = {
		.profile = mx_profile_by_name("block32"),
		.shape = shape,
		.fmt_a = a->format,
		.fmt_b = b->format,
		.a = ra,
		.b = rb,
		.c = d,
		.scale_a = sa,
		.scale_b = sb,
		.d = d,
	};
	memset(d, 0, 4 * sizeof *d);
	for (unsigned k = 0; k < K; k += STEP) {
		load(a, k, ra, sa);
		load(b, k, rb, sb);
		must(mx_mma_scaled(&args));
	}
}

int main(void) {
	static float a[N][K], b[K][N];
	static struct operand qa, qb;
	static uint32_t d[4][MX_LANES];
	unsigned wrong = 0;
	for (int i = 0; i < N; i++)
		for (int k = 0; k < K; k++) {
			a[i][k] = (float)((7 * i + 3 * k) % 13 - 6);
			b[k][i] = (float)((5 * i + k * k) % 15 - 7);
		}
	quantize(a, b, &qa, &qb);
	multiply(&qa, &qb, d);
	for (unsigned r = 0; r < 4; r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++) {
			unsigned row, col;
			float got, want = 0;
			must(mx_layout_result(shape, lane, r, &row, &col));
			memcpy(&got, &d[r][lane], sizeof got);
			for (int k = 0; k < K; k++)
				want += a[row][k] * b[k][col];
			wrong += got != want;
			if (row == col && row % 5 == 0)
				printf("D[%u][%u] = %g, exactly %g\n", row, col, got, want);
		}
	printf("%u of %d elements are wrong\n", wrong, N * N);
	return wrong != 0;
}
