/* MXFP4 quantisation of rows for gfx950, E2M1: plain, after a Hadamard transform, and with
 * stochastic rounding. rows.h describes the arguments. */
#include "rows.h"

QUANTISE_ROWS(mxfp4_quantise_f32, 4, E2M1, .hadamard = 0)
QUANTISE_ROWS(mxfp4_quantise_bf16, 2, E2M1, .hadamard = 0)
QUANTISE_ROWS(mxfp4_hadamard_bf16, 2, E2M1, .hadamard = 1)
ROUND_ROWS(mxfp4_stochastic_bf16, 2, E2M1, .stochastic = 1)
