/* SPDX-License-Identifier: MIT */
/* libzstd has the functions used here since version 1.0. */
#include "log/zstd.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zstd.h>

#include "log/block.h"

/*
 * For events that are a number and a time, levels 1 and 2 make twice as many bytes; level 3 makes 2 to 4 %
 * more in two thirds of the time.
 */
enum { LEVEL = 5 };

struct log_zstd {
	void *library;
	__typeof__(ZSTD_createCCtx) *create_packer;
	__typeof__(ZSTD_freeCCtx) *free_packer;
	__typeof__(ZSTD_compressCCtx) *pack;
	__typeof__(ZSTD_createDCtx) *create_unpacker;
	__typeof__(ZSTD_freeDCtx) *free_unpacker;
	__typeof__(ZSTD_decompressDCtx) *unpack;
	__typeof__(ZSTD_isError) *is_error;
	ZSTD_CCtx *packer;
	ZSTD_DCtx *unpacker;
	unsigned char block[LOG_BLOCK_MAX];
};

static bool functions_find(struct log_zstd *zstd)
{
	const struct {
		const char *name;
		void *function; /* where its address goes */
	} rows[] = {
		{ "ZSTD_createCCtx", &zstd->create_packer },
		{ "ZSTD_freeCCtx", &zstd->free_packer },
		{ "ZSTD_compressCCtx", &zstd->pack },
		{ "ZSTD_createDCtx", &zstd->create_unpacker },
		{ "ZSTD_freeDCtx", &zstd->free_unpacker },
		{ "ZSTD_decompressDCtx", &zstd->unpack },
		{ "ZSTD_isError", &zstd->is_error },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *function = dlsym(zstd->library, rows[i].name);

		if (!function)
			return false;
		memcpy(rows[i].function, &function, sizeof(function));
	}
	return true;
}

static int zstd_begin(struct log_zstd *zstd)
{
	zstd->library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!zstd->library || !functions_find(zstd))
		return ENOTSUP;
	zstd->packer = zstd->create_packer();
	zstd->unpacker = zstd->create_unpacker();
	return zstd->packer && zstd->unpacker ? 0 : ENOMEM;
}

int log_zstd_open(struct log_zstd **ret_zstd)
{
	struct log_zstd *zstd = malloc(sizeof(*zstd));
	int error;

	*ret_zstd = NULL;
	if (!zstd)
		return ENOMEM;
	memset(zstd, 0, offsetof(struct log_zstd, block));
	error = zstd_begin(zstd);
	if (error)
		log_zstd_close(zstd);
	else
		*ret_zstd = zstd;
	return error;
}

void log_zstd_close(struct log_zstd *zstd)
{
	if (!zstd)
		return;
	if (zstd->packer)
		zstd->free_packer(zstd->packer);
	if (zstd->unpacker)
		zstd->free_unpacker(zstd->unpacker);
	if (zstd->library)
		dlclose(zstd->library);
	free(zstd);
}

/* The library gets less room than the events take, so it stops if its frame would not be shorter. */
unsigned char *log_zip(struct log_zstd *zstd, const unsigned char *block)
{
	struct log_block head;
	size_t n;

	memcpy(&head, block, sizeof(head));
	if (head.length <= sizeof(struct log_events) || head.length > LOG_BLOCK_MAX - BLOCK_HEAD_BYTES)
		return NULL;
	n = head.length - sizeof(struct log_events);
	n = zstd->pack(
		zstd->packer, zstd->block + EVENTS_HEAD_BYTES, n - 1, block + EVENTS_HEAD_BYTES, n, LEVEL);
	if (zstd->is_error(n))
		return NULL;
	head.length = (uint32_t)(sizeof(struct log_events) + n);
	memcpy(zstd->block, &head, sizeof(head));
	memcpy(zstd->block + sizeof(head), block + sizeof(head), sizeof(struct log_events));
	return zstd->block;
}

int log_unzip(struct log_zstd **zstd, uint32_t flags, const unsigned char **body, size_t *length)
{
	const size_t n_head = sizeof(struct log_events);
	struct log_zstd *own;
	size_t n;
	int error;

	if (!(flags & LOG_BLOCK_ZSTD))
		return 0;
	if (*length < n_head)
		return EINVAL;
	error = *zstd ? 0 : log_zstd_open(zstd);
	if (error)
		return error;
	own = *zstd;
	n = own->unpack(own->unpacker, own->block + n_head, LOG_BLOCK_MAX - EVENTS_HEAD_BYTES, *body + n_head,
		*length - n_head);
	if (own->is_error(n))
		return EINVAL;
	memcpy(own->block, *body, n_head);
	*body = own->block;
	*length = n_head + n;
	return 0;
}
