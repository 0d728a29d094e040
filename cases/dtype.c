/* What a buffer's element type takes up, and its MX format. */
#include "dtype.h"

mx_format dtype_format(mx_buffer_type type) {
	static const mx_format formats[] = {
		[MX_DT_E4M3] = MX_E4M3, [MX_DT_E5M2] = MX_E5M2, [MX_DT_E2M3] = MX_E2M3,
		[MX_DT_E3M2] = MX_E3M2, [MX_DT_E2M1] = MX_E2M1,
	};
	return formats[type];
}

size_t dtype_bytes(mx_buffer_type type, size_t n) {
	switch (type) {
	case MX_DT_F32: return 4 * n;
	case MX_DT_BF16: return 2 * n;
	case MX_DT_E8M0: return n;
	default: return mx_packed_bytes(dtype_format(type), n);
	}
}
