/* SPDX-License-Identifier: MIT */
/*
 * The reading API in one include. The headers, one per noun, may also be included by themselves.
 *
 * Versions below 1 promise no binary interface from one MINOR to the next: structs may grow. The name of the
 * shared library has that number, so that a program which was built for another one does not start with it.
 */
#ifndef RASTRUM_RASTRUM_H
#define RASTRUM_RASTRUM_H

#include <rastrum/analysis.h>
#include <rastrum/effect.h>
#include <rastrum/error.h>
#include <rastrum/event.h>
#include <rastrum/field.h>
#include <rastrum/object.h>
#include <rastrum/state.h>
#include <rastrum/trace.h>
#include <rastrum/type.h>
#include <rastrum/version.h>

#endif
