/* What an emulated device says of itself: attributes and properties, from one table. Devices differ
 * in UUID and bus. */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "props_r0600.h"
#include "runtime.h"

static void put_name(char *name, size_t room) {
	snprintf(name, room, "mxcheck emulated %s", mx_architecture()->name);
}

/* HIP 6 and 7's hipDeviceProp_t has it, and hipDeviceGetUuid. */
static void put_uuid(char uuid[16], int device) {
	char text[17];
	snprintf(text, sizeof text, "mxcheck-%s%x", mx_architecture()->name, (unsigned)device);
	memset(uuid, '-', 16);
	memcpy(uuid, text, strlen(text) - 1);
	uuid[15] = text[strlen(text) - 1];
}

struct property {
	int attribute;
	size_t old_at, old_bytes; /* of the member in hipDeviceProp_t; 0 bytes: none */
	size_t new_at, new_bytes; /* of that in struct mx_props_r0600 */
	int64_t value;
};

static const struct property properties[] = {
#define MEMBER(type, m)                      offsetof(type, m), sizeof((type *)0)->m
#define OLD(m)                               MEMBER(hipDeviceProp_t, m)
#define NEW(m)                               MEMBER(struct mx_props_r0600, m)
#define NONE                                 0, 0
#define PROPERTY(attribute, old, new, value) { attribute, old, new, value },
#include "properties.def"
#undef PROPERTY
};

static const size_t n_properties = sizeof properties / sizeof *properties;

static const struct {
	int attribute;
	int64_t value;
} of_gfx1250[] = {
#define PROPERTY(attribute, old, new, value)
#define PROPERTY_OF_GFX1250(attribute, value) { attribute, value },
#include "properties.def"
#undef PROPERTY
};

static int64_t value_of(const struct property *p, int device) {
	bool gfx1250 = !strcmp(mx_architecture()->name, "gfx1250");
	for (size_t i = 0; gfx1250 && i < sizeof of_gfx1250 / sizeof *of_gfx1250; i++)
		if (of_gfx1250[i].attribute == p->attribute)
			return of_gfx1250[i].value;
	return p->attribute == hipDeviceAttributePciBusId ? device : p->value;
}

int mxhipSetArchitecture(const char *name) {
	const struct mx_architecture *a = mx_architecture_by_name(name);
	if (!a)
		return mx_hip_fail(hipErrorInvalidValue, "no architecture '%.32s'",
		                   name ? name : "");
	mx_architecture_choose(a);
	return mx_hip_return(hipSuccess);
}

/* ---- attributes ---- */

/* Registers by which the host flushes its writes to device memory. A write has no effect here, as
 * both have one memory. */
static unsigned flush_memory, flush_registers;

/* These attributes are pointers [HIP]. */
static bool is_register(hipDeviceAttribute_t attribute, unsigned **at) {
	*at = attribute == hipDeviceAttributeHdpMemFlushCntl ? &flush_memory : &flush_registers;
	return attribute == hipDeviceAttributeHdpMemFlushCntl ||
	       attribute == hipDeviceAttributeHdpRegFlushCntl;
}

/* A value that is no int is cut to the largest. */
MXHIP_API hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
	if (!value)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device);
	unsigned *at;
	if (e != hipSuccess)
		return e;
	if (is_register(attribute, &at)) {
		memcpy(value, &at, sizeof at);
		return mx_hip_return(hipSuccess);
	}
	for (size_t i = 0; i < n_properties; i++)
		if (properties[i].attribute == (int)attribute) {
			int64_t v = value_of(&properties[i], device);
			*value = v < INT_MAX ? (int)v : INT_MAX;
			return mx_hip_return(hipSuccess);
		}
	return mx_hip_fail(hipErrorInvalidValue, "device attribute %d", (int)attribute);
}

MXHIP_API hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
	if (!major || !minor)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e =
		hipDeviceGetAttribute(major, hipDeviceAttributeComputeCapabilityMajor, device);
	return e == hipSuccess ? hipDeviceGetAttribute(
					 minor, hipDeviceAttributeComputeCapabilityMinor, device)
	                       : e;
}

/* ---- properties ---- */

static void put(void *props, size_t at, size_t bytes, int64_t value) {
	memcpy((char *)props + at, &value, bytes); /* little-endian */
}

MXHIP_API hipError_t hipGetDeviceProperties(hipDeviceProp_t *p, int device) {
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device);
	if (e != hipSuccess)
		return e;
	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < n_properties; i++)
		put(p, properties[i].old_at, properties[i].old_bytes,
		    value_of(&properties[i], device));
	put_name(p->name, sizeof p->name);
	strcpy(p->gcnArchName, mx_architecture()->full_name);
	p->hdpMemFlushCntl = &flush_memory;
	p->hdpRegFlushCntl = &flush_registers;
	memset(&p->arch, 0xff, sizeof p->arch);
	p->arch.hasFunnelShift = p->arch.hasSyncThreadsExt = 0; /* __HIP_ARCH_HAS_... [HIP] */
	p->arch.hasSurfaceFuncs = p->arch.hasDynamicParallelism = 0;
	return e;
}

/* Programs that were built with HIP 6 or newer headers call this. */
MXHIP_API hipError_t hipGetDevicePropertiesR0600(struct mx_props_r0600 *p, int device);
MXHIP_API hipError_t hipGetDevicePropertiesR0600(struct mx_props_r0600 *p, int device) {
	hipDeviceProp_t old;
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = hipGetDeviceProperties(&old, device);
	if (e != hipSuccess)
		return e;
	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < n_properties; i++)
		put(p, properties[i].new_at, properties[i].new_bytes,
		    value_of(&properties[i], device));
	strcpy(p->name, old.name);
	strcpy(p->gcn_arch_name, old.gcnArchName);
	put_uuid(p->uuid, device);
	memcpy(&p->arch, &old.arch, sizeof p->arch);
	p->hdp_mem_flush_cntl = old.hdpMemFlushCntl;
	p->hdp_reg_flush_cntl = old.hdpRegFlushCntl;
	return e;
}

MXHIP_API hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_t *p, int device);
MXHIP_API hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_t *p, int device) {
	return hipGetDeviceProperties(p, device);
}

/* ---- single properties ---- */

MXHIP_API hipError_t hipDeviceGetName(char *name, int bytes, hipDevice_t device) {
	if (!name || bytes <= 0)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess)
		put_name(name, (size_t)bytes);
	return e;
}

MXHIP_API hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
	if (!bytes)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess)
		*bytes = MX_DEVICE_BYTES;
	return e;
}

MXHIP_API hipError_t hipDeviceGetUuid(hipUUID *id, hipDevice_t device);
MXHIP_API hipError_t hipDeviceGetUuid(hipUUID *id, hipDevice_t device) {
	if (!id)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess)
		put_uuid(id->bytes, device);
	return e;
}

/* ---- the device's place on the bus ---- */

enum { BUS_ID_BYTES = sizeof "0000:00:00.0" };

MXHIP_API hipError_t hipDeviceGetPCIBusId(char *id, int bytes, int device) {
	if (!id || bytes < 1)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess)
		snprintf(id, (size_t)bytes, "0000:%02x:00.0", (unsigned)device);
	return e == hipSuccess && bytes < BUS_ID_BYTES ? mx_hip_return(hipErrorInvalidValue) : e;
}

/* domain:bus:device.function, in hexadecimal digits; the function may be absent. */
MXHIP_API hipError_t hipDeviceGetByPCIBusId(int *device, const char *id) {
	unsigned domain, bus, slot;
	if (!device || !id || sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3)
		return mx_hip_return(hipErrorInvalidValue);
	if (domain || bus >= (unsigned)mx_devices() || slot)
		return mx_hip_fail(hipErrorInvalidDevice, "no device at %s", id);
	*device = (int)bus;
	return mx_hip_return(hipSuccess);
}
