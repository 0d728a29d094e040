/* The size of a buffer's element type, and its MX format. */
#include "dtype.h"

static const struct {
	size_t bytes;
	char kind;
} types[] = {
#define MX_DTYPE(id, name, bytes, kind) { bytes, kind },
#include "dtypes.def"
#undef MX_DTYPE
};

bool dtype_is_format(mx_buffer_type type) {
	return types[type].bytes == 0;
}

bool dtype_is_scale(mx_buffer_type type) {
	return type == MX_DT_E8M0 || type == MX_DT_E5M3;
}

mx_format dtype_format(mx_buffer_type type) {
	static const mx_format formats[] = {
		[MX_DT_E4M3] = MX_E4M3, [MX_DT_E5M2] = MX_E5M2, [MX_DT_E2M3] = MX_E2M3,
		[MX_DT_E3M2] = MX_E3M2, [MX_DT_E2M1] = MX_E2M1,
	};
	return formats[type];
}

size_t dtype_bytes(mx_buffer_type type, size_t n) {
	size_t bytes = types[type].bytes;
	return bytes ? bytes * n : mx_packed_bytes(dtype_format(type), n);
}

char dtype_kind(mx_buffer_type type) {
	return types[type].kind;
}

struct dtype_width dtype_width(mx_buffer_type type) {
	switch (type) {
	case MX_DT_F16: return (struct dtype_width){ 11, -24, 16, 0x0400, 0x7c00 };
	case MX_DT_BF16: return (struct dtype_width){ 8, -133, 128, 0x0080, 0x7f80 };
	default: return (struct dtype_width){ 24, -149, 128, 0x00800000, 0x7f800000 };
	}
}
