/* SPDX-License-Identifier: MIT */
/*
 * As RKH's recorder was measured: a ring of 256 bytes in flash's table, one that seldom ends where
 * instructions count.
 */
#ifndef EMBED_CHECK_RKH_CONFIG_H
#define EMBED_CHECK_RKH_CONFIG_H

#if __STDC_HOSTED__
#define RKH_CFG_TRC_SIZEOF_STREAM 2048
#else
#define RKH_CFG_TRC_SIZEOF_STREAM 256
#endif
#define RKH_CFG_FWK_ASSERT_EN 1

#endif
