/* The addresses of the lanes of a wave: their computation and their bounds, in loops of which the
 * compiler makes vector instructions. */
#include "lane_addresses.h"

#define FOR_ALL_LANES for (size_t l = 0; l < MX_LANES; l++)

mx_add_pairs_function MX_STEPPED(mx_add_pairs);
void MX_STEPPED(mx_add_pairs)(uint64_t *restrict address, uint64_t base, const mx_vreg *pair) {
	FOR_ALL_LANES address[l] = base + (pair[0][l] | (uint64_t)pair[1][l] << 32);
}

mx_add_offsets_function MX_STEPPED(mx_add_offsets);
void MX_STEPPED(mx_add_offsets)(uint64_t *restrict address, uint64_t base, const uint32_t *v) {
	FOR_ALL_LANES address[l] = base + v[l];
}

mx_bounds_function MX_STEPPED(mx_bounds);
void MX_STEPPED(mx_bounds)(const uint32_t *v, uint64_t lanes, uint32_t *low, uint32_t *high) {
	uint32_t least = UINT32_MAX, greatest = 0;
	if (lanes == ~0ull)
		FOR_ALL_LANES {
			least = v[l] < least ? v[l] : least;
			greatest = v[l] > greatest ? v[l] : greatest;
		}
	else
		FOR_ALL_LANES {
			uint32_t off = (uint32_t)(lanes >> l & 1) - 1;
			uint32_t x = v[l] | off, y = v[l] & ~off;
			least = x < least ? x : least;
			greatest = y > greatest ? y : greatest;
		}
	*low = least;
	*high = greatest;
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

/* Differences from the first lane of a block, eight at a time. */
typedef uint64_t eight __attribute__((vector_size(64), aligned(8), may_alias));

mx_neighbours_function MX_STEPPED(mx_are_neighbours);
bool MX_STEPPED(mx_are_neighbours)(const uint64_t *address) {
	const eight low = { 0, 4, 8, 12, 16, 20, 24, 28 }, high = low + 32;
	eight differ = { 0 };
	uint64_t any = 0;
	if (address[1] - address[0] != sizeof(uint32_t))
		return false;
	for (size_t first = 0; first < MX_LANES; first += MX_NEIGHBOURS) {
		const eight *at = (const eight *)(address + first);
		differ |= ((at[0] - address[first]) ^ low) | ((at[1] - address[first]) ^ high);
	}
	for (unsigned i = 0; i < 8; i++)
		any |= differ[i];
	return !any;
}
