/* tenant.c for gfx1250. */
#include "tenant.c"
