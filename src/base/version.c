/* SPDX-License-Identifier: MIT */
#include <rastrum/version.h>

const char *rst_version(void)
{
	return RASTRUM_VERSION_STRING;
}
