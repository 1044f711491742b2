/* SPDX-License-Identifier: MIT */
/*
 * The rows of this recorder once more, in a program that is linked with libposixtrace.so as most programs
 * are.
 */
#include "bench/record/record.h"

int main(void)
{
	return record_peer_serve("shared_", record_rows, record_measure);
}
