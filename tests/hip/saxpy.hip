/* A program as people write it for hipcc, without ROCm's headers: a kernel and its launch, a device
 * variable and a managed one. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __managed__ __attribute__((managed))

struct dim3 {
	unsigned x, y, z;
	constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

extern "C" {
typedef struct ihipStream_t *hipStream_t;
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };
int hipMalloc(void **, unsigned long);
int hipFree(void *);
int hipDeviceSynchronize();
int hipConfigureCall(dim3, dim3, unsigned long, hipStream_t);
int hipSetupArgument(const void *, unsigned long, unsigned long);
int hipLaunchByPtr(const void *);
int hipMemcpy(void *, const void *, unsigned long, int);
int hipMemcpyFromSymbol(void *, const void *, unsigned long, unsigned long, int);
int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, hipStream_t);
unsigned __hipPushCallConfiguration(dim3, dim3, unsigned long = 0, hipStream_t = nullptr);
int printf(const char *, ...);
}

__device__ int launches;
__managed__ float weight = 1;

__global__ void saxpy(float a, const float *x, float *y, int n) {
	int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
	        __builtin_amdgcn_workitem_id_x();
	if (i < n)
		y[i] = weight * a * x[i] + y[i];
	if (i == 0)
		launches++;
}

int main() {
	enum { N = 1000 };
	static float x[N], y[N];
	float *dx, *dy;
	int right = 0, times = 0;
	for (int i = 0; i < N; i++)
		x[i] = i, y[i] = 1;
	hipMalloc((void **)&dx, sizeof x);
	hipMalloc((void **)&dy, sizeof y);
	hipMemcpy(dx, x, sizeof x, HOST_TO_DEVICE);
	hipMemcpy(dy, y, sizeof y, HOST_TO_DEVICE);
	saxpy<<<4, 256>>>(2, dx, dy, N);
	hipDeviceSynchronize();
	right -= weight != 1;
	weight = 0.5;
	const float a = 2;
	const int n = N;
	hipConfigureCall(dim3(4), dim3(256), 0, nullptr);
	hipSetupArgument(&a, sizeof a, 0);
	hipSetupArgument(&dx, sizeof dx, 8);
	hipSetupArgument(&dy, sizeof dy, 16);
	hipSetupArgument(&n, sizeof n, 24);
	hipLaunchByPtr((const void *)saxpy);
	hipMemcpy(y, dy, sizeof y, DEVICE_TO_HOST);
	hipMemcpyFromSymbol(&times, (const void *)&launches, 4, 0, DEVICE_TO_HOST);
	for (int i = 0; i < N; i++)
		right += y[i] == 3 * i + 1;
	hipFree(dx);
	hipFree(dy);
	printf("%d of %d right, %d launches\n", right, (int)N, times);
	return right != N || times != 2;
}
