/* S3: the wait for the fragments does not name them. It orders memory accesses only. Without a
 * def-use edge the compiler moves an MFMA above the wait, between the reads. The correct twin is
 * kernels/gemm/mxfp4_gemm.c, which differs in END_READS alone. */
#define END_READS(f, g)                                                                            \
	do {                                                                                       \
		WAIT_LGKMCNT(0);                                                                   \
		BARRIER();                                                                         \
	} while (0)
#include "../gemm/mxfp4_gemm.c"
