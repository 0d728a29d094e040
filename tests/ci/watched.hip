/* A program as people write it for hipcc, without ROCm's headers. Its argument chooses a kernel: one
 * that is right, and some that each have one bug. */
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

struct dim3 {
	unsigned x, y, z;
	constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

extern "C" {
typedef struct ihipStream_t *hipStream_t;
int hipMalloc(void **, unsigned long);
int hipMemcpy(void *, const void *, unsigned long, int);
int hipMemset(void *, int, unsigned long);
int hipDeviceSynchronize(void);
int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, hipStream_t);
unsigned __hipPushCallConfiguration(dim3, dim3, unsigned long = 0, hipStream_t = nullptr);
int printf(const char *, ...);
int strcmp(const char *, const char *);
}

static __attribute__((device)) inline int here() {
	return __builtin_amdgcn_workitem_id_x();
}

static __attribute__((device)) inline void barrier() {
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

__global__ void right(float *out, const float *in, int n) {
	__shared__ float tile[256];
	tile[here()] = in[here()];
	barrier();
	out[here()] = tile[255 - here()];
}

__global__ void adds(float *out, const float *in, int n) {
	out[here()] += in[here()];
}

__global__ void no_barrier(float *out, const float *in, int n) {
	__shared__ float tile[256];
	tile[here()] = in[here()];
	out[here()] = tile[255 - here()]; /* the line of the race */
}

__global__ void uninitialised(float *out, const float *in, int n) {
	__shared__ float tile[256];
	if (here() < n)
		tile[here()] = in[here()];
	barrier();
	out[here()] = tile[here()]; /* the line of the uninitialised store */
}

__global__ void past_its_end(float *out, const float *in, int n) {
	out[here()] = in[here() + n]; /* the line of the read */
}

typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float4 __attribute__((ext_vector_type(4)));

/* 1 * 1 + 1 + 2^-20. */
__global__ void matrix(float *out, const float *in, int n) {
	half4 one = { here() % 64 < 16 ? (_Float16)1 : (_Float16)0 };
	float c = 1 + 1.0f / (1 << 20);
	out[here()] = __builtin_amdgcn_mfma_f32_16x16x16f16(one, one, float4{ c, c, c, c }, 0, 0, 0)[0];
}

/* A list: its second link has the data. */
struct link {
	link *next;
	const float *in;
	int reads;
};

__global__ void linked(float *out, link *list, int n) {
	out[here()] = list->next->in[here()];
	if (here() == 0)
		list->reads++;
}

/* The address of the list is nowhere in memory. */
__global__ void hidden(float *out, unsigned long half, int n) {
	out[here()] = ((link *)(2 * half))->in[here()];
}

/* The one function of the device libraries that printf needs with -mprintf-kind=buffered: it takes
 * bytes of the buffer. */
extern "C" __attribute__((device)) int printf(const char *, ...);
static __attribute__((device)) inline unsigned *printf_buffer() {
	auto implicit = (__attribute__((address_space(4))) char *)__builtin_amdgcn_implicitarg_ptr();
	return *(unsigned *__attribute__((address_space(4))) *)(implicit + 72);
}

extern "C" __attribute__((device, weak)) __attribute__((address_space(1))) char *__printf_alloc(unsigned bytes) {
	auto buffer = (__attribute__((address_space(1))) char *)printf_buffer();
	return buffer + 8 + __hip_atomic_fetch_add(printf_buffer(), bytes, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void says(float *out, const float *in, int n) {
	if (here() < 2)
		printf("work-item %d of %s: %.2f\n", here(), "two", n / 4.0);
	if (here() == 2) {
		printf(n > 20 ? "more than %d\n" : "at most %d\n", 20);
		printf("%u bytes\n", printf_buffer()[1]);
	}
}

__global__ void plain() {
	printf("no arguments\n");
}

/* Takes the emulator a quarter of a second for three million. */
__global__ void slow(float *out, const float *in, int n) {
	for (int i = 0; i < n; i++)
		asm volatile("s_nop 0");
	out[here()] = in[here()];
}

/* A call in the buffer that is longer than the buffer. */
__global__ void spoils(float *out, const float *in, int n) {
	if (n)
		printf_buffer()[0] = printf_buffer()[2] = ~0u;
	else
		printf("");
}

int main(int argc, char **argv) {
	const char *which = argc > 1 ? argv[1] : "right";
	float *in, *out, back[256];
	hipMalloc((void **)&in, sizeof back);
	hipMalloc((void **)&out, sizeof back);
	hipMemset(in, 0x40, sizeof back);
	hipMemset(out, 0, sizeof back);
	link list[2] = {}, *links;
	hipMalloc((void **)&links, sizeof list);
	list[0] = { links + 1, nullptr, 1 };
	list[1].in = in;
	hipMemcpy(links, list, sizeof list, 1);
	for (int i = 0; i < 3; i++)
		if (!strcmp(which, "no_barrier") || !strcmp(which, "crash"))
			no_barrier<<<1, 256>>>(out, in, 256);
		else if (!strcmp(which, "uninitialised"))
			uninitialised<<<1, 256>>>(out, in, 200);
		else if (!strcmp(which, "past_its_end"))
			past_its_end<<<1, 256>>>(out, in, 1 << 20);
		else if (!strcmp(which, "linked"))
			linked<<<1, 256>>>(out, links, 256);
		else if (!strcmp(which, "hidden"))
			hidden<<<1, 256>>>(out, (unsigned long)links / 2, 256);
		else if (!strcmp(which, "says"))
			says<<<1, 256>>>(out, in, 25);
		else if (!strcmp(which, "plain"))
			plain<<<1, 1>>>();
		else if (!strcmp(which, "spoils"))
			spoils<<<1, 1>>>(out, in, 25);
		else if (!strcmp(which, "matrix"))
			matrix<<<1, 256>>>(out, in, 256);
		else if (!strcmp(which, "adds"))
			adds<<<1, 256>>>(out, in, 256);
		else
			right<<<1, 256>>>(out, in, 256);
	int status = hipDeviceSynchronize();
	if (!strcmp(which, "crash"))
		*(volatile int *)16 = 0;
	hipMemcpy(back, out, sizeof back, 2);
	unsigned sum = 0;
	for (unsigned i = 0; i < sizeof back; i++)
		sum = 31 * sum + ((unsigned char *)back)[i];
	printf("%s: %s\n", which, status ? "an error" : back[0] == back[255] ? "equal" : "not equal");
	printf("sum %u\n", sum);
	return !strcmp(which, "seven") ? 7 : 0;
}
