/* A run on a real device and on the emulator, side by side. */
#include "beside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"

/* ---- texts ---- */

static void put_distance(const struct mx_difference *d, char *text, size_t room) {
	char far[64] = "";
	if (d->no_distance)
		snprintf(far, sizeof far, ", %zu of them finite on one device alone",
		         d->no_distance);
	if (d->has_ulp)
		snprintf(text, room, ", at most %" PRIu64 " ULP%s", d->ulp, far);
	else
		text[0] = 0;
}

/* "6 of 65536 elements differ from emu, ..." */
static char *difference_text(const struct mx_difference *d, char *text, size_t room) {
	char distance[128];
	put_distance(d, distance, sizeof distance);
	snprintf(text, room, "%zu of %zu elements differ from emu%s; first %s", d->differ,
	         d->elements, distance, d->first);
	return text;
}

char *mx_beside_text(const struct mx_beside *s, char *text, size_t room) {
	char differs[640];
	if (!s->difference.elements)
		snprintf(text, room, "outputs not compared");
	else if (!s->difference.differ)
		snprintf(text, room, "outputs as on emu");
	else
		snprintf(text, room, "outputs: %s",
		         difference_text(&s->difference, differs, sizeof differs));
	return text;
}

/* "fused in 65536 of 65536 elements, of block32 in 65530, ...", the best first. */
static char *fits_text(const struct mx_measurement *m, char *text, size_t room) {
	size_t n = (size_t)snprintf(text, room, "%s in %zu of %zu elements", m->fit[0].name,
	                            m->fit[0].equal, m->elements);
	for (unsigned i = 1; i < MX_FITS && n < room; i++)
		n += (size_t)snprintf(text + n, room - n, ", of %s in %zu", m->fit[i].name,
		                      m->fit[i].equal);
	return text;
}

/* ---- what a difference means ---- */

static bool is_right(const struct mx_verdict *v) {
	return v->checked && !v->wrong;
}

/* Whether every device must leave the same bits. A measured profile is no assumption. */
static bool must_agree(const struct mx_bench *b) {
	const struct mx_plan *p = mx_bench_plan(b);
	mx_judge judge = p->c->verdict.judge;
	return !p->outside && (p->regime == MX_REGIME_EXACT || judge == MX_JUDGE_EXPECT ||
	                       judge == MX_JUDGE_REPACK ||
	                       (judge == MX_JUDGE_BITS && mx_bench_arithmetic(b)->row));
}

static const char *who_is_wrong(const struct mx_verdict *device, const struct mx_verdict *emu) {
	if (is_right(emu) && !is_right(device))
		return "emu is as the reference, the device is not";
	if (is_right(device) && !is_right(emu))
		return "the device is as the reference, emu is not";
	return is_right(emu) ? "the judge accepts both" : "neither is as the reference";
}

static void add_disagreement(struct mx_beside *s, const struct mx_verdict *emu,
                             struct mx_verdict *v) {
	char text[640];
	s->disagree = true;
	mx_verdict_add(v, MX_WRONG_NUMBERS, "devices-differ", "%s: %s", who_is_wrong(v, emu),
	               difference_text(&s->difference, text, sizeof text));
}

/* A measurement takes the place of the findings on numbers, which rest on the profile that the case
 * assumes. */
static void drop_wrong_bits(struct mx_verdict *v) {
	unsigned n = 0;
	for (unsigned i = 0; i < v->n_notes; i++)
		if (strcmp(v->notes[i].kind, "wrong-bits"))
			v->notes[n++] = v->notes[i];
	v->n_notes = n;
	v->diagnosis[0] = v->pattern[0] = v->window[0] = 0;
}

static void add_measurement(const struct mx_bench *b, const struct mx_beside *s,
                            struct mx_verdict *v) {
	const struct mx_measurement *m = &s->measurement;
	const char *assumed = mx_bench_arithmetic(b)->name;
	char fits[200];
	if (m->outside) {
		mx_verdict_add(v, MX_REPORTED, "profile",
		               "no profile explains the difference from emu: %zu elements are "
		               "beyond the bound of every accumulation",
		               m->outside);
		return;
	}
	drop_wrong_bits(v);
	if (m->elements)
		mx_verdict_add(v, MX_REPORTED, "profile",
		               "the device has the bits of %s; emu has %s (assumed)",
		               fits_text(m, fits, sizeof fits), assumed);
	else
		mx_verdict_add(v, MX_REPORTED, "profile",
		               "the device has not the bits of %s (assumed), which emu has; other "
		               "profiles are not compared with such an output",
		               assumed);
}

static int explain(struct mx_bench *b, const struct mx_verdict *emu, struct mx_beside *s,
                   struct mx_result *r) {
	bool by_profile = mx_bench_plan(b)->c->verdict.judge == MX_JUDGE_BITS;
	if (!s->difference.differ)
		return 0;
	if (must_agree(b)) {
		add_disagreement(s, emu, &r->verdict);
		return 0;
	}
	if (!by_profile || !is_right(emu))
		return 0;
	if (mx_measure_profiles(b, &s->measurement, &r->err))
		return -1;
	add_measurement(b, s, &r->verdict);
	return 0;
}

/* ---- joining ---- */

int mx_beside_compare(struct mx_bench *b, const struct mx_result *emu, struct mx_result *r) {
	struct mx_beside *s = r->beside = calloc(1, sizeof *s);
	if (!s)
		return mx_fail(&r->err, "out of memory");
	if (emu->bad_input)
		return mx_fail(&r->err, "%s", emu->err.text);
	if (!emu->outputs || !r->verdict.checked)
		return 0;
	struct mx_outputs *own = mx_outputs_keep(b);
	if (!own)
		return mx_fail(&r->err, "%s: out of memory", mx_bench_plan(b)->name);
	mx_outputs_compare(b, own, emu->outputs, &s->difference);
	free(own);
	return explain(b, &emu->verdict, s, r);
}

/* The findings of the emulator become findings of the run, with the emulator's name. */
static void take_findings(const struct mx_verdict *emu, struct mx_verdict *v) {
	for (unsigned i = 0; i < emu->n_notes; i++) {
		struct mx_note n = emu->notes[i];
		n.emulated = true;
		snprintf(n.text, sizeof n.text, "on emu: %.*s", (int)sizeof n.text - 9,
		         emu->notes[i].text);
		mx_verdict_add_note(v, &n);
	}
}

void mx_beside_join(struct mx_result *emu, struct mx_result *r) {
	if (!r->beside && !(r->beside = calloc(1, sizeof *r->beside)))
		return;
	r->beside->emu = *emu;
	*emu = (struct mx_result){ .run = emu->run };
	free(r->beside->emu.outputs);
	r->beside->emu.outputs = NULL;
	take_findings(&r->beside->emu.verdict, &r->verdict);
}
