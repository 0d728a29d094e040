/* The addresses of the lanes of a wave: their computation and their bounds, in loops of which the
 * compiler makes vector instructions. */
#include "lane_addresses.h"

#define FOR_ALL_LANES for (size_t l = 0; l < MX_LANES; l++)

mx_add_pairs_function MX_STEPPED(mx_add_pairs);
void MX_STEPPED(mx_add_pairs)(uint64_t *restrict address, uint64_t base, const mx_vreg *pair) {
	FOR_ALL_LANES address[l] = base + (pair[0][l] | (uint64_t)pair[1][l] << 32);
}

mx_address_bounds_function MX_STEPPED(mx_address_bounds);
void MX_STEPPED(mx_address_bounds)(const uint64_t *address, uint64_t lanes, uint64_t *low,
                                   uint64_t *high) {
	uint64_t least = UINT64_MAX, greatest = 0;
	if (lanes == ~0ull)
		FOR_ALL_LANES {
			least = address[l] < least ? address[l] : least;
			greatest = address[l] > greatest ? address[l] : greatest;
		}
	else
		FOR_ALL_LANES {
			uint64_t off = (lanes >> l & 1) - 1;
			uint64_t a = address[l] | off, b = address[l] & ~off;
			least = a < least ? a : least;
			greatest = b > greatest ? b : greatest;
		}
	*low = least;
	*high = greatest;
}
