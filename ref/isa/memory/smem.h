/* Scalar memory. */
#ifndef MX_SMEM_H
#define MX_SMEM_H

struct mx_inst;

/* What an instruction adds to lgkmcnt, and how many SGPRs its data has. */
unsigned mx_smem_weight(const struct mx_inst *in);
unsigned mx_smem_data_dwords(const struct mx_inst *in);

#endif
