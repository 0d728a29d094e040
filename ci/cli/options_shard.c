/* --shard: the part of the runs that this process does, and the names of its files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options_check.h"

enum { MOST_SHARDS = 10000 };

/* The tasks of srun and mpirun: a rank from 0, and the number of ranks. */
static bool shard_of_task(struct mx_options *o) {
	static const char *const names[][2] = {
		{ "SLURM_PROCID", "SLURM_NTASKS" },
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
		{ "PMI_RANK", "PMI_SIZE" },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
		unsigned long long shard, shards;
		if (!rank || !size || !mx_parse_number(size, 1, MOST_SHARDS, &shards) ||
		    !mx_parse_number(rank, 0, shards - 1, &shard))
			continue;
		o->shard = (unsigned)shard + 1;
		o->shards = (unsigned)shards;
		return true;
	}
	return false;
}

/* "2/8" or "auto". */
bool mx_options_take_shard(const char *value, struct mx_options *o, int *status) {
	const char *slash = strchr(value, '/');
	char first[16] = "";
	unsigned long long shard, shards;
	if (!strcmp(value, "auto"))
		return shard_of_task(o) ||
		       mx_options_bad(status, "%s",
		                      "--shard auto: not a task of srun or mpirun: SLURM_PROCID, "
		                      "OMPI_COMM_WORLD_RANK and PMI_RANK are not set");
	if (slash && slash - value < (ptrdiff_t)sizeof first)
		memcpy(first, value, (size_t)(slash - value));
	if (!slash || !mx_parse_number(slash + 1, 1, MOST_SHARDS, &shards) ||
	    !mx_parse_number(first, 1, shards, &shard))
		return mx_options_bad(
			status, "--shard %s: not I/N, I from 1 to N and N at most 10,000, nor auto",
			value);
	o->shard = (unsigned)shard;
	o->shards = (unsigned)shards;
	return true;
}

/* The names of files that differ between shards. */
void mx_options_name_shard(struct mx_options *o) {
	static const char word[] = "{shard}";
	const char **names[] = {
		&o->json, &o->junit, &o->sarif, &o->html, &o->history, &o->resume
	};
	for (size_t i = 0; o->shards && i < sizeof names / sizeof *names; i++) {
		const char *at = *names[i] ? strstr(*names[i], word) : NULL;
		char *to = o->shard_names[i];
		if (!at)
			continue;
		snprintf(to, sizeof o->shard_names[i], "%.*s%u%s", (int)(at - *names[i]), *names[i],
		         o->shard, at + strlen(word));
		*names[i] = to;
	}
}
