/* Clusters: workgroups of a launch that run at once and share a barrier [CDNA5 2.3, 5.6.6]. */
#ifndef MX_CLUSTERS_H
#define MX_CLUSTERS_H

#include "../machine/wave.h"

/* The workgroups of a cluster of the launch; 1: it has no clusters. */
unsigned mx_cluster_size(const struct mx_launch *l);

/* The workgroup with this rank in a cluster, by their index; X counts fastest. */
uint64_t mx_cluster_member(const struct mx_launch *l, uint64_t cluster, unsigned rank);

/* Of a launch of some workgroups: whether they are all of their clusters, and the nth cluster. */
bool mx_clusters_are_whole(const struct mx_launch *l);
uint64_t mx_cluster_listed(const struct mx_launch *l, uint64_t nth);

/* A workgroup starts: it enters its cluster; false if memory is short. It leaves when it ends.
 * Those of a launch that stopped are freed with the run, after their workgroups. */
bool mx_cluster_enter(struct mx_group *g);
void mx_cluster_leave(struct mx_group *g);
void mx_clusters_free(struct mx_run *run);

/* A wave signals the barrier for its workgroup. It completes when each workgroup that has not ended
 * has signalled. A wave waits for it as for those of its workgroup: mx_isa.cluster_barrier. */
void mx_cluster_signal(struct mx_wave *w, const struct mx_inst *in);

/* Whether a wave may load with a mask of workgroups of its cluster: one that has its own, and no
 * others than are there; outside a cluster 0 alone. Reports a finding if not. */
bool mx_cluster_may_load(struct mx_wave *w, const struct mx_inst *in, uint32_t mask);

#endif
