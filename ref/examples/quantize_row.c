/* A row of numbers as MXFP4 by the OCP rule: scale bytes, codes and their values.
 *
 *   cc quantize_row.c $(pkg-config --cflags --libs mxref) -o quantize_row
 */
#include <mxref.h>
#include <stdio.h>
#include <string.h>

enum { N = 40 }; /* a block of 32 and one of 8 */

static float as_float(mx_f32 x) {
	float value;
	memcpy(&value, &x, sizeof value);
	return value;
}

int main(void) {
	float row[N];
	mx_f32 x[N];
	for (int i = 0; i < N; i++)
		row[i] = (float)(i - 10) * 0.25f;
	memcpy(x, row, sizeof x);

	for (int first = 0; first < N; first += MX_BLOCK) {
		size_t n = N - first < MX_BLOCK ? N - first : MX_BLOCK;
		mx_elem code[MX_BLOCK];
		mx_e8m0 scale;
		mx_quantize_block(MX_E2M1, x + first, n, code, &scale);
		printf("block at %d: scale 0x%02X = %g\n", first, scale.v,
		       as_float(mx_e8m0_to_f32(scale)));
		for (size_t i = 0; i < n; i++) {
			mx_f32 element = mx_elem_to_f32(MX_E2M1, code[i]);
			mx_f32 value = mx_f32_scale(element, scale.v - 127);
			printf("  %6.2f  0x%X  %6.2f\n", row[first + i], code[i].v,
			       as_float(value));
		}
	}
	return 0;
}
