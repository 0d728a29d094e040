/* Devices by name, and the emulator as mxcheck uses it: modules, memory, launches. */
#include "../../kernels/host/device.h"
#include "../tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct mx_device *emu;
static char gemm[512];

static void test_emu(void) {
	struct mx_why why = { "" };
	if (!ok(mx_device_open("emu", &emu, &why) == 0, "the emulator is found")) {
		printf("Bail out! %s\n", why.text);
		exit(1);
	}
	ok(!strcmp(emu->name, "emu") && !strcmp(emu->arch, "gfx950") &&
	           !strcmp(emu->runtime, "libmxhip.so"),
	   "it has its name, architecture gfx950 and runtime");
	ok(emu->emu && !emu->emu->set_launch_options(NULL) && emu->emu->op_count() > 300,
	   "it has the functions of the emulator");
}

static void test_description(void) {
	struct mx_device *d = NULL;
	struct mx_why why = { "" };
	char text[512];
	ok(!mx_device_describe("emu", &d, &why) && !strcmp(d->name, "emu") &&
	           !strcmp(d->arch, "gfx950") && !d->emu && !d->hip,
	   "a device is described from another process, and can do nothing");
	ok(d && !strcmp(mx_device_text(d, text, sizeof text), "mxcheck emulated gfx950"),
	   "its text has what is known");
	mx_device_close(d);
	struct mx_device real = { .product = "AMD Instinct MI355X",
		                  .driver = "HIP 7.0.51831, amdgpu 6.14.14",
		                  .core_mhz = 2400,
		                  .memory_mhz = 2000 };
	ok(!strcmp(mx_device_text(&real, text, sizeof text),
	           "AMD Instinct MI355X; HIP 7.0.51831, amdgpu 6.14.14; core 2400 MHz, memory 2000 "
	           "MHz"),
	   "that of a real device has driver and clocks");
	ok(mx_device_describe("nothing", &d, &why) == -1 && strstr(why.text, "no device 'nothing'"),
	   "a wrong name has its reason");
}

static void test_names(void) {
	static const char *const bad[] = { "",         "emu:0",  "EMU",       "hip:",
		                           "hip:x",    "hip-0",  "hip:1x",    "gfx950",
		                           "hip:1000", "hip:-1", "emu:gfx942" };
	struct mx_device *d;
	struct mx_why why = { "" };
	size_t i = 0;
	while (i < COUNT(bad) && mx_device_open(bad[i], &d, &why) == -1 &&
	       strstr(why.text, "emu, emu:gfx950, emu:gfx1250, hip or hip:N"))
		i++;
	if (!ok(i == COUNT(bad),
	        "%zu wrong names of devices are refused, and the reason lists the right ones",
	        COUNT(bad)))
		diag("first wrong: '%s': %s", bad[i], why.text);
	mx_device_close(NULL);
}

static void test_hip(void) {
	struct mx_device *d;
	struct mx_why why = { "" };
	if (!access("/dev/kfd", F_OK)) {
		ok(true, "hip # SKIP there is an AMD GPU driver here");
		return;
	}
	ok(mx_device_open("hip", &d, &why) == 1 && why.text[0] && !strchr(why.text, '\n'),
	   "without a GPU hip cannot be opened, for a reason: %s", why.text);
	ok(mx_device_open("hip:7", &d, &why) == 1, "nor can hip:7");
	ok(mx_device_open(NULL, &d, &why) == 0 && !strcmp(d->name, "emu"),
	   "without a name it is the emulator then");
	mx_device_close(d);
}

/* ---- modules ---- */

static void test_modules(void) {
	static const struct {
		const char *sentence, *file, *kernel, *want;
	} t[] = {
		{ "a file that is not there", "/no/such.co", "k", "No such file or directory" },
		{ "a folder", "/", "k", "Is a directory" },
		{ "a text", "Makefile", "k", "not a 64-bit little-endian ELF file" },
		{ "a program of the host", "/proc/self/exe", "k", "not of an AMD GPU" },
		{ "a kernel that is not in it", gemm, "mxfp4_gem", "no kernel mxfp4_gem in the" },
	};
	struct mx_module *m;
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_why why = { "" };
		if (!ok(mx_module_load(emu, t[i].file, t[i].kernel, &m, &why) == -1 &&
		                strstr(why.text, t[i].want) &&
		                !strncmp(why.text, t[i].file, strlen(t[i].file)),
		        "%s is not a module, and the reason begins with the file", t[i].sentence))
			diag("got: %s", why.text);
	}
	mx_module_unload(NULL);
}

/* The first n bytes of the code object, or for n < 0 all except the last -n. */
static void test_cut(long n, const char *what) {
	char path[] = "/tmp/mx_device_test.XXXXXX", *bytes = malloc(1 << 20);
	struct mx_why why = { "" };
	struct mx_module *m;
	FILE *from = fopen(gemm, "rb"), *to = fdopen(mkstemp(path), "wb");
	need(from && to && bytes, "files");
	long size = (long)fread(bytes, 1, 1 << 20, from);
	fwrite(bytes, 1, (size_t)(n < 0 ? size + n : n), to);
	fclose(from);
	fclose(to);
	if (!ok(mx_module_load(emu, path, "mxfp4_gemm_f32", &m, &why) == -1 &&
	                strstr(why.text, "truncated ELF file"),
	        "a code object that ends %s is truncated", what))
		diag("%s", why.text);
	unlink(path);
	free(bytes);
}

static void test_truncated(void) {
	test_cut(63, "in its header");
	test_cut(64, "before its sections");
	test_cut(-1, "in its last section header");
}

/* ---- memory and launches ---- */

static void test_memory(void) {
	struct mx_why why = { "" };
	char in[] = "up and down", out[sizeof in] = "";
	void *p;
	ok(!mx_device_alloc(emu, sizeof in, &p, &why) &&
	           !mx_device_upload(emu, p, in, sizeof in, &why) &&
	           !mx_device_download(emu, out, p, sizeof in, &why) && !strcmp(in, out),
	   "uploaded bytes are downloaded");
	ok(mx_device_upload(emu, p, in, sizeof in + 1, &why) == -1 &&
	           strstr(why.text, "hipMemcpy to the device: copy to"),
	   "an upload past the end fails with the message of the runtime");
	mx_device_free(emu, p);
	ok(mx_device_download(emu, out, p, 1, &why) == -1, "freed memory cannot be read");
	ok(mx_device_alloc(emu, SIZE_MAX, &p, &why) == -1 &&
	           !strcmp(why.text, "hipMalloc: out of memory (hipErrorOutOfMemory)"),
	   "an impossible allocation fails with the message of the runtime");
}

/* The GEMM's arguments: C A SA B SB, then M N K ld_scale. */
struct arguments {
	void *pointer[5];
	uint32_t M, N, K, ld_scale;
};

static void test_launches(void) {
	struct mx_geometry g = { { 1, 1, 1 }, { 256, 1, 1 }, 0 };
	struct arguments a = { { NULL }, 128, 128, 256, 8 };
	const struct mx_around alone = { 0 };
	struct mx_why why = { "" };
	struct mx_module *m = NULL;
	float c[128 * 128];
	uint8_t panel[128 * 128], scales[128 * 8];
	memset(panel, 0x22, sizeof panel); /* 1.0 */
	memset(scales, 127, sizeof scales);
	int bad = mx_module_load(emu, gemm, "mxfp4_gemm_f32", &m, &why);
	for (unsigned i = 0; !bad && i < 5; i++)
		bad = mx_device_alloc(emu, sizeof c, &a.pointer[i], &why);
	for (unsigned i = 1; !bad && i < 5; i++)
		bad = mx_device_upload(emu, a.pointer[i], i % 2 ? panel : scales,
		                       i % 2 ? sizeof panel : sizeof scales, &why);
	bad = bad || mx_module_launch(m, &g, &a, sizeof a, &alone, &why) ||
	      mx_device_download(emu, c, a.pointer[0], sizeof c, &why);
	if (!ok(!bad && c[0] == 256 && c[128 * 128 - 1] == 256,
	        "a GEMM of ones, K = 256, is 256 in every corner"))
		diag("%s", why.text);
	ok(emu->emu->report()->stats.mfma == 4 * 32, "its report counts 32 MFMA in each wave");
	g.block[0] = 512;
	ok(mx_module_launch(m, &g, &a, sizeof a, &alone, &why) == -1 &&
	           strstr(why.text, "512 work-items"),
	   "too large a workgroup is an error of the caller: %s", why.text);
	g.block[0] = 256;
	a.pointer[0] = NULL;
	ok(mx_module_launch(m, &g, &a, sizeof a, &alone, &why) == 1 &&
	           strstr(why.text, "write of 4 bytes at 0x"),
	   "an output at address 0 is a fault of the launch: %s", why.text);
	for (unsigned i = 0; i < 5; i++)
		if (a.pointer[i])
			mx_device_free(emu, a.pointer[i]);
	mx_module_unload(m);
}

/* Threads load code for the device while another one looks for what architecture a file is. */
static atomic_bool ends;

static void *look(void *path) {
	while (!ends)
		mx_file_architecture(path);
	return NULL;
}

static void test_look(void) {
	char path[600];
	struct mx_why why = { "" };
	struct mx_module *m;
	pthread_t thread;
	unsigned failed = 0;
	snprintf(path, sizeof path, "%.*s/gfx1250_mxfp8.co", (int)(strrchr(gemm, '/') - gemm),
	         gemm);
	ok(!strcmp(mx_file_architecture(path), "gfx1250"), "a file for gfx1250 is told");
	pthread_create(&thread, NULL, look, path);
	for (unsigned i = 0; i < 200; i++) {
		if (mx_module_load(emu, gemm, "mxfp4_gemm_f32", &m, &why))
			failed++;
		else
			mx_module_unload(m);
	}
	ends = true;
	pthread_join(thread, NULL);
	if (!ok(!failed, "while code for gfx950 loads"))
		diag("%u of 200 failed: %s", failed, why.text);
}

int main(void) {
	const char *build = getenv("BUILD");
	snprintf(gemm, sizeof gemm, "%s/kernels/gemm/mxfp4_gemm.co", build ? build : "build");
	test_emu();
	test_description();
	test_names();
	test_hip();
	test_modules();
	test_truncated();
	test_memory();
	test_launches();
	test_look();
	mx_device_close(emu);
	return done_testing();
}
