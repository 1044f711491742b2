/* SPDX-License-Identifier: MIT */
/*
 * The event trace under the names of FileX: groups, kinds of objects, events, and the macros, which take the
 * lock.
 */
#ifndef EMBED_THREADX_FX_TRACE_H
#define EMBED_THREADX_FX_TRACE_H

#include "embed/threadx/tx_trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Where to return the entry and its stamp, for the update: may be NULL. NULL and 0 where nothing was
 * recorded.
 */
VOID _fx_trace_event_insert(ULONG event_id, ULONG info_field_1, ULONG info_field_2, ULONG info_field_3,
	ULONG info_field_4, ULONG filter, TX_TRACE_BUFFER_ENTRY **current_event, ULONG *current_timestamp);
/* Fields that are not 0 replace what was recorded, if the entry is still that event. */
VOID _fx_trace_event_update(TX_TRACE_BUFFER_ENTRY *event, ULONG timestamp, ULONG event_id, ULONG info_field_1,
	ULONG info_field_2, ULONG info_field_3, ULONG info_field_4);
VOID _fx_trace_object_register(
	UCHAR object_type, VOID *object_ptr, CHAR *object_name, ULONG parameter_1, ULONG parameter_2);
VOID _fx_trace_object_unregister(VOID *object_ptr);

#ifdef __cplusplus
}
#endif

/* FileX itself brings its own. */
#ifndef FX_API_H

#ifdef TX_ENABLE_EVENT_TRACE
#define FX_TRACE_IN_LINE_INSERT(i, a, b, c, d, f, g, h)                                             \
	_fx_trace_event_insert((ULONG)(i), TX_TRACE_WORD_(a), TX_TRACE_WORD_(b), TX_TRACE_WORD_(c), \
		TX_TRACE_WORD_(d), (ULONG)(f), g, h);
#define FX_TRACE_EVENT_UPDATE(e, t, i, a, b, c, d)                                                \
	_fx_trace_event_update((e), (ULONG)(t), (ULONG)(i), TX_TRACE_WORD_(a), TX_TRACE_WORD_(b), \
		TX_TRACE_WORD_(c), TX_TRACE_WORD_(d));
#define FX_TRACE_OBJECT_REGISTER(t, p, n, a, b)                                                 \
	_fx_trace_object_register((UCHAR)(t), TX_TRACE_OBJECT_(p), (CHAR *)TX_TRACE_OBJECT_(n), \
		TX_TRACE_WORD_(a), TX_TRACE_WORD_(b));
#define FX_TRACE_OBJECT_UNREGISTER(o) _fx_trace_object_unregister(TX_TRACE_OBJECT_(o));
#else
#define FX_TRACE_IN_LINE_INSERT(i, a, b, c, d, f, g, h)
#define FX_TRACE_EVENT_UPDATE(e, t, i, a, b, c, d)
#define FX_TRACE_OBJECT_REGISTER(t, p, n, a, b)
#define FX_TRACE_OBJECT_UNREGISTER(o)
#endif

#define FX_TRACE_ALL_EVENTS	  0x00007800
#define FX_TRACE_INTERNAL_EVENTS  0x00000800
#define FX_TRACE_MEDIA_EVENTS	  0x00001000
#define FX_TRACE_DIRECTORY_EVENTS 0x00002000
#define FX_TRACE_FILE_EVENTS	  0x00004000

#define FX_TRACE_OBJECT_TYPE_MEDIA 9
#define FX_TRACE_OBJECT_TYPE_FILE  10

#define FX_TRACE_INTERNAL_LOG_SECTOR_CACHE_MISS	    201
#define FX_TRACE_INTERNAL_DIR_CACHE_MISS	    202
#define FX_TRACE_INTERNAL_MEDIA_FLUSH		    203
#define FX_TRACE_INTERNAL_DIR_ENTRY_READ	    204
#define FX_TRACE_INTERNAL_DIR_ENTRY_WRITE	    205
#define FX_TRACE_INTERNAL_IO_DRIVER_READ	    206
#define FX_TRACE_INTERNAL_IO_DRIVER_WRITE	    207
#define FX_TRACE_INTERNAL_IO_DRIVER_FLUSH	    208
#define FX_TRACE_INTERNAL_IO_DRIVER_ABORT	    209
#define FX_TRACE_INTERNAL_IO_DRIVER_INIT	    210
#define FX_TRACE_INTERNAL_IO_DRIVER_BOOT_READ	    211
#define FX_TRACE_INTERNAL_IO_DRIVER_RELEASE_SECTORS 212
#define FX_TRACE_INTERNAL_IO_DRIVER_BOOT_WRITE	    213
#define FX_TRACE_INTERNAL_IO_DRIVER_UNINIT	    214
#define FX_TRACE_DIRECTORY_ATTRIBUTES_READ	    220
#define FX_TRACE_DIRECTORY_ATTRIBUTES_SET	    221
#define FX_TRACE_DIRECTORY_CREATE		    222
#define FX_TRACE_DIRECTORY_DEFAULT_GET		    223
#define FX_TRACE_DIRECTORY_DEFAULT_SET		    224
#define FX_TRACE_DIRECTORY_DELETE		    225
#define FX_TRACE_DIRECTORY_FIRST_ENTRY_FIND	    226
#define FX_TRACE_DIRECTORY_FIRST_FULL_ENTRY_FIND    227
#define FX_TRACE_DIRECTORY_INFORMATION_GET	    228
#define FX_TRACE_DIRECTORY_LOCAL_PATH_CLEAR	    229
#define FX_TRACE_DIRECTORY_LOCAL_PATH_GET	    230
#define FX_TRACE_DIRECTORY_LOCAL_PATH_RESTORE	    231
#define FX_TRACE_DIRECTORY_LOCAL_PATH_SET	    232
#define FX_TRACE_DIRECTORY_LONG_NAME_GET	    233
#define FX_TRACE_DIRECTORY_NAME_TEST		    234
#define FX_TRACE_DIRECTORY_NEXT_ENTRY_FIND	    235
#define FX_TRACE_DIRECTORY_NEXT_FULL_ENTRY_FIND	    236
#define FX_TRACE_DIRECTORY_RENAME		    237
#define FX_TRACE_DIRECTORY_SHORT_NAME_GET	    238
#define FX_TRACE_FILE_ALLOCATE			    239
#define FX_TRACE_FILE_ATTRIBUTES_READ		    240
#define FX_TRACE_FILE_ATTRIBUTES_SET		    241
#define FX_TRACE_FILE_BEST_EFFORT_ALLOCATE	    242
#define FX_TRACE_FILE_CLOSE			    243
#define FX_TRACE_FILE_CREATE			    244
#define FX_TRACE_FILE_DATE_TIME_SET		    245
#define FX_TRACE_FILE_DELETE			    246
#define FX_TRACE_FILE_OPEN			    247
#define FX_TRACE_FILE_READ			    248
#define FX_TRACE_FILE_RELATIVE_SEEK		    249
#define FX_TRACE_FILE_RENAME			    250
#define FX_TRACE_FILE_SEEK			    251
#define FX_TRACE_FILE_TRUNCATE			    252
#define FX_TRACE_FILE_TRUNCATE_RELEASE		    253
#define FX_TRACE_FILE_WRITE			    254
#define FX_TRACE_MEDIA_ABORT			    255
#define FX_TRACE_MEDIA_CACHE_INVALIDATE		    256
#define FX_TRACE_MEDIA_CHECK			    257
#define FX_TRACE_MEDIA_CLOSE			    258
#define FX_TRACE_MEDIA_FLUSH			    259
#define FX_TRACE_MEDIA_FORMAT			    260
#define FX_TRACE_MEDIA_OPEN			    261
#define FX_TRACE_MEDIA_READ			    262
#define FX_TRACE_MEDIA_SPACE_AVAILABLE		    263
#define FX_TRACE_MEDIA_VOLUME_GET		    264
#define FX_TRACE_MEDIA_VOLUME_SET		    265
#define FX_TRACE_MEDIA_WRITE			    266
#define FX_TRACE_SYSTEM_DATE_GET		    267
#define FX_TRACE_SYSTEM_DATE_SET		    268
#define FX_TRACE_SYSTEM_INITIALIZE		    269
#define FX_TRACE_SYSTEM_TIME_GET		    270
#define FX_TRACE_SYSTEM_TIME_SET		    271
#define FX_TRACE_UNICODE_DIRECTORY_CREATE	    272
#define FX_TRACE_UNICODE_DIRECTORY_RENAME	    273
#define FX_TRACE_UNICODE_FILE_CREATE		    274
#define FX_TRACE_UNICODE_FILE_RENAME		    275
#define FX_TRACE_UNICODE_LENGTH_GET		    276
#define FX_TRACE_UNICODE_NAME_GET		    277
#define FX_TRACE_UNICODE_SHORT_NAME_GET		    278

#endif

#endif
