/* SPDX-License-Identifier: MIT */
/*
 * The reading API in one include. The headers, one per noun, may also be included by themselves.
 *
 * Versions 0.x promise no binary interface: structs may grow, so programs are to be built anew with each of them.
 */
#ifndef RASTRUM_RASTRUM_H
#define RASTRUM_RASTRUM_H

#include <rastrum/error.h>
#include <rastrum/event.h>
#include <rastrum/object.h>
#include <rastrum/trace.h>
#include <rastrum/type.h>

#endif
