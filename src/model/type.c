/* SPDX-License-Identifier: MIT */
#include <rastrum/type.h>

static const char *const object_kind_names[RST_N_OBJECT_KINDS] = {
	[RST_OBJECT_UNKNOWN] = "unknown",
	[RST_OBJECT_THREAD] = "thread",
	[RST_OBJECT_TIMER] = "timer",
	[RST_OBJECT_QUEUE] = "queue",
	[RST_OBJECT_SEMAPHORE] = "semaphore",
	[RST_OBJECT_MUTEX] = "mutex",
	[RST_OBJECT_RWLOCK] = "rwlock",
	[RST_OBJECT_CONDITION] = "condition",
	[RST_OBJECT_BARRIER] = "barrier",
	[RST_OBJECT_EVENT_FLAGS] = "event_flags",
	[RST_OBJECT_BLOCK_POOL] = "block_pool",
	[RST_OBJECT_BYTE_POOL] = "byte_pool",
	[RST_OBJECT_MEDIA] = "media",
	[RST_OBJECT_FILE] = "file",
	[RST_OBJECT_IP] = "ip",
	[RST_OBJECT_PACKET_POOL] = "packet_pool",
	[RST_OBJECT_TCP_SOCKET] = "tcp_socket",
	[RST_OBJECT_UDP_SOCKET] = "udp_socket",
	[RST_OBJECT_USB_HOST_DEVICE] = "usb_host_device",
	[RST_OBJECT_USB_HOST_INTERFACE] = "usb_host_interface",
	[RST_OBJECT_USB_HOST_ENDPOINT] = "usb_host_endpoint",
	[RST_OBJECT_USB_HOST_CLASS] = "usb_host_class",
	[RST_OBJECT_USB_DEVICE] = "usb_device",
	[RST_OBJECT_USB_DEVICE_INTERFACE] = "usb_device_interface",
	[RST_OBJECT_USB_DEVICE_ENDPOINT] = "usb_device_endpoint",
	[RST_OBJECT_USB_DEVICE_CLASS] = "usb_device_class",
	[RST_OBJECT_ACTIVE_OBJECT] = "active_object",
	[RST_OBJECT_STATE] = "state",
	[RST_OBJECT_PSEUDOSTATE] = "pseudostate",
	[RST_OBJECT_FUNCTION] = "function",
	[RST_OBJECT_MEMORY] = "memory",
	[RST_OBJECT_SIGNAL] = "signal",
	[RST_OBJECT_EVENT_POOL] = "event_pool",
	[RST_OBJECT_INTERRUPT] = "interrupt",
	[RST_OBJECT_PROCESS] = "process",
};

const char *rst_object_kind_name(enum rst_object_kind kind)
{
	return object_kind_names[(unsigned)kind < RST_N_OBJECT_KINDS ? kind : RST_OBJECT_UNKNOWN];
}
