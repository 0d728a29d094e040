/* Variation of a launch's surroundings: amounts from text, and the draws of each launch from its
 * seed. */
#include "vary.h"

#include <Random123/philox.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_runtime.h"

static const struct {
	const char *name, *unit;
	uint32_t most;
} rows[] = {
#define MX_VARY(id, name, device, emu, most, unit) { name, unit, most },
#include "vary.def"
#undef MX_VARY
};

/* ---- text ---- */

static const char names[] =
#define MX_VARY(id, name, device, emu, most, unit) " " name
#include "vary.def"
#undef MX_VARY
	;

static int parse_one(const char *text, size_t length, struct mx_vary *v, struct mx_why *why) {
	size_t name = strcspn(text, "=,"), i = 0;
	while (i < MX_VARIES && (strlen(rows[i].name) != name || memcmp(rows[i].name, text, name)))
		i++;
	if (i == MX_VARIES)
		return mx_why(why, "'%.*s': not one of%s", (int)length, text, names);
	v->most[i] = MX_VARY_USUAL;
	if (name == length)
		return 0;
	const char *digits = text + name + 1;
	size_t n = length - name - 1;
	unsigned long most = strspn(digits, "0123456789") == n ? strtoul(digits, NULL, 10) : 0;
	if (!n || n > 6 || !most || most > rows[i].most)
		return mx_why(why, "%.*s: not a number of %s from 1 to %u", (int)length, text,
		              rows[i].unit, rows[i].most);
	v->most[i] = (uint32_t)most;
	return 0;
}

int mx_vary_parse(const char *text, struct mx_vary *v, struct mx_why *why) {
	*v = (struct mx_vary){ 0 };
	for (;;) {
		size_t length = strcspn(text, ",");
		if (parse_one(text, length, v, why))
			return -1;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

void mx_vary_settle(struct mx_vary *v, const struct mx_device *d) {
	uint32_t units = d->compute_units > 1 ? d->compute_units : 2;
	const uint32_t usual[] = {
#define MX_VARY(id, name, device, emulator, most, unit) d->emu ? emulator : device,
#include "vary.def"
#undef MX_VARY
	};
	for (size_t i = 0; i < MX_VARIES; i++)
		if (v->most[i] == MX_VARY_USUAL)
			v->most[i] = usual[i];
}

void mx_vary_text(const struct mx_vary *v, bool units, char *text, size_t room) {
	size_t n = 0;
	text[0] = 0;
	for (size_t i = 0; i < MX_VARIES && n < room; i++)
		if (v->most[i])
			n += (size_t)snprintf(text + n, room - n, "%s%s=%u%s%s", n ? "," : "",
			                      rows[i].name, v->most[i], units ? " " : "",
			                      units ? rows[i].unit : "");
}

/* ---- draws of a launch ---- */

enum draw { WHETHER, AMOUNT, KIND };

/* Philox as a function of seed and row: a row's numbers do not depend on the other rows. */
static philox4x32_ctr_t draw(uint64_t seed, mx_vary_id id) {
	philox4x32_ctr_t counter = { { (uint32_t)seed, (uint32_t)(seed >> 32), id } };
	philox4x32_key_t key = { { 0x76617279 } }; /* "vary": separate from the draws of data */
	return philox4x32(counter, key);
}

static uint32_t below(uint32_t word, uint32_t n) {
	return (uint32_t)((uint64_t)word * n >> 32);
}

/* Three of four launches have it, because some faults appear only without a corunner. */
static uint32_t some(philox4x32_ctr_t d, uint32_t amount) {
	return below(d.v[WHETHER], 4) ? amount : 0;
}

struct mx_variation mx_variation_of(const struct mx_vary *v, uint64_t seed) {
	struct mx_variation x = { 0 };
	for (unsigned i = 0; i < MX_VARIES; i++) {
		philox4x32_ctr_t d = draw(seed, i);
		uint32_t most = v->most[i], amount = below(d.v[AMOUNT], most);
		if (!most)
			continue;
		x.n[i] = i == MX_VARY_STREAM ? amount
		                             : some(d, i == MX_VARY_FLUSH ? most : 1 + amount);
		if (i == MX_VARY_TENANT)
			x.matrix = below(d.v[KIND], 2);
	}
	return x;
}

void mx_variation_text(const struct mx_vary *v, const struct mx_variation *x, char *text,
                       size_t room) {
	char stream[32] = "", tenant[64] = "", flush[48] = "", place[48] = "";
	if (v->most[MX_VARY_STREAM])
		snprintf(stream, sizeof stream,
		         x->n[MX_VARY_STREAM] ? "; stream %u" : "; null stream",
		         x->n[MX_VARY_STREAM]);
	if (x->n[MX_VARY_TENANT])
		snprintf(tenant, sizeof tenant, "; beside %u workgroups of %s",
		         x->n[MX_VARY_TENANT], x->matrix ? "tenant_matrix" : "tenant_memory");
	if (x->n[MX_VARY_FLUSH])
		snprintf(flush, sizeof flush, "; after a flush of %u MiB", x->n[MX_VARY_FLUSH]);
	if (x->n[MX_VARY_PLACE])
		snprintf(place, sizeof place, "; after %u short workgroups", x->n[MX_VARY_PLACE]);
	snprintf(text, room, "%s%s%s%s", stream, tenant, flush, place);
	memmove(text, text + 2 * (text[0] == ';'), strlen(text) + 1 - 2 * (text[0] == ';'));
}
