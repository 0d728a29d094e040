/* Computes the dots of mxcheck probe on an NVIDIA GPU of compute capability 9.0: mxcheck-probe(5).
 *
 *     nvcc -O2 -gencode arch=compute_90a,code=sm_90a -o fill tests/silicon/fill.cu
 *     mxcheck probe --emit DIR --insn 'mma_*,wgmma_*' --bare
 *     ./fill DIR
 *     mxcheck probe --read DIR --out profiles.yaml
 *
 * Dot n is on the diagonal of an instruction: 8 dots in mma.sync, 64 in wgmma with N = 64.
 * Registers hold the operands as [PTX ISA, "Matrix Fragments for mma.m16n8k..."] has them: of each
 * 16 bytes of K, lane 4 * g + t has the t-th four of row g and of row g + 8 of A, and of column g
 * of B. It has columns 2 * t and 2 * t + 1 of these rows of D. A and D of wgmma are such fragments,
 * one for each warp's 16 rows. B of wgmma is in shared memory, as core matrices of 8 columns by 16
 * bytes [PTX ISA, "Shared Memory Matrix Layout", no swizzle]. */
#include <cuda_runtime.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <string>
#include <vector>

#include "../../oracle/probe/random.h"

__attribute__((format(printf, 1, 2))) [[noreturn]] static void fail(const char *format, ...) {
	va_list arguments;
	va_start(arguments, format);
	fputs("fill: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	exit(2);
}

static void check(cudaError_t e, const char *what) {
	if (e != cudaSuccess)
		fail("%s: %s", what, cudaGetErrorString(e));
}

/* The dots of a block, in memory of the device: `a` and `b` have `words` of 16 bytes each a dot. */
struct block {
	const uint32_t *a, *b, *c;
	uint32_t *d;
	size_t dots;
};

/* ---- mma.sync: a warp computes 8 dots ---- */

#define MMA_16(name, text)                                                                         \
	static __global__ void name(struct block x) {                                              \
		size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8;           \
		unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;                            \
		size_t n = first + g < x.dots ? first + g : x.dots - 1;                            \
		uint32_t a = x.a[n * 4 + t], b = x.b[n * 4 + t], d[4] = { 0, 0, 0, 0 };            \
		d[g % 2] = x.c[n];                                                                 \
		asm("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"       \
		    : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                               \
		    : "r"(a), "r"(0), "r"(b));                                                     \
		if (t == g / 2 && first + g < x.dots)                                              \
			x.d[n] = g % 2 ? d[1] : d[0];                                              \
	}

#define MMA_32(name, text)                                                                         \
	static __global__ void name(struct block x) {                                              \
		size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8;           \
		unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;                            \
		size_t n = first + g < x.dots ? first + g : x.dots - 1;                            \
		const uint32_t *a = x.a + n * 8 + t, *b = x.b + n * 8 + t;                         \
		uint32_t d[4] = { 0, 0, 0, 0 };                                                    \
		d[g % 2] = x.c[n];                                                                 \
		asm("mma.sync.aligned." text                                                       \
		    " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                       \
		    : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                               \
		    : "r"(a[0]), "r"(0), "r"(a[4]), "r"(0), "r"(b[0]), "r"(b[4]));                 \
		if (t == g / 2 && first + g < x.dots)                                              \
			x.d[n] = g % 2 ? d[1] : d[0];                                              \
	}

MMA_16(mma_m16n8k16_e4m3, "m16n8k16.row.col.f32.e4m3.e4m3.f32")
MMA_16(mma_m16n8k16_e5m2, "m16n8k16.row.col.f32.e5m2.e5m2.f32")
MMA_16(mma_m16n8k8_f16, "m16n8k8.row.col.f32.f16.f16.f32")
MMA_16(mma_m16n8k8_bf16, "m16n8k8.row.col.f32.bf16.bf16.f32")
MMA_16(mma_m16n8k4_tf32, "m16n8k4.row.col.f32.tf32.tf32.f32")
MMA_16(mma_m16n8k16_s8, "m16n8k16.row.col.s32.s8.s8.s32")
MMA_32(mma_m16n8k32_e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
MMA_32(mma_m16n8k32_e5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32")
MMA_32(mma_m16n8k16_f16, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_32(mma_m16n8k16_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_32(mma_m16n8k8_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_32(mma_m16n8k32_s8, "m16n8k32.row.col.s32.s8.s8.s32")

/* ---- wgmma: four warps compute 64 dots ---- */

enum { COLUMNS = 64, MATRIX = 128 /* bytes of a core matrix */ };

/* Core matrix (columns 8j to 8j + 7, 16 bytes h of K) is at (2j + h) * MATRIX. Offsets in units of
 * 16 bytes: between the halves of K at bit 16, between groups of columns at bit 32. */
static __device__ uint64_t descriptor(const void *shared) {
	uint64_t at = __cvta_generic_to_shared(shared);
	return (at & 0x3FFFF) >> 4 | (uint64_t)(MATRIX / 16) << 16 |
	       (uint64_t)(2 * MATRIX / 16) << 32;
}

#define D8(i)                                                                                      \
	"+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]), "+r"(d[i + 4]),                \
		"+r"(d[i + 5]), "+r"(d[i + 6]), "+r"(d[i + 7])

#define WGMMA(name, text, scales)                                                                  \
	static __global__ void name(struct block x) {                                              \
		__shared__ __align__(128) uint32_t shared[COLUMNS * 8];                            \
		size_t first = (size_t)blockIdx.x * COLUMNS;                                       \
		unsigned w = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;      \
		for (unsigned i = threadIdx.x; i < COLUMNS * 8; i += blockDim.x) {                 \
			size_t dot = first + i / 8 < x.dots ? first + i / 8 : x.dots - 1;          \
			shared[i / 64 * 64 + i % 8 / 4 * 32 + i / 8 % 8 * 4 + i % 4] =             \
				x.b[dot * 8 + i % 8];                                              \
		}                                                                                  \
		uint32_t a[4], d[COLUMNS / 2] = {};                                                \
		for (unsigned half = 0; half < 2; half++) {                                        \
			size_t dot = first + 16 * w + 8 * half + g;                                \
			dot = dot < x.dots ? dot : x.dots - 1;                                     \
			a[half] = x.a[dot * 8 + t];                                                \
			a[2 + half] = x.a[dot * 8 + 4 + t];                                        \
			for (unsigned i = 0; i < COLUMNS / 2; i++)                                 \
				if (i == 4 * (2 * w + half) + 2 * half + g % 2)                    \
					d[i] = x.c[dot];                                           \
		}                                                                                  \
		uint64_t b = descriptor(shared);                                                   \
		__syncthreads();                                                                   \
		asm volatile(                                                                      \
			"fence.proxy.async.shared::cta;\n"                                         \
			"wgmma.fence.sync.aligned;\n"                                              \
			"{ .reg .pred p; setp.eq.u32 p, 0, 0;\n"                                   \
			"wgmma.mma_async.sync.aligned." text                                       \
			" {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,"     \
			"%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31},"                    \
			" {%32,%33,%34,%35}, %36, p" scales "; }\n"                                \
			"wgmma.commit_group.sync.aligned;\n"                                       \
			"wgmma.wait_group.sync.aligned 0;\n"                                       \
			: D8(0), D8(8), D8(16), D8(24)                                             \
			: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)                       \
			: "memory");                                                               \
		for (unsigned half = 0; half < 2; half++)                                          \
			for (unsigned i = 0; i < COLUMNS / 2; i++)                                 \
				if (i == 4 * (2 * w + half) + 2 * half + g % 2 && t == g / 2 &&    \
				    first + 16 * w + 8 * half + g < x.dots)                        \
					x.d[first + 16 * w + 8 * half + g] = d[i];                 \
	}

WGMMA(wgmma_k32_e4m3, "m64n64k32.f32.e4m3.e4m3", ", 1, 1")
WGMMA(wgmma_k32_e5m2, "m64n64k32.f32.e5m2.e5m2", ", 1, 1")
WGMMA(wgmma_k16_f16, "m64n64k16.f32.f16.f16", ", 1, 1, 0")
WGMMA(wgmma_k16_bf16, "m64n64k16.f32.bf16.bf16", ", 1, 1, 0")
WGMMA(wgmma_k8_tf32, "m64n64k8.f32.tf32.tf32", ", 1, 1")
WGMMA(wgmma_k32_s8, "m64n64k32.s32.s8.s8", "")

/* ---- instructions ---- */

struct insn {
	const char *name, *type;
	unsigned k, bytes; /* of an element */
	void (*kernel)(struct block);
	unsigned threads, dots; /* of a workgroup */
};
#define WARPS(name, type, k, bytes)                                                                \
	{ #name, type, k, bytes, name, 128, 32 }
#define WARPGROUP(name, type, k, bytes)                                                            \
	{ #name, type, k, bytes, name, 128, COLUMNS }
static const struct insn insns[] = {
	WARPS(mma_m16n8k16_e4m3, "E4M3", 16, 1),  WARPS(mma_m16n8k16_e5m2, "E5M2", 16, 1),
	WARPS(mma_m16n8k8_f16, "FP16", 8, 2),     WARPS(mma_m16n8k8_bf16, "BF16", 8, 2),
	WARPS(mma_m16n8k4_tf32, "TF32", 4, 4),    WARPS(mma_m16n8k16_s8, "INT8", 16, 1),
	WARPS(mma_m16n8k32_e4m3, "E4M3", 32, 1),  WARPS(mma_m16n8k32_e5m2, "E5M2", 32, 1),
	WARPS(mma_m16n8k16_f16, "FP16", 16, 2),   WARPS(mma_m16n8k16_bf16, "BF16", 16, 2),
	WARPS(mma_m16n8k8_tf32, "TF32", 8, 4),    WARPS(mma_m16n8k32_s8, "INT8", 32, 1),
	WARPGROUP(wgmma_k32_e4m3, "E4M3", 32, 1), WARPGROUP(wgmma_k32_e5m2, "E5M2", 32, 1),
	WARPGROUP(wgmma_k16_f16, "FP16", 16, 2),  WARPGROUP(wgmma_k16_bf16, "BF16", 16, 2),
	WARPGROUP(wgmma_k8_tf32, "TF32", 8, 4),   WARPGROUP(wgmma_k32_s8, "INT8", 32, 1),
};

/* Random dots first, first + 1 ... */
static __global__ void draw(struct mx_probe_type type, unsigned k, unsigned bytes, uint64_t seed,
                            uint64_t first, uint8_t *a, uint8_t *b, uint32_t *c, size_t dots) {
	size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x, dot = at / k;
	if (dot >= dots)
		return;
	for (unsigned is_b = 0; is_b < 2; is_b++) {
		uint32_t code = mx_probe_element(type, seed, first + dot, k, at % k, is_b);
		code <<= type.bits == 19 ? 13 : 0;
		for (unsigned i = 0; i < bytes; i++)
			(is_b ? b : a)[at * bytes + i] = (uint8_t)(code >> 8 * i);
	}
	if (at % k == 0)
		c[dot] = mx_probe_c(type, type, seed, first + dot);
}

/* ---- files ---- */

static std::string slurp(const std::string &path) {
	std::string bytes;
	FILE *f = fopen(path.c_str(), "rb");
	char part[65536];
	if (!f)
		fail("%s: cannot be read", path.c_str());
	for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
		bytes.append(part, n);
	fclose(f);
	return bytes;
}

static void spew(const std::string &path, const std::string &bytes) {
	FILE *f = fopen(path.c_str(), "wb");
	if (!f || fwrite(bytes.data(), 1, bytes.size(), f) != bytes.size() || fclose(f))
		fail("%s: cannot be written", path.c_str());
}

/* The data of a .npy file [NumPy, "A Simple File Format for NumPy Arrays", version 1.0]. */
static std::string array(const std::string &path, size_t bytes) {
	std::string npy = slurp(path);
	size_t head = npy.size() < 10 ? 0 : 10 + (uint8_t)npy[8] + 256 * (uint8_t)npy[9];
	if (!head || npy.size() - head != bytes)
		fail("%s: has not %zu bytes of data", path.c_str(), bytes);
	return npy.substr(head);
}

static std::string npy_u32(const std::vector<uint32_t> &data) {
	char head[128];
	snprintf(head, sizeof head, "{'descr': '<u4', 'fortran_order': False, 'shape': (%zu,), }",
	         data.size());
	std::string text(head), bytes("\x93NUMPY\x01\0\x76\0", 10);
	text.resize(117, ' ');
	return bytes + text + '\n' + std::string((const char *)data.data(), 4 * data.size());
}

/* The number after a name in a piece of the manifest, which mxcheck has written. */
static unsigned long long number(const std::string &text, const char *name) {
	size_t at = text.find(std::string("\"") + name + "\":");
	if (at == std::string::npos)
		return 0;
	return strtoull(text.c_str() + at + strlen(name) + 3, NULL, 10);
}

static void *on_device(size_t bytes) {
	void *p;
	check(cudaMalloc(&p, bytes), "cudaMalloc");
	return p;
}

/* Computes a block, from its files or, for random dots without files, by drawing them. */
static void fill(const insn &x, const std::string &path, uint64_t seed, const std::string &entry) {
	size_t dots = number(entry, "dots"), size = dots * x.k * x.bytes;
	uint8_t *a = (uint8_t *)on_device(size), *b = (uint8_t *)on_device(size);
	uint32_t *c = (uint32_t *)on_device(4 * dots), *d = (uint32_t *)on_device(4 * dots);
	FILE *file = fopen((path + ".a.npy").c_str(), "rb");
	if (file) {
		fclose(file);
		std::string ha = array(path + ".a.npy", size), hb = array(path + ".b.npy", size);
		std::string hc = array(path + ".c.npy", 4 * dots);
		check(cudaMemcpy(a, ha.data(), size, cudaMemcpyHostToDevice), "A");
		check(cudaMemcpy(b, hb.data(), size, cudaMemcpyHostToDevice), "B");
		check(cudaMemcpy(c, hc.data(), 4 * dots, cudaMemcpyHostToDevice), "C");
	} else {
		draw<<<(unsigned)((dots * x.k + 255) / 256), 256>>>(
			mx_probe_type_of(x.type), x.k, x.bytes, seed, number(entry, "first"), a, b,
			c, dots);
	}
	x.kernel<<<(unsigned)((dots + x.dots - 1) / x.dots), x.threads>>>(
		{ (uint32_t *)a, (uint32_t *)b, c, d, dots });
	check(cudaDeviceSynchronize(), x.name);
	std::vector<uint32_t> result(dots);
	check(cudaMemcpy(result.data(), d, 4 * dots, cudaMemcpyDeviceToHost), "D");
	spew(path + ".d.npy", npy_u32(result));
	cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}

static void name_device(const std::string &folder) {
	cudaDeviceProp p;
	int driver = 0, clock = 0;
	char date[32], text[512];
	time_t now = time(NULL);
	check(cudaGetDeviceProperties(&p, 0), "cudaGetDeviceProperties");
	check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
	check(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0), "clock");
	strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
	snprintf(text, sizeof text,
	         "{\"device\": \"%s, compute capability %d.%d, %d MHz\", "
	         "\"driver\": \"CUDA %d.%d\", \"date\": \"%s\"}\n",
	         p.name, p.major, p.minor, clock / 1000, driver / 1000, driver % 1000 / 10, date);
	spew(folder + "/device.json", text);
}

int main(int argc, char **argv) {
	if (argc != 2)
		fail("usage: fill DIR, a folder of mxcheck probe --emit");
	std::string folder = argv[1], manifest = slurp(folder + "/manifest.json");
	uint64_t seed = number(manifest, "seed");
	unsigned n = 0;
	const char *key = "\"path\": \"";
	for (size_t at = 0; (at = manifest.find(key, at)) != std::string::npos; at++) {
		size_t from = at + strlen(key), to = manifest.find('"', from);
		std::string path = manifest.substr(from, to - from);
		std::string entry = manifest.substr(at, manifest.find('}', at) - at);
		for (const insn &x : insns)
			if (path.compare(0, path.find('/'), x.name) == 0) {
				fill(x, folder + "/" + path, seed, entry);
				n++;
			}
	}
	name_device(folder);
	printf("%u blocks filled in\n", n);
	return !n;
}
