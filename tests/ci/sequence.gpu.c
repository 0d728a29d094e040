/* Kernels for sequences: each reverses the words of every 256, right or with one bug. */
#include "../../kernels/gfx950.h"

enum { N = 256 };

SHARED u32 words[N];

enum { RIGHT, NO_BARRIER, NOT_ALL };

INLINE void reverse_words(const GLOBAL u32 *from, GLOBAL u32 *to, u32 bug) {
	u32 i = __builtin_amdgcn_workitem_id_x();
	u32 at = __builtin_amdgcn_workgroup_id_x() * N;
	words[i] = from[at + i];
	if (bug == NO_BARRIER)
		WAIT_LGKMCNT(0);
	else
		LDS_BARRIER();
	u32 x = words[N - 1 - i];
	if (bug != NOT_ALL || i < N - 32)
		to[at + i] = x;
}

KERNEL(N) void reverse(const GLOBAL u32 *from, GLOBAL u32 *to) {
	reverse_words(from, to, RIGHT);
}

KERNEL(N) void reverse_early(const GLOBAL u32 *from, GLOBAL u32 *to) {
	reverse_words(from, to, NO_BARRIER);
}

KERNEL(N) void reverse_part(const GLOBAL u32 *from, GLOBAL u32 *to) {
	reverse_words(from, to, NOT_ALL);
}

/* Reverses twice if `again` is not 0, with barriers that are reached only then. */
KERNEL(N) void reverse_again(const GLOBAL u32 *from, GLOBAL u32 *to, u32 again) {
	u32 i = __builtin_amdgcn_workitem_id_x();
	u32 at = __builtin_amdgcn_workgroup_id_x() * N;
	words[i] = from[at + i];
	LDS_BARRIER();
	u32 x = words[N - 1 - i];
	if (again) {
		LDS_BARRIER();
		words[i] = x;
		LDS_BARRIER();
		x = words[N - 1 - i];
	}
	to[at + i] = x;
}
