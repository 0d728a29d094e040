/* The addresses of the lanes of a wave; lane_addresses.c. */
#ifndef MX_LANE_ADDRESSES_H
#define MX_LANE_ADDRESSES_H

#include "../../num/cpu.h"
#include "../machine/wave.h"

/* The base plus a pair of registers, for each lane. */
typedef void mx_add_pairs_function(uint64_t *restrict address, uint64_t base, const mx_vreg *pair);
extern mx_add_pairs_function MX_STEPS_OF(mx_add_pairs);

/* The base plus a register. */
typedef void mx_add_offsets_function(uint64_t *restrict address, uint64_t base, const uint32_t *v);
extern mx_add_offsets_function MX_STEPS_OF(mx_add_offsets);

/* The least and the greatest value of some lanes of a register, at least one. */
typedef void mx_bounds_function(const uint32_t *v, uint64_t lanes, uint32_t *low, uint32_t *high);
extern mx_bounds_function MX_STEPS_OF(mx_bounds);

/* The least and the greatest address of some lanes, at least one. */
typedef void mx_address_bounds_function(const uint64_t *address, uint64_t lanes, uint64_t *low,
                                        uint64_t *high);
extern mx_address_bounds_function MX_STEPS_OF(mx_address_bounds);

/* Whether the address of each lane is a dword after that of the lane before it, within blocks of
 * MX_NEIGHBOURS. */
enum { MX_NEIGHBOURS = 16 };
typedef bool mx_neighbours_function(const uint64_t *address);
extern mx_neighbours_function MX_STEPS_OF(mx_are_neighbours);

#endif
