/* The families of recipes of mxcheck quant. */
#include "quant.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- MX recipes: E8M0 scales of blocks of 32 ---- */

static bool find_mx(const char *name, int *id) {
	mx_recipe r;
	bool found = mx_recipe_by_name(name, &r);
	if (found)
		*id = (int)r;
	return found;
}

static bool describe_mx(int id, const char **name, const char **source, unsigned *formats) {
	const struct mx_recipe_info *r = mx_recipe_info((mx_recipe)id);
	if (!r)
		return false;
	*name = r->name;
	*source = r->source;
	*formats = r->formats;
	return true;
}

static int quantize_mx(const struct mx_quant_job *job, struct mx_quant *q, struct mx_error *err) {
	size_t bytes = mx_packed_bytes(job->format, job->items);
	size_t blocks = (job->items + MX_BLOCK - 1) / MX_BLOCK;
	struct mx_quantizer how = { .recipe = (mx_recipe)q->id,
		                    .format = job->format,
		                    .block = job->block,
		                    .override = job->override,
		                    .rounding = job->rounding,
		                    .random = job->random };
	q->codes = (struct mx_bytes){ job->lines, bytes, malloc(job->lines * bytes) };
	q->scales = (struct mx_bytes){ job->lines, blocks, malloc(job->lines * blocks) };
	if (!q->codes.v || !q->scales.v)
		return mx_fail(err, "out of memory");
	struct mx_quantised out = { q->codes.v, bytes, q->scales.v, blocks };
	mx_status s = mx_quantize(&how, &job->x, job->transposed ? NULL : &out,
	                          job->transposed ? &out : NULL);
	return s ? mx_fail(err, "%s", mx_strerror(s)) : 0;
}

static void values_mx(const struct mx_quant_job *job, const struct mx_quant *q,
                      const struct mx_part *part, mx_f32 *out) {
	struct mx_quantised at = {
		q->codes.v + part->line * q->codes.cols + mx_packed_bytes(job->format, part->item),
		q->codes.cols,
		q->scales.v + part->line * q->scales.cols + part->item / MX_BLOCK,
		q->scales.cols,
	};
	mx_dequantize(job->format, &at, part->lines, part->items, out, 4 * part->items, 4);
}

static void scale_mx(const struct mx_quant *q, size_t line, size_t item, char text[16]) {
	snprintf(text, 16, "0x%02X", q->scales.v[line * q->scales.cols + item / MX_BLOCK]);
}

/* ---- all ---- */

const struct mx_method mx_methods[] = {
	{ find_mx, describe_mx, quantize_mx, values_mx, scale_mx },
};
_Static_assert(sizeof mx_methods / sizeof *mx_methods == MX_METHODS, "quant.h has their number");

bool mx_quant_find(const char *name, struct mx_quant *q) {
	const char *source;
	unsigned formats;
	for (int i = 0; i < MX_METHODS; i++)
		if (mx_methods[i].find(name, &q->id)) {
			q->method = &mx_methods[i];
			return q->method->describe(q->id, &q->name, &source, &formats);
		}
	return false;
}

mx_elem mx_quant_code(const struct mx_quant_job *job, const struct mx_quant *q, size_t line,
                      size_t item) {
	return mx_elem_get(job->format, q->codes.v + line * q->codes.cols, item);
}
