/* MXFP8 quantisation of rows for gfx950, E4M3 and E5M2: plain, after a Hadamard transform, and with
 * stochastic rounding. rows.h describes the arguments. */
#include "rows.h"

QUANTISE_ROWS(e4m3_quantise_f32, 4, E4M3, .hadamard = 0)
QUANTISE_ROWS(e4m3_quantise_bf16, 2, E4M3, .hadamard = 0)
QUANTISE_ROWS(e4m3_hadamard_bf16, 2, E4M3, .hadamard = 1)
ROUND_ROWS(e4m3_stochastic_bf16, 2, E4M3, .stochastic = 1)

QUANTISE_ROWS(e5m2_quantise_f32, 4, E5M2, .hadamard = 0)
QUANTISE_ROWS(e5m2_quantise_bf16, 2, E5M2, .hadamard = 0)
QUANTISE_ROWS(e5m2_hadamard_bf16, 2, E5M2, .hadamard = 1)
ROUND_ROWS(e5m2_stochastic_bf16, 2, E5M2, .stochastic = 1)
