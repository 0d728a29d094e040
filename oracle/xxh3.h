/* XXH3, compiled into each file that calls it: its library would be loaded at each start. */
#ifndef MX_XXH3_H
#define MX_XXH3_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#endif
