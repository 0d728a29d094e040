/* The scene of a failure: which waves wrote the output, and when two accesses without order ran.
 * The launch runs again, observed, with the same schedule. */
#ifndef MX_SCENE_H
#define MX_SCENE_H

#include "../../oracle/map.h"

enum { MX_SCENE_STEPS = 48 };

/* An instruction of one of the two waves. */
struct mx_scene_step {
	bool later;          /* of the wave of the finding, else of the earlier one */
	bool is_access;      /* one of the two accesses of the finding */
	uint64_t pc;         /* offset in the kernel */
	uint64_t time, land; /* instructions that its workgroup had issued; land 0: none */
};

struct mx_scene {
	bool has_writers;
	struct mx_writer {
		bool known;
		uint32_t workgroup[3], wave;
	} writer[MX_MAP_CELLS * MX_MAP_CELLS]; /* of the first element of each cell of the map */

	int note;       /* the finding of the steps, in the verdict; -1: none */
	bool same_wave; /* both accesses are of one wave */
	unsigned n_steps;
	struct mx_scene_step step[MX_SCENE_STEPS]; /* in order of time */
};

/* map: of the output, or NULL. *scene is to be freed; NULL: there is nothing to show. 0, or -1 with
 * err->text. */
int mx_scene_find(struct mx_bench *b, uint64_t seed, const struct mx_verdict *v,
                  const struct mx_map *map, struct mx_scene **scene, struct mx_error *err);

#endif
