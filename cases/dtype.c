/* What a buffer's element type takes up, and its MX format. */
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
