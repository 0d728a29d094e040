/* Bank conflicts in LDS.
 *
 * LDS has 64 banks of a dword [ISA 2.2.1]. It serves an instruction in phases, a fixed set of lanes
 * in each. A phase takes a cycle, and a conflict cycle for each further dword that it accesses in
 * the bank that has the most. Lanes that access one dword are served together.
 *
 *                        banks  lanes of a phase
 *     reads   1 to 4      32    32 in a row
 *     (bytes) 8           64    32 in a row
 *             12          32    8: four, and four of the other half of 32
 *             16          64    16: of bits 2 to 4 an even number is set, or odd
 *     writes  1 to 4      32    32 in a row
 *             8           32    16 in a row
 *             12, 16      32    8 in a row
 *
 * As measured on MI355X: reads of 8, 12 and 16 bytes, writes of 8 [HipKittens, analysis/
 * paper_experiments/phases]. Reads of 16 bytes also in Triton, which has them from AMD [Triton pull
 * request 11365]. Reads of 4 bytes and the number of banks of each row as AMD's model has them
 * [rocRoller, LDSBankModel: getThreadsPerClock, getNumLDSBanks]; writes of 16 bytes as in AMD's
 * guide to Composable Kernel, "LDS and bank conflicts".
 *
 * Assumed: writes of 12 bytes are like those of 16; an atomic is a write of its size; of two
 * elements each is an access; a transposing read is like another of its size; writes of several
 * lanes to one dword are one. LDS-DMA, appending and the addresses by lane number have no
 * conflicts, because their dwords are consecutive. FLAT is not counted. */
#include <string.h>

#include "ds.h"

enum { BANKS = 64, PHASES = 8, MOST_LANES = 32 /* of a phase */ };

/* How LDS serves an instruction. */
struct service {
	unsigned banks;
	unsigned (*phase)(unsigned lane);
};

static unsigned of_32(unsigned lane) {
	return lane / 32;
}
static unsigned of_16(unsigned lane) {
	return lane / 16;
}
static unsigned of_8(unsigned lane) {
	return lane / 8;
}
static unsigned of_8_crossed(unsigned lane) {
	return lane / 32 * 4 + (lane >> 3 & 1) * 2 + ((lane >> 2 ^ lane >> 4) & 1);
}
static unsigned of_16_crossed(unsigned lane) {
	return lane / 32 * 2 + ((lane >> 2 ^ lane >> 3 ^ lane >> 4) & 1);
}

static struct service service_of(const struct mx_op *op) {
	static const struct service reads[] = {
		{ 32, of_32 }, { 64, of_32 }, { 32, of_8_crossed }, { 64, of_16_crossed }
	};
	static const struct service writes[] = {
		{ 32, of_32 }, { 32, of_16 }, { 32, of_8 }, { 32, of_8 }
	};
	unsigned dwords = (op->d + 3) / 4;
	return op->flags & MX_STORE || op->rmw ? writes[dwords - 1] : reads[dwords - 1];
}

/* The dwords of each bank that a phase accesses. */
struct banks {
	unsigned n[BANKS];
	uint32_t dword[BANKS][MOST_LANES];
};

static void touch(struct banks *b, unsigned banks, uint32_t dword) {
	unsigned bank = dword % banks, i = 0;
	while (i < b->n[bank] && b->dword[bank][i] != dword)
		i++;
	if (i == b->n[bank])
		b->dword[bank][b->n[bank]++] = dword;
}

static unsigned most_of(const struct banks *b) {
	unsigned most = 1;
	for (unsigned i = 0; i < BANKS; i++)
		most = b->n[i] > most ? b->n[i] : most;
	return most;
}

static unsigned conflicts_of(const struct mx_memop *m, unsigned e) {
	const struct service s = service_of(m->in->op);
	unsigned cycles = 0, l;
	for (unsigned phase = 0; phase < PHASES; phase++) {
		struct banks b;
		memset(b.n, 0, sizeof b.n);
		MX_FOR_LANES(l, m->exec)
		if (s.phase(l) == phase) {
			uint32_t at = mx_ds_element(m, l, e);
			for (uint32_t d = at / 4; d <= (at + m->in->op->d - 1) / 4; d++)
				touch(&b, s.banks, d);
		}
		cycles += most_of(&b) - 1;
	}
	return cycles;
}

bool mx_gfx950_bank_conflicts(const struct mx_memop *m, unsigned *cycles) {
	const struct mx_op *op = m->in->op;
	*cycles = 0;
	if (op->encoding != MX_DS || !(op->flags & (MX_LOAD | MX_STORE) || op->rmw) ||
	    mx_kind_of(op) == MX_IS_LANE_MOVE || mx_kind_of(op) == MX_IS_LDS_COUNTER)
		return false;
	for (unsigned e = 0; e < mx_ds_elements(m->in); e++)
		*cycles += conflicts_of(m, e);
	return true;
}
