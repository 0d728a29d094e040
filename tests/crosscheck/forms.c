/* Sizes, places of members and numbers of HIP's C API, one a line: of the header that FORMS names.
 * programs.py compares ours with those of HIP 7. */
#define __HIP_PLATFORM_AMD__ 1
#include <stddef.h>
#include <stdio.h>

#include FORMS

#define SIZE(type)          printf("sizeof " #type " %zu\n", sizeof(type))
#define PLACE(type, member) printf(#type "." #member " %zu\n", offsetof(type, member))
#define NUMBER(name)        printf(#name " %d\n", (int)name)

int main(void) {
	SIZE(HIP_MEMCPY3D), PLACE(HIP_MEMCPY3D, srcMemoryType), PLACE(HIP_MEMCPY3D, srcPitch);
	PLACE(HIP_MEMCPY3D, dstMemoryType), PLACE(HIP_MEMCPY3D, dstPitch),
		PLACE(HIP_MEMCPY3D, Depth);
	SIZE(hip_Memcpy2D), PLACE(hip_Memcpy2D, dstMemoryType), PLACE(hip_Memcpy2D, Height);
	SIZE(hipMemAllocationProp), PLACE(hipMemAllocationProp, type);
	PLACE(hipMemAllocationProp, requestedHandleType), PLACE(hipMemAllocationProp, location);
	SIZE(hipMemAccessDesc), SIZE(hipMemPoolProps), PLACE(hipMemPoolProps, location);
	SIZE(struct hipMemcpy3DParms), PLACE(struct hipMemcpy3DParms, extent);
	SIZE(hipMemsetParams), PLACE(hipMemsetParams, value), SIZE(hipHostNodeParams);
	SIZE(hipKernelNodeParams), PLACE(hipKernelNodeParams, gridDim);
	SIZE(hipPointerAttribute_t), PLACE(hipPointerAttribute_t, devicePointer);
	SIZE(struct hipFuncAttributes), PLACE(struct hipFuncAttributes, numRegs);
	SIZE(hipGraphNodeParams), PLACE(hipGraphNodeParams, kernel);
	PLACE(hipGraphNodeParams, memcpy.copyParams), PLACE(hipGraphNodeParams, reserved2);
	SIZE(hipLaunchParams), SIZE(hipIpcMemHandle_t), SIZE(hipIpcEventHandle_t), SIZE(hipUUID);
	NUMBER(hipMemoryTypeHost), NUMBER(hipMemoryTypeDevice), NUMBER(hipMemoryTypeManaged);
	NUMBER(hipMemoryTypeArray), NUMBER(hipMemoryTypeUnified);
	NUMBER(hipGraphNodeTypeKernel), NUMBER(hipGraphNodeTypeMemcpy),
		NUMBER(hipGraphNodeTypeMemset);
	NUMBER(hipGraphNodeTypeHost), NUMBER(hipGraphNodeTypeGraph), NUMBER(hipGraphNodeTypeEmpty);
	NUMBER(hipGraphNodeTypeWaitEvent), NUMBER(hipGraphNodeTypeEventRecord);
	NUMBER(hipGraphNodeTypeMemAlloc), NUMBER(hipGraphNodeTypeMemFree);
	SIZE(hipMemAllocNodeParams), PLACE(hipMemAllocNodeParams, dptr);
	PLACE(hipGraphNodeParams, alloc.dptr), PLACE(hipGraphNodeParams, free.dptr);
	NUMBER(hipGraphMemAttrReservedMemHigh), NUMBER(hipGraphNodeTypeBatchMemOp);
	SIZE(hipStreamBatchMemOpParams), SIZE(hipBatchMemOpNodeParams);
	PLACE(hipBatchMemOpNodeParams, paramArray), NUMBER(hipStreamMemOpWriteValue64);
	NUMBER(hipGraphNodeTypeCount), NUMBER(hipLimitMallocHeapSize), NUMBER(hipMemcpyDefault);
	NUMBER(hipMemHandleTypePosixFileDescriptor), NUMBER(hipMemAllocationTypePinned);
	NUMBER(hipMemAccessFlagsProtReadWrite), NUMBER(hipMemLocationTypeDevice);
	NUMBER(hipMemAllocationGranularityRecommended), NUMBER(hipMemPoolAttrUsedMemHigh);
	NUMBER(hipStreamCaptureModeRelaxed), NUMBER(hipStreamCaptureStatusInvalidated);
	NUMBER(hipGraphExecUpdateErrorTopologyChanged), NUMBER(hipStreamSetCaptureDependencies);
	NUMBER(hipFuncAttributeMaxDynamicSharedMemorySize), NUMBER(HIP_FUNC_ATTRIBUTE_NUM_REGS);
	NUMBER(HIP_POINTER_ATTRIBUTE_MEMORY_TYPE), NUMBER(HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE);
	NUMBER(hipMemRangeAttributeCoherencyMode), NUMBER(hipMemAdviseUnsetCoarseGrain);
	NUMBER(hipDevP2PAttrHipArrayAccessSupported), NUMBER(hipSharedMemBankSizeEightByte);
	NUMBER(hipDeviceAttributeMultiprocessorCount), NUMBER(hipDeviceAttributeImageSupport);
	return 0;
}
