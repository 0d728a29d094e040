/* Small kernels that references judge: a product, softmax, norms, top-k and attention, a work-item
 * for each row, in f32. `bug` is 0 for the right kernel. */
#include "../../kernels/gfx950.h"

#include <stdbool.h>

#define ROW() (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())

INLINE float widen(u16 x) {
	return __builtin_bit_cast(float, (u32)x << 16);
}

INLINE float power(float x) {
	return __builtin_amdgcn_exp2f(x * 1.44269504f);
}

INLINE u16 narrow(float x, bool up) {
	u32 bits = __builtin_bit_cast(u32, x);
	return (u16)((bits + (up ? 0x7fff + (bits >> 16 & 1) : 0)) >> 16);
}

enum { RIGHT, TRUNCATES, NO_SCALE, NO_BIAS };

/* C = A B^T: A bf16 with a scale for each row, B e2m1 with an e8m0 scale for each 32; C bf16. */
KERNEL(64)
void product(const GLOBAL u16 *A, const GLOBAL float *SA, const GLOBAL u8 *B, const GLOBAL u8 *SB,
             const GLOBAL float *bias, GLOBAL u16 *C, u32 N, u32 K, u32 bug) {
	static const CONSTANT float fp4[8] = { 0, 0.5f, 1, 1.5f, 2, 3, 4, 6 };
	u32 i = ROW() / N, j = ROW() % N;
	float sum = 0;
	for (u32 k = 0; k < K; k++) {
		u32 code = B[j * K / 2 + k / 2] >> 4 * (k & 1) & 15;
		float b = code & 8 ? -fp4[code & 7] : fp4[code & 7];
		u32 scale = (u32)SB[j * (K / 32) + k / 32] << 23;
		sum += widen(A[i * K + k]) * b * __builtin_bit_cast(float, scale);
	}
	if (bug != NO_SCALE)
		sum *= SA[i];
	if (bug != NO_BIAS)
		sum += bias[j];
	C[ROW()] = narrow(sum, bug != TRUNCATES);
}

enum { DESCENDING = 1 };

/* C = A B^T of f32, a wave for 16 by 16 of C. `bug`: from the last k to the first. */
KERNEL(64)
void f32_product(const GLOBAL float *A, const GLOBAL float *B, GLOBAL float *C, u32 N, u32 K,
                 u32 bug) {
	u32 lane = __builtin_amdgcn_workitem_id_x(), i = lane % 16, k = lane / 16;
	A += (16 * __builtin_amdgcn_workgroup_id_x() + i) * K + k;
	B += (16 * __builtin_amdgcn_workgroup_id_y() + i) * K + k;
	C += 16 * (__builtin_amdgcn_workgroup_id_x() * N + __builtin_amdgcn_workgroup_id_y());
	float __attribute__((ext_vector_type(4))) sum = 0;
	for (u32 from = 0; from < K; from += 4) {
		u32 at = bug == DESCENDING ? K - 4 - from : from;
		sum = __builtin_amdgcn_mfma_f32_16x16x4f32(A[at], B[at], sum, 0, 0, 0);
	}
	for (u32 row = 0; row < 4; row++)
		C[(4 * k + row) * N + i] = sum[row];
}

enum { LAST_LOST = 1 };

KERNEL(64) void softmax(const GLOBAL float *X, GLOBAL float *Y, u32 n, u32 bug) {
	const GLOBAL float *x = X + ROW() * n;
	float most = x[0], sum = 0;
	for (u32 j = 1; j < n; j++)
		most = most > x[j] ? most : x[j];
	for (u32 j = 0; j < n - (bug == LAST_LOST); j++)
		sum += power(x[j] - most);
	for (u32 j = 0; j < n; j++)
		Y[ROW() * n + j] = power(x[j] - most) / sum;
}

enum { SAMPLE_VARIANCE = 1, NO_EPS, SHIFT_LOST };

/* Layer norm, or RMS norm without mean and bias; in two passes. */
KERNEL(64)
void norm(const GLOBAL float *X, const GLOBAL u16 *weight, const GLOBAL float *bias,
          GLOBAL float *Y, u32 n, u32 layer, u32 bug) {
	const GLOBAL float *x = X + ROW() * n;
	float mean = 0, v = 0;
	for (u32 j = 0; layer && j < n; j++)
		mean += x[j] / (float)n;
	for (u32 j = 0; j < n; j++)
		v += (x[j] - mean) * (x[j] - mean);
	v = v / (float)(n - (bug == SAMPLE_VARIANCE)) + (bug == NO_EPS ? 0 : 0.001f);
	for (u32 j = 0; j < n; j++) {
		float y = (x[j] - mean) * __builtin_amdgcn_rsqf(v) * widen(weight[j]);
		Y[ROW() * n + j] = layer && bug != SHIFT_LOST ? y + bias[j] : y;
	}
}

enum { SECOND_TWICE = 1, BEYOND };

/* The k largest weights of softmax, and their columns. */
KERNEL(64)
void topk(const GLOBAL float *X, GLOBAL u32 *index, GLOBAL float *weight, u32 n, u32 k, u32 bug) {
	const GLOBAL float *x = X + ROW() * n;
	float most = x[0], sum = 0;
	u64 used = 0;
	for (u32 j = 1; j < n; j++)
		most = most > x[j] ? most : x[j];
	for (u32 j = 0; j < n; j++)
		sum += power(x[j] - most);
	for (u32 i = 0; i < k; i++) {
		u32 best = 64;
		for (u32 j = 0; j < n; j++)
			if (!(used >> j & 1) && (best == 64 || x[j] > x[best]))
				best = j;
		if (!(bug == SECOND_TWICE && i == 1))
			used |= 1ul << best;
		index[ROW() * k + i] = bug == BEYOND && i == 1 ? n : best;
		weight[ROW() * k + i] = power(x[best] - most) / sum;
	}
}

enum { MASK_SHORT = 1, NO_MAXIMUM_IN_LSE, HEADS_SWAPPED };

/* Causal attention of two heads of D columns; O bf16, weights in f32. */
KERNEL(64)
void attention(const GLOBAL u16 *Q, const GLOBAL u16 *K, const GLOBAL u16 *V, GLOBAL u16 *O,
               GLOBAL float *LSE, u32 keys, u32 queries, u32 D, u32 bug) {
	u32 i = ROW() / 2, head = ROW() & 1, from = bug == HEADS_SWAPPED ? !head : head;
	float out[16] = { 0 }, most = -1e30f, sum = 0, scale = 1 / __builtin_sqrtf((float)D);
	if (i >= queries)
		return;
	for (u32 j = 0; j + queries <= i + keys - (bug == MASK_SHORT); j++) {
		float s = 0;
		for (u32 d = 0; d < D; d++)
			s += widen(Q[(i * 2 + from) * D + d]) * widen(K[(j * 2 + head) * D + d]);
		s *= scale;
		float now = most > s ? most : s, old = power(most - now), w = power(s - now);
		for (u32 d = 0; d < 16; d++)
			out[d] = out[d] * old + (d < D ? w * widen(V[(j * 2 + head) * D + d]) : 0);
		sum = sum * old + w;
		most = now;
	}
	for (u32 d = 0; d < 16; d++)
		if (d < D)
			O[(i * 2 + head) * D + d] = narrow(out[d] / sum, true);
	float log = __builtin_amdgcn_logf(sum) * 0.69314718f;
	LSE[head * queries + i] = bug == NO_MAXIMUM_IN_LSE ? log : most + log;
}

enum { PAGES_IN_ORDER = 1, WHOLE_PAGES, ONE_LENGTH };

/* Attention of one query a batch over the pages of a table, two heads that share K and V of D
 * columns; a work-item for each batch and head. */
KERNEL(64)
void paged(const GLOBAL float *Q, const GLOBAL float *K, const GLOBAL float *V,
           const GLOBAL u32 *table, const GLOBAL u32 *lengths, GLOBAL float *O, u32 batches,
           u32 columns, u32 D, u32 bug) {
	u32 i = ROW() / 2, q = ROW() * D, keys;
	float out[16] = { 0 }, sum = 0, scale = 1 / __builtin_sqrtf((float)D);
	if (i >= batches)
		return;
	keys = bug == WHOLE_PAGES ? lengths[i] & ~3u : lengths[bug == ONE_LENGTH ? 0 : i];
	for (u32 j = 0; j < keys; j++) {
		u32 page = bug == PAGES_IN_ORDER ? j / 4 : table[i * columns + j / 4];
		const GLOBAL float *k = K + (page * 4 + j % 4) * D, *v = V + (page * 4 + j % 4) * D;
		float s = 0;
		for (u32 d = 0; d < D; d++)
			s += Q[q + d] * k[d];
		float w = power(s * scale);
		for (u32 d = 0; d < 16; d++)
			out[d] += d < D ? w * v[d] : 0;
		sum += w;
	}
	for (u32 d = 0; d < 16; d++)
		if (d < D)
			O[q + d] = out[d] / sum;
}

enum { LISTS_FROM_0 = 1, LAST_PAGE_FULL, V_FROM_THE_END };

/* The same for two heads whose V is the first 8 of 12 columns of K, with a list of pages. */
KERNEL(64)
void latent(const GLOBAL float *Q, const GLOBAL float *KV, const GLOBAL u32 *list,
            const GLOBAL u32 *begin, const GLOBAL u32 *last, GLOBAL float *O, u32 batches,
            u32 bug) {
	u32 i = ROW() / 2, q = ROW() * 12, v = bug == V_FROM_THE_END ? 4 : 0;
	float out[8] = { 0 }, sum = 0;
	if (i >= batches)
		return;
	u32 pages = begin[i + 1] - begin[i], first = bug == LISTS_FROM_0 ? 0 : begin[i];
	for (u32 j = 0; j < 4 * pages - 4 + (bug == LAST_PAGE_FULL ? 4 : last[i]); j++) {
		const GLOBAL float *k = KV + (list[first + j / 4] * 4 + j % 4) * 12;
		float s = 0;
		for (u32 d = 0; d < 12; d++)
			s += Q[q + d] * k[d];
		float w = power(s * 0.3f);
		for (u32 d = 0; d < 8; d++)
			out[d] += w * k[v + d];
		sum += w;
	}
	for (u32 d = 0; d < 8; d++)
		O[ROW() * 8 + d] = out[d] / sum;
}

enum { FIRST_EXPERT = 1, HALVES_SWAPPED, NO_WEIGHT, LAST_ROW_LOST };
enum { FLAT = 1, SORTED_SCALES = 2 };

/* A mixture of experts on tokens of 8 numbers, sorted in tiles of 4 rows; a work-item for each
 * token. Without W2 the rows of O are those of each token and its experts. SX: a scale for each
 * token, or sorted row; SW: for each row of W1; or NULL. */
KERNEL(64)
void moe(const GLOBAL float *X, const GLOBAL float *W1, const GLOBAL float *W2,
         const GLOBAL float *SX, const GLOBAL float *SW, const GLOBAL u32 *tokens,
         const GLOBAL u32 *experts, const GLOBAL u32 *count, const GLOBAL float *routing,
         GLOBAL float *O, u32 n, u32 topk, u32 flags, u32 bug) {
	u32 t = ROW();
	float out[8] = { 0 };
	for (u32 at = 0; t < n && at < count[0] - (bug == LAST_ROW_LOST); at++) {
		u32 token = flags & FLAT ? tokens[at] / topk : tokens[at] & 0xffffff;
		u32 slot = flags & FLAT ? tokens[at] % topk : tokens[at] >> 24;
		u32 e = experts[bug == FIRST_EXPERT ? 0 : at / 4];
		float scale = SX ? SX[flags & SORTED_SCALES ? at : t] : 1;
		for (u32 i = 0; token == t && i < 8; i++) {
			float half[2] = { 0 };
			for (u32 d = 0; d < 16; d++) {
				u32 row = e * 16 + d / 8 * 8 + i;
				half[d / 8] += X[t * 8 + d % 8] * W1[row * 8 + d % 8] * scale *
				               (SW ? SW[row] : 1);
			}
			float g = half[bug == HALVES_SWAPPED], u = half[bug != HALVES_SWAPPED];
			float h = g / (1 + power(-g)) * u;
			for (u32 d = 0; W2 && d < 8; d++)
				out[d] += (bug == NO_WEIGHT ? 1 : routing[at]) * h *
				          W2[(e * 8 + d) * 8 + i];
			if (!W2)
				O[(t * topk + slot) * 8 + i] = h;
		}
	}
	for (u32 d = 0; W2 && t < n && d < 8; d++)
		O[t * 8 + d] = out[d];
}
