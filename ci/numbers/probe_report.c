/* What a probe found: the fields with their evidence, as text and as YAML. */
#include "probe_report.h"
#include "../cli/args.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_PRODUCTS = 6 };

static void print_profile(const mx_profile *p, const struct mx_probe_insn *insn) {
	const struct mx_family_field *f;
	const char *comma = "";
	for (size_t i = 0; (f = mx_family_at(i)); i++) {
		if (!mx_family_matters(f, p, insn) || (mx_family_value_of(p, f) == 0 && i))
			continue;
		printf(mx_family_value_of(p, f) > 0xFFFF ? "%s%s 0x%X" : "%s%s %u", comma, f->name,
		       mx_family_value_of(p, f));
		comma = ", ";
	}
}

/* Of C and of results. */
static int digits(const struct mx_probe_insn *insn) {
	return (int)(2 * mx_probe_result_bytes(insn));
}

static void print_dot(const struct mx_probe_insn *insn, const struct mx_probe_dot *d) {
	unsigned printed = 0, products = 0;
	for (unsigned k = 0; k < insn->k; k++) {
		if (!d->a[k] || !d->b[k] || ++products > MOST_PRODUCTS)
			continue;
		printf("%sk %u: 0x%" PRIX64 " * 0x%" PRIX64, printed++ ? ", " : "", k, d->a[k],
		       d->b[k]);
		if (insn->scaled && d->sa[k / MX_BLOCK] + d->sb[k / MX_BLOCK] != 254)
			printf(" * 2^%d", d->sa[k / MX_BLOCK] + d->sb[k / MX_BLOCK] - 254);
	}
	if (products > MOST_PRODUCTS)
		printf(" and %u more", products - MOST_PRODUCTS);
	printf("%sC 0x%0*" PRIX64, products ? ", " : "", digits(insn), d->c);
}

/* ---- evidence ---- */

/* The value nearest to the one found that a dot rules out. */
static const struct mx_ruling *nearest(const struct mx_inference *x, size_t field) {
	unsigned value = mx_family_value_of(&x->profile, mx_family_at(field));
	const struct mx_ruling *best = NULL;
	for (size_t i = 0; i < x->field[field].n; i++) {
		const struct mx_ruling *r = &x->field[field].ruling[i];
		if (r->dot != SIZE_MAX &&
		    (!best ||
		     (r->value > value ? r->value - value : value - r->value) <
		             (best->value > value ? best->value - value : value - best->value)))
			best = r;
	}
	return best;
}

/* "16 would give 0x3F800000, not 0x00000000: ORDER". */
static void print_ruling(FILE *to, const struct mx_answers *a, const struct mx_ruling *r) {
	int n = digits(&a->insn);
	fprintf(to, "%u would give 0x%0*" PRIX64 ", not 0x%0*" PRIX64 ": %s", r->value, n,
	        r->would_be, n, a->d[r->dot], mx_question_name(a->dot[r->dot].question));
}

static void print_evidence(const struct mx_answers *a, const struct mx_ruling *r) {
	if (!r)
		return;
	fputs("  ", stdout);
	print_ruling(stdout, a, r);
	putchar(' ');
	print_dot(&a->insn, &a->dot[r->dot]);
}

/* "124 to 149, 160". */
static unsigned print_fitting(const struct mx_inference *x, size_t field) {
	const struct mx_ruling *r = x->field[field].ruling;
	unsigned fit = 0;
	for (size_t i = 0, last; i < x->field[field].n; i = last + 1) {
		for (last = i; r[i].dot == SIZE_MAX && last + 1 < x->field[field].n &&
		               r[last + 1].dot == SIZE_MAX &&
		               r[last + 1].value == r[last].value + 1;)
			last++;
		if (r[i].dot == SIZE_MAX)
			printf(fit++ ? ", %u" : "  %u", r[i].value);
		if (last > i)
			printf(" to %u", r[last].value);
	}
	return fit;
}

static void print_values_that_fit(const struct mx_inference *x, size_t field) {
	const struct mx_family_field *f = mx_family_at(field), *g;
	bool alone = print_fitting(x, field) > 0;
	if (!alone)
		printf("  %u", mx_family_value_of(&x->field[field].other, f));
	fputs(" would give the same", stdout);
	for (size_t i = 0; !alone && (g = mx_family_at(i)); i++)
		if (i != field && mx_family_value_of(&x->field[field].other, g) !=
		                          mx_family_value_of(&x->profile, g))
			printf(", with %s %u", g->name,
			       mx_family_value_of(&x->field[field].other, g));
}

static void print_field(const struct mx_answers *a, const struct mx_inference *x, size_t i) {
	const struct mx_family_field *f = mx_family_at(i);
	unsigned value = mx_family_value_of(&x->profile, f);
	printf(value > 0xFFFF ? "  %-6s 0x%X" : "  %-6s %-4u", f->name, value);
	printf("  %s", x->field[i].decided ? "measured" : "assumed ");
	if (x->field[i].decided)
		print_evidence(a, nearest(x, i));
	else
		print_values_that_fit(x, i);
	putchar('\n');
}

/* ---- text ---- */

static void print_difference(const struct mx_probe_insn *insn, uint64_t is, uint64_t would_be) {
	int n = digits(insn);
	printf(": the device gives 0x%0*" PRIX64 ", the profile 0x%0*" PRIX64 "\n", n, is, n,
	       would_be);
}

static void print_no_fit(const struct mx_answers *a, const struct mx_inference *x) {
	printf("  no profile of the family fits; the nearest of %zu, ", x->tried);
	print_profile(&x->profile, &a->insn);
	printf(",\n  is ruled out by %s (%s):\n  ", mx_question_name(a->dot[x->dot].question),
	       mx_question_text(a->dot[x->dot].question));
	print_dot(&a->insn, &a->dot[x->dot]);
	print_difference(&a->insn, a->d[x->dot], x->would_be);
}

static void print_verified(const struct mx_answers *a, const struct mx_verified *v) {
	printf("  %" PRIu64 " random dots, %" PRIu64 " wrong", v->dots, v->wrong);
	if (v->learnt)
		printf("; %zu of them became questions", v->learnt);
	putchar('\n');
	if (!v->wrong)
		return;
	fputs("  the first: ", stdout);
	print_dot(&a->insn, &v->dot[0]);
	print_difference(&a->insn, v->is[0], v->would_be);
}

void mx_probe_print(const struct mx_answers *a, const struct mx_inference *x,
                    const struct mx_verified *v) {
	printf("%s: %zu questions\n", a->insn.name, a->n);
	if (!x->fits) {
		print_no_fit(a, x);
		return;
	}
	for (size_t i = 0; mx_family_at(i); i++)
		if (x->field[i].matters)
			print_field(a, x, i);
	print_verified(a, v);
}

/* ---- YAML ---- */

/* In double quotes. */
static void put_text(FILE *to, const char *text) {
	putc('"', to);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			fprintf(to, "\\%c", *text);
		else
			putc((unsigned char)*text < ' ' ? ' ' : *text, to);
	putc('"', to);
}

void mx_probe_put_member(FILE *to, const char *key, const char *text) {
	fprintf(to, "%s: ", key);
	put_text(to, text);
	putc('\n', to);
}

void mx_probe_put_head(FILE *to, const struct mx_probe_set *s) {
	mx_probe_put_member(to, "device", s->device);
	mx_probe_put_member(to, "driver", s->driver);
	mx_probe_put_member(to, "date", s->date);
}

void mx_probe_yaml_begin(FILE *to, const struct mx_probe_set *s) {
	fprintf(to, "# Made by mxcheck probe. Fields that are not listed have no effect.\n");
	mx_probe_put_head(to, s);
	fprintf(to, "profiles:\n");
}

static void put_field(FILE *to, const struct mx_answers *a, const struct mx_inference *x,
                      size_t i) {
	const struct mx_family_field *f = mx_family_at(i);
	const struct mx_ruling *r = nearest(x, i);
	fprintf(to, "      - {field: %s, value: %u, fidelity: %s, source: \"", f->name,
	        mx_family_value_of(&x->profile, f), x->field[i].decided ? "measured" : "assumed");
	if (x->field[i].decided && r) {
		print_ruling(to, a, r);
		fprintf(to, ", dot %zu", r->dot);
	} else if (!x->field[i].decided) {
		fprintf(to, "%u would give the same", mx_family_value_of(&x->field[i].other, f));
	}
	fprintf(to, "\"}\n");
}

void mx_probe_yaml(FILE *to, const struct mx_answers *a, const struct mx_inference *x,
                   const struct mx_verified *v) {
	fprintf(to, "  - name: %s\n    questions: %zu\n    random: %" PRIu64 "\n    fields:\n",
	        a->insn.name, a->n, v->dots);
	for (size_t i = 0; mx_family_at(i); i++)
		if (x->field[i].matters)
			put_field(to, a, x, i);
}
