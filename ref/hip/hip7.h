/* HIP's C API as of HIP 7, on the headers of HIP 5.2 that Debian has.
 *
 * Programs that say that they run on HIP 6 or 7 were compiled with numbers and structures of which
 * HIP 6 changed some: types of graph nodes and of memory, HIP_MEMCPY3D, hipMemAllocationProp. This
 * header has their new forms, so the library has them too [hip_runtime_api.h and driver_types.h of
 * HIP 7.1]. tests/crosscheck/forms.c compares them with HIP 7's own header. */
#ifndef MX_HIP7_H
#define MX_HIP7_H

#define __HIP_PLATFORM_AMD__ 1

/* Functions that take a structure that changed: the old header declares them under other names. */
#define hipDrvMemcpy3D                          mx_hip5_memcpy3d
#define hipDrvMemcpy3DAsync                     mx_hip5_memcpy3d_async
#define hipMemCreate                            mx_hip5_mem_create
#define hipMemGetAllocationGranularity          mx_hip5_granularity
#define hipMemGetAllocationPropertiesFromHandle mx_hip5_properties
#include <hip/hip_runtime_api.h>
#undef hipDrvMemcpy3D
#undef hipDrvMemcpy3DAsync
#undef hipMemCreate
#undef hipMemGetAllocationGranularity
#undef hipMemGetAllocationPropertiesFromHandle

#define hipMemoryTypeUnregistered ((hipMemoryType)0)
#define hipMemoryTypeHost         ((hipMemoryType)1)
#define hipMemoryTypeDevice       ((hipMemoryType)2)
#define hipMemoryTypeManaged      ((hipMemoryType)3)
#define hipMemoryTypeArray        ((hipMemoryType)10)
#define hipMemoryTypeUnified      ((hipMemoryType)11)

#define hipGraphNodeTypeKernel             ((hipGraphNodeType)0)
#define hipGraphNodeTypeMemcpy             ((hipGraphNodeType)1)
#define hipGraphNodeTypeMemset             ((hipGraphNodeType)2)
#define hipGraphNodeTypeHost               ((hipGraphNodeType)3)
#define hipGraphNodeTypeGraph              ((hipGraphNodeType)4)
#define hipGraphNodeTypeEmpty              ((hipGraphNodeType)5)
#define hipGraphNodeTypeWaitEvent          ((hipGraphNodeType)6)
#define hipGraphNodeTypeEventRecord        ((hipGraphNodeType)7)
#define hipGraphNodeTypeExtSemaphoreSignal ((hipGraphNodeType)8)
#define hipGraphNodeTypeExtSemaphoreWait   ((hipGraphNodeType)9)
#define hipGraphNodeTypeMemAlloc           ((hipGraphNodeType)10)
#define hipGraphNodeTypeMemFree            ((hipGraphNodeType)11)
#define hipGraphNodeTypeBatchMemOp         ((hipGraphNodeType)14)
#define hipGraphNodeTypeCount              ((hipGraphNodeType)15)

struct mx_memcpy3d {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	hipMemoryType srcMemoryType;
	const void *srcHost;
	hipDeviceptr_t srcDevice;
	hipArray_t srcArray;
	size_t srcPitch, srcHeight;
	size_t dstXInBytes, dstY, dstZ, dstLOD;
	hipMemoryType dstMemoryType;
	void *dstHost;
	hipDeviceptr_t dstDevice;
	hipArray_t dstArray;
	size_t dstPitch, dstHeight;
	size_t WidthInBytes, Height, Depth;
};
#define HIP_MEMCPY3D struct mx_memcpy3d

struct mx_memory_properties {
	hipMemAllocationType type;
	hipMemAllocationHandleType requestedHandleType;
	hipMemLocation location;
	void *win32HandleMetaData;
	struct {
		unsigned char compressionType, gpuDirectRDMACapable;
		unsigned short usage;
	} allocFlags;
};
#define hipMemAllocationProp struct mx_memory_properties

/* A value that a stream writes, or for which it waits: the members of both. */
typedef struct {
	int operation; /* hipStreamBatchMemOpType */
	void *at;
	uint64_t value;
	unsigned flags;
	uint64_t pad[2];
} hipStreamBatchMemOpParams;

enum {
	hipStreamMemOpWaitValue32 = 1,
	hipStreamMemOpWriteValue32 = 2,
	hipStreamMemOpWaitValue64 = 4,
	hipStreamMemOpWriteValue64 = 5,
};

typedef struct {
	hipCtx_t ctx;
	unsigned count;
	hipStreamBatchMemOpParams *paramArray;
	unsigned flags;
} hipBatchMemOpNodeParams;

/* Memory that each launch of a graph allocates. */
typedef struct {
	hipMemPoolProps poolProps;
	const hipMemAccessDesc *accessDescs;
	size_t accessDescCount, bytesize;
	void *dptr;
} hipMemAllocNodeParams;

typedef enum {
	hipGraphMemAttrUsedMemCurrent,
	hipGraphMemAttrUsedMemHigh,
	hipGraphMemAttrReservedMemCurrent,
	hipGraphMemAttrReservedMemHigh,
} hipGraphMemAttributeType;

/* The parameters of a node of any kind. */
struct mx_node_params {
	hipGraphNodeType type;
	int reserved0[3];
	union {
		long long reserved1[29];
		hipKernelNodeParams kernel;
		struct {
			int flags, reserved[3];
			hipMemcpy3DParms copyParams;
		} memcpy;
		hipMemsetParams memset;
		hipHostNodeParams host;
		struct {
			hipGraph_t graph;
		} graph;
		struct {
			hipEvent_t event;
		} eventWait, eventRecord;
		hipMemAllocNodeParams alloc;
		struct {
			void *dptr;
		} free;
	};
	long long reserved2;
};
#define hipGraphNodeParams struct mx_node_params

typedef struct hipUserObject *hipUserObject_t;

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *d);
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *d, hipStream_t stream);
hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t bytes,
                        const hipMemAllocationProp *p, unsigned long long flags);
hipError_t hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *p,
                                          hipMemAllocationGranularity_flags which);
hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *p,
                                                   hipMemGenericAllocationHandle_t handle);

/* Pools by place and type. */
#define hipMemAllocationTypeManaged  ((hipMemAllocationType)0x2)
#define hipMemAllocationTypeUncached ((hipMemAllocationType)0x40000000)
hipError_t hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *place, hipMemAllocationType type);
hipError_t hipMemSetMemPool(hipMemLocation *place, hipMemAllocationType type, hipMemPool_t pool);

/* Functions of graphs that HIP 5 lacks, and that of batches of values. */
hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned n, hipStreamBatchMemOpParams *o,
                               unsigned flags);
hipError_t hipGraphAddBatchMemOpNode(hipGraphNode_t *out, hipGraph_t g, const hipGraphNode_t *on,
                                     size_t n, const hipBatchMemOpNodeParams *p);
hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node, hipBatchMemOpNodeParams *p);
hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node, const hipBatchMemOpNodeParams *p);
hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                               const hipBatchMemOpNodeParams *p);
hipError_t hipGraphAddMemAllocNode(hipGraphNode_t *out, hipGraph_t g, const hipGraphNode_t *on,
                                   size_t n, hipMemAllocNodeParams *p);
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *p);
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t *out, hipGraph_t g, const hipGraphNode_t *on,
                                  size_t n, void *p);
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *p);
hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType what, void *value);
hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType what, void *value);
hipError_t hipDeviceGraphMemTrim(int device);
hipError_t hipGraphAddNode(hipGraphNode_t *out, hipGraph_t g, const hipGraphNode_t *on, size_t n,
                           hipGraphNodeParams *p);
hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *p);
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                     hipGraphNodeParams *p);
hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t *out, hipGraph_t g, const hipGraphNode_t *on,
                                     size_t n, hipDeviceptr_t p);
hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t *out, hipGraph_t g, const hipGraphNode_t *on,
                                    size_t n, const HIP_MEMCPY3D *d, hipCtx_t context);
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D *d);
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D *d);
hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                              const HIP_MEMCPY3D *d, hipCtx_t context);
hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t *out, hipGraph_t g, const hipGraphNode_t *on,
                                    size_t n, const hipMemsetParams *p, hipCtx_t context);
hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                              const hipMemsetParams *p, hipCtx_t context);

#endif
