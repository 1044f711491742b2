/* SPDX-License-Identifier: MIT */
/*
 * The structures under the names that the TraceX guide (chapter 11) and ThreadX 5 have for them and their
 * members. They are the same structures; the entries of events have the same names in both.
 */
#ifndef EMBED_THREADX_TX_TRACE_GUIDE_H
#define EMBED_THREADX_TX_TRACE_GUIDE_H

#include "embed/threadx/tx_trace.h"

#define TX_TRACE_CONTROL_HEADER_STRUCT TX_TRACE_HEADER_STRUCT
typedef TX_TRACE_HEADER TX_TRACE_CONTROL_HEADER;

#define tx_trace_control_header_id			      tx_trace_header_id
#define tx_trace_control_header_timer_valid_mask	      tx_trace_header_timer_valid_mask
#define tx_trace_control_header_trace_base_address	      tx_trace_header_trace_base_address
#define tx_trace_control_header_object_registry_start_pointer tx_trace_header_registry_start_pointer
#define tx_trace_control_header_reserved1		      tx_trace_header_reserved1
#define tx_trace_control_header_object_registry_name_size     tx_trace_header_object_name_size
#define tx_trace_control_header_object_registry_end_pointer   tx_trace_header_registry_end_pointer
#define tx_trace_control_header_buffer_start_pointer	      tx_trace_header_buffer_start_pointer
#define tx_trace_control_header_buffer_end_pointer	      tx_trace_header_buffer_end_pointer
#define tx_trace_control_header_buffer_current_pointer	      tx_trace_header_buffer_current_pointer
#define tx_trace_control_header_reserved2		      tx_trace_header_reserved2
#define tx_trace_control_header_reserved3		      tx_trace_header_reserved3
#define tx_trace_control_header_reserved4		      tx_trace_header_reserved4

#define TX_TRACE_OBJECT_REGISTRY_ENTRY_STRUCT TX_TRACE_OBJECT_ENTRY_STRUCT
typedef TX_TRACE_OBJECT_ENTRY TX_TRACE_OBJECT_REGISTRY_ENTRY;

#define tx_trace_object_registry_entry_object_available	  tx_trace_object_entry_available
#define tx_trace_object_registry_entry_object_type	  tx_trace_object_entry_type
#define tx_trace_object_registry_entry_object_reserved1	  tx_trace_object_entry_reserved1
#define tx_trace_object_registry_entry_object_reserved2	  tx_trace_object_entry_reserved2
#define tx_trace_thread_registry_entry_object_pointer	  tx_trace_object_entry_thread_pointer
#define tx_trace_object_registry_entry_object_parameter_1 tx_trace_object_entry_param_1
#define tx_trace_object_registry_entry_object_parameter_2 tx_trace_object_entry_param_2
#define tx_trace_thread_registry_entry_object_name	  tx_trace_object_entry_name

#endif
