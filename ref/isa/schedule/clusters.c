/* Clusters of workgroups: members, and the barrier of a cluster. */
#include "clusters.h"

#include <stdlib.h>

#include "../machine/findings.h"
#include "barriers.h"

unsigned mx_cluster_size(const struct mx_launch *l) {
	unsigned n = l->cluster[0] * l->cluster[1] * l->cluster[2];
	return n ? n : 1;
}

uint64_t mx_cluster_member(const struct mx_launch *l, uint64_t cluster, unsigned rank) {
	uint64_t index = 0, row = 1;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t n = l->cluster[i], clusters = l->grid[i] / n;
		index += row * (cluster % clusters * n + rank % n);
		cluster /= clusters;
		rank /= n;
		row *= l->grid[i];
	}
	return index;
}

static uint64_t cluster_of(const struct mx_launch *l, const uint32_t id[3], unsigned *rank) {
	uint64_t cluster = 0;
	*rank = 0;
	for (unsigned i = 3; i--;) {
		cluster = cluster * (l->grid[i] / l->cluster[i]) + id[i] / l->cluster[i];
		*rank = *rank * l->cluster[i] + id[i] % l->cluster[i];
	}
	return cluster;
}

/* ---- launches of some workgroups ---- */

/* Whether a workgroup is the first of its cluster, and which cluster that is. */
static bool begins_cluster(const struct mx_launch *l, uint64_t workgroup, uint64_t *cluster) {
	uint64_t row = workgroup / l->grid[0];
	const uint32_t id[3] = { (uint32_t)(workgroup % l->grid[0]), (uint32_t)(row % l->grid[1]),
		                 (uint32_t)(row / l->grid[1]) };
	unsigned rank;
	*cluster = cluster_of(l, id, &rank);
	return !rank;
}

static bool is_listed(const struct mx_launch *l, uint64_t workgroup) {
	size_t low = 0, high = l->n_workgroups;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (l->workgroups[middle] < workgroup)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->n_workgroups && l->workgroups[low] == workgroup;
}

bool mx_clusters_are_whole(const struct mx_launch *l) {
	size_t members = 0;
	for (size_t i = 0; i < l->n_workgroups; i++) {
		uint64_t cluster;
		if (!begins_cluster(l, l->workgroups[i], &cluster))
			continue;
		for (unsigned r = 0; r < mx_cluster_size(l); r++, members++)
			if (!is_listed(l, mx_cluster_member(l, cluster, r)))
				return false;
	}
	return members == l->n_workgroups;
}

uint64_t mx_cluster_listed(const struct mx_launch *l, uint64_t nth) {
	uint64_t cluster = 0;
	for (size_t i = 0; i < l->n_workgroups; i++)
		if (begins_cluster(l, l->workgroups[i], &cluster) && !nth--)
			break;
	return cluster;
}

/* ---- members ---- */

bool mx_cluster_enter(struct mx_group *g) {
	struct mx_run *run = g->run;
	g->cluster = NULL;
	if (mx_cluster_size(run->launch) == 1)
		return true;
	uint64_t index = cluster_of(run->launch, g->id, &g->rank);
	struct mx_cluster *c = run->clusters;
	while (c && c->index != index)
		c = c->next;
	if (!c) {
		if (!(c = calloc(1, sizeof *c)))
			return false;
		c->index = index;
		c->next = run->clusters;
		run->clusters = c;
	}
	c->member[g->rank] = g;
	g->cluster = c;
	return true;
}

static unsigned all_of(const struct mx_run *run) {
	return (1u << mx_cluster_size(run->launch)) - 1;
}

static void complete(struct mx_cluster *c, const struct mx_run *run) {
	if (!c->signalled || (c->signalled | c->ended) != all_of(run))
		return;
	c->signalled = 0;
	c->completions++;
	for (unsigned i = 0; i < MX_CLUSTER_GROUPS; i++)
		if (c->member[i])
			mx_barrier_open(c->member[i], run->isa->cluster_barrier);
}

static void remove_from(struct mx_run *run, struct mx_cluster *c) {
	struct mx_cluster **at = &run->clusters;
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	free(c);
}

void mx_cluster_leave(struct mx_group *g) {
	struct mx_cluster *c = g->cluster;
	if (!c)
		return;
	g->cluster = NULL;
	c->member[g->rank] = NULL;
	c->ended |= 1u << g->rank;
	complete(c, g->run);
	if (c->ended == all_of(g->run))
		remove_from(g->run, c);
}

void mx_clusters_free(struct mx_run *run) {
	while (run->clusters)
		remove_from(run, run->clusters);
}

void mx_cluster_signal(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_group *g = w->group;
	struct mx_cluster *c = g->cluster;
	if (c->signalled >> g->rank & 1) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(SIGNAL_TWICE));
		return;
	}
	if (w->wanted & MX_WATCH_BARRIER)
		mx_watch_arrive(w, in, g->run->isa->cluster_barrier);
	c->signalled |= 1u << g->rank;
	complete(c, g->run);
}

bool mx_cluster_may_load(struct mx_wave *w, const struct mx_inst *in, uint32_t mask) {
	const struct mx_group *g = w->group;
	bool alone = !g->cluster;
	if (!mask || (!alone && mask >> g->rank & 1 && !(mask & ~all_of(g->run))))
		return true;
	mx_find(w, in, MX_UNSUPPORTED, -1, 0,
	        alone ? MX_BECAUSE(MASK_ALONE, mask)
	              : MX_BECAUSE(MASK_OF_OTHERS, mask, g->rank, mx_cluster_size(g->run->launch)));
	return false;
}
