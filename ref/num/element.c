/* Element codes: their values, and packed arrays of them. */
#include "number.h"

struct mx_unpacked mx_elem_unpack(mx_format f, mx_elem code) {
	struct mx_number x = mx_decode(&mx_types[f], code.v);
	struct mx_unpacked u = { .kind = x.kind, .negative = x.negative };
	if (x.kind == MX_NUMBER) {
		u.sig = x.sig;
		u.exp = x.exp;
	}
	return u;
}

mx_f32 mx_elem_to_f32(mx_format f, mx_elem code) {
	struct mx_number x = mx_decode(&mx_types[f], code.v);
	return (mx_f32){ mx_encode(&mx_types[MX_TYPE_FP32], x, MX_RNE, MX_OVERFLOW, 0) };
}

mx_elem mx_elem_encode(mx_format f, mx_f32 x, mx_rounding r, mx_overflow o, uint32_t random) {
	return (mx_elem){ mx_encode(&mx_types[f], mx_number_of_f32(x), r, o, random) };
}

mx_elem mx_elem_from_f32(mx_format f, mx_f32 x) {
	return mx_elem_encode(f, x, MX_RNE, MX_SATURATE, 0);
}

/* The second byte is accessed only if the element has bits in it. */
mx_elem mx_elem_get(mx_format f, const uint8_t *packed, size_t i) {
	if (!packed)
		return (mx_elem){ 0 };
	unsigned bits = mx_types[f].bits, shift = i * bits % 8;
	const uint8_t *at = packed + i * bits / 8;
	unsigned window = shift + bits > 8 ? at[0] | at[1] << 8 : at[0];
	return (mx_elem){ window >> shift & mx_ones(bits) };
}

mx_status mx_elem_set(mx_format f, uint8_t *packed, size_t i, mx_elem code) {
	if (!packed)
		return MX_BAD_POINTER;
	unsigned bits = mx_types[f].bits, shift = i * bits % 8;
	uint8_t *at = packed + i * bits / 8;
	unsigned mask = mx_ones(bits) << shift, value = (unsigned)code.v << shift & mask;
	at[0] = (at[0] & ~mask) | value;
	if (shift + bits > 8)
		at[1] = (at[1] & ~(mask >> 8)) | value >> 8;
	return MX_OK;
}

size_t mx_packed_bytes(mx_format f, size_t n) {
	unsigned bits = mx_types[f].bits;
	return n / 8 * bits + (n % 8 * bits + 7) / 8;
}
