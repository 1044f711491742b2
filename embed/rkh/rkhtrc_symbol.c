/* SPDX-License-Identifier: MIT */
/* Frames that give names. No filter holds them back. */
#include "embed/rkh/rkhtrc_record.h"

#if !RKH_CFG_TRC_STANDALONE_EN
#include "rkhsm.h"
#include "rkhsma.h"
#endif

#if RKH_CFG_TRC_EN

/* The name ends the frame; a flush outside the lock follows. */
#define RKH_NAME_END_(name) \
	RKH_TRC_STR(name);  \
	RKH_TRC_END_WOFIL() \
	RKH_TRC_FLUSH();

/* The object may also be a signal, which is then recorded as an address. */
void rkh_trc_obj(RKH_TE_ID_T tre, rui8_t *obj, const char *obj_name)
{
	RKH_TRC_BEGIN_WOFIL(tre)
	if (tre == RKH_TE_FWK_SIG)
		RKH_TRC_SIG((uintptr_t)obj);
	else
		RKH_TRC_SYM(obj);
	RKH_NAME_END_(obj_name)
}

void rkh_trc_sig(RKH_SIG_T sig, const char *sig_name)
{
	rkh_trc_obj(RKH_TE_FWK_SIG, (rui8_t *)(uintptr_t)sig, sig_name);
}

void rkh_trc_ao(void *ao)
{
	rkh_trc_obj(RKH_TE_FWK_AO, (rui8_t *)ao, RKH_GET_AO_NAME(ao));
}

void rkh_trc_state(void *ao, rui8_t *state)
{
	const RKH_BASE_T *vertex = (const RKH_BASE_T *)(const void *)state;

	RKH_TRC_BEGIN_WOFIL(vertex->type & RKH_REGULAR ? RKH_TE_FWK_STATE : RKH_TE_FWK_PSTATE)
	RKH_TRC_SYM(ao);
	RKH_TRC_SYM(state);
	RKH_NAME_END_(RKH_GET_VERTEX_NAME(state))
}

#endif
