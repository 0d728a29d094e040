/* Variations of a hunt around a launch: from text, from a seed, and their effect. */
#include "../../kernels/host/vary.h"
#include "../heap.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 4000 };

static void test_text(void) {
	struct mx_vary v;
	struct mx_why why = { "" };
	char text[128];
	ok(!mx_vary_parse("place=7,stream,flush=2", &v, &why) &&
	           v.most[MX_VARY_STREAM] == MX_VARY_USUAL && v.most[MX_VARY_PLACE] == 7 &&
	           v.most[MX_VARY_FLUSH] == 2 && !v.most[MX_VARY_TENANT],
	   "amounts are read, and omitted ones are not varied: %s", why.text);
	v.most[MX_VARY_STREAM] = 5;
	mx_vary_text(&v, false, text, sizeof text);
	ok(!strcmp(text, "stream=5,flush=2,place=7"), "and written: %s", text);
}

static void test_variation_text(void) {
	const struct mx_vary all = { { 5, 64, 512, 256 } }, some = { { 0, 64, 0, 0 } };
	struct mx_variation x = { .n = { 2, 3, 512, 7 }, .matrix = true }, none = { 0 };
	char text[200];
	mx_variation_text(&all, &x, text, sizeof text);
	ok(!strcmp(text, "stream 2; beside 3 workgroups of tenant_matrix; after a flush of 512 "
	                 "MiB; after 7 short workgroups"),
	   "the variation of a launch is written: %s", text);
	mx_variation_text(&all, &none, text, sizeof text);
	ok(!strcmp(text, "null stream"), "and for a launch without variation: %s", text);
	mx_variation_text(&some, &none, text, sizeof text);
	ok(!*text, "and nothing if streams are not varied");
}

static void test_seeds(void) {
	const struct mx_vary v = { { 5, 64, 512, 256 } }, one = { { 0, 64, 0, 0 } };
	unsigned seen[5] = { 0 }, none[MX_VARIES] = { 0 }, matrix = 0, bad = 0, most = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct mx_variation x = mx_variation_of(&v, seed),
				    again = mx_variation_of(&v, seed),
				    alone = mx_variation_of(&one, seed);
		bad += memcmp(x.n, again.n, sizeof x.n) ||
		       x.n[MX_VARY_TENANT] != alone.n[MX_VARY_TENANT] || x.n[MX_VARY_STREAM] > 4 ||
		       x.n[MX_VARY_TENANT] > 64 || x.n[MX_VARY_PLACE] > 256 ||
		       (x.n[MX_VARY_FLUSH] && x.n[MX_VARY_FLUSH] != 512) || alone.n[MX_VARY_FLUSH];
		seen[x.n[MX_VARY_STREAM] % 5]++;
		for (unsigned i = 0; i < MX_VARIES; i++)
			none[i] += !x.n[i];
		matrix += x.matrix;
		most = x.n[MX_VARY_TENANT] > most ? x.n[MX_VARY_TENANT] : most;
	}
	ok(!bad && most == 64,
	   "the variation of a launch follows from its seed, within its amounts");
	ok(seen[0] > SEEDS / 6 && seen[4] > SEEDS / 6,
	   "each stream gets its share of launches, the null stream too");
	ok(none[MX_VARY_TENANT] > SEEDS / 5 && none[MX_VARY_TENANT] < SEEDS / 3 &&
	           none[MX_VARY_FLUSH] > SEEDS / 5 && none[MX_VARY_PLACE] < SEEDS / 3 &&
	           matrix > SEEDS / 3 && matrix < SEEDS * 2 / 3,
	   "a quarter of the launches is without a tenant, and both tenants occur");
}

struct making {
	struct mx_device *d;
	const struct mx_vary *v;
	const char *kernels;
};

static void make_and_free(void *making) {
	const struct making *m = making;
	struct mx_corunners *c;
	struct mx_why why;
	need(!mx_corunners_make(m->d, m->v, m->kernels, &c, &why), why.text);
	mx_corunners_free(c);
}

/* The kernel between is a tenant too: any kernel does. */
static void test_launches(const char *build) {
	const struct mx_vary v = { { 3, 4, 1, 6 } };
	const struct mx_geometry g = { { 1, 1, 1 }, { 256, 1, 1 }, 0 };
	struct mx_device *d;
	struct mx_module *m;
	struct mx_corunners *c;
	struct mx_why why = { "" };
	struct {
		void *stop, *visits, *memory;
		uint32_t elements, rounds;
	} own = { NULL, NULL, NULL, 256, 1 };
	char path[600], kernels[512];
	uint64_t planned = 0, visits = 0, mine = 0;
	int bad = 0;
	snprintf(kernels, sizeof kernels, "%s/kernels", build);
	snprintf(path, sizeof path, "%s/corunners/tenant.co", kernels);
	need(!mx_device_open("emu", &d, &why) &&
	             !mx_module_load(d, path, "tenant_memory", &m, &why) &&
	             !mx_corunners_make(d, &v, kernels, &c, &why),
	     why.text);
	need(!mx_device_alloc(d, 4, &own.stop, &why) && !mx_device_alloc(d, 8, &own.visits, &why) &&
	             !mx_device_alloc(d, 4096, &own.memory, &why) &&
	             !mx_device_upload(d, own.stop, &mine, 4, &why) &&
	             !mx_device_upload(d, own.visits, &mine, 8, &why),
	     why.text);
	for (uint64_t seed = 1; !bad && seed <= 12; seed++) {
		const struct mx_around around = { c, seed, 1 };
		struct mx_variation x = mx_variation_of(&v, seed);
		planned += x.n[MX_VARY_TENANT] + x.n[MX_VARY_PLACE];
		bad = mx_module_launch(m, &g, &own, sizeof own, &around, &why);
	}
	bad = bad || mx_corunners_visits(c, &visits, &why) ||
	      mx_device_download(d, &mine, own.visits, 8, &why);
	if (!ok(!bad && mine == 12 && planned > 40 && visits == planned,
	        "%llu workgroups of neighbours were planned, %llu ran", (unsigned long long)planned,
	        (unsigned long long)visits))
		diag("%llu of its own; %s", (unsigned long long)mine, why.text);
	mx_corunners_free(c);
	ok(!heap_left_by(make_and_free, &(struct making){ d, &v, kernels }),
	   "corunners free their memory and their kernels");
	ok(mx_corunners_make(d, &v, "nowhere", &c, &why) == -1 &&
	           strstr(why.text, "nowhere/corunners/tenant.co"),
	   "without its kernels corunners is refused: %s", why.text);
	mx_device_free(d, own.stop);
	mx_device_free(d, own.visits);
	mx_device_free(d, own.memory);
	mx_module_unload(m);
	mx_device_close(d);
}

int main(void) {
	const char *build = getenv("BUILD");
	test_text();
	test_variation_text();
	test_seeds();
	test_launches(build ? build : "build");
	return done_testing();
}
