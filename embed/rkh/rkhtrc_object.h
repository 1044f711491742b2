/* SPDX-License-Identifier: MIT */
/*
 * The members of RKH's own objects that the records use, for programs without the rest of RKH: an event's
 * signal, reference count and pool; an active object's priority and name; a state's kind and name. RKH has
 * them in rkhsm.h and rkhsma.h. The layouts are the beginnings of RKH's own.
 *
 * A program with objects of its own defines RKH_SMA_ACCESS_CONST(object, member) instead, before it includes
 * this; members are prio and name.
 */
#ifndef EMBED_RKH_RKHTRC_OBJECT_H
#define EMBED_RKH_RKHTRC_OBJECT_H

#include "embed/rkh/rkhtrc_define.h"

#if RKH_CFG_TRC_STANDALONE_EN

typedef struct RKH_EVT_T {
	RKH_SIG_T e;
	rui8_t nref;
	rui8_t pool; /* from 1; 0 for a static event */
} RKH_EVT_T;

/* First in every state and pseudostate. */
typedef struct RKH_BASE_T {
	ruint type;
	const char *name;
} RKH_BASE_T;

#define RKH_REGULAR 0x80u /* in the type of states */
#define CB(p)	    ((const RKH_BASE_T *)(const void *)(p))

typedef struct RKH_ROM_T {
	rui8_t prio;
	rui8_t ppty;
	const char *name;
} RKH_ROM_T;

typedef struct RKH_SM_T {
#if RKH_CFG_SMA_SM_CONST_EN
	RKHROM RKH_ROM_T *romrkh;
#else
	rui8_t prio;
	rui8_t ppty;
	const char *name;
#endif
	const void *state;
} RKH_SM_T;

typedef struct RKH_SMA_T {
	RKH_SM_T sm;
} RKH_SMA_T;

#ifndef RKH_SMA_ACCESS_CONST
#if RKH_CFG_SMA_SM_CONST_EN
#define RKH_SMA_ACCESS_CONST(object, member) (((const RKH_SM_T *)(const void *)(object))->romrkh->member)
#else
#define RKH_SMA_ACCESS_CONST(object, member) (((const RKH_SM_T *)(const void *)(object))->member)
#endif
#endif

#define R_TRC_AO_NAME_EN   \
	(RKH_CFG_TRC_EN && \
		(RKH_CFG_TRC_ALL_EN || RKH_CFG_TRC_SMA_EN || RKH_CFG_TRC_SM_EN || RKH_CFG_TRC_FWK_EN))
#ifndef RKH_GET_AO_NAME
#if R_TRC_AO_NAME_EN
#define RKH_GET_AO_NAME(ao) RKH_SMA_ACCESS_CONST(ao, name)
#else
#define RKH_GET_AO_NAME(ao) "null"
#endif
#endif
#ifndef RKH_GET_VERTEX_NAME
#define RKH_GET_VERTEX_NAME(vertex) (CB(vertex)->name)
#endif

#endif

#endif
