/* The layout of padded groups on the device: where each group begins, with and without padding. For
 * device code only. */
#ifndef GROUPS_H
#define GROUPS_H

#include "../gfx950.h"

/* The group of a padded row: padded[g] <= row < padded[g + 1]. An empty group has no rows. */
INLINE u32 find_group(const CONSTANT u32 *padded, u32 groups, u32 row) {
	u32 low = 0, high = groups;
	while (high - low > 1) {
		u32 middle = (low + high) / 2;
		if (padded[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

#endif
