/* SPDX-License-Identifier: MIT */
/* The symbols that the shared library exports: all others are hidden by the build, and this mark makes one
 * visible. */
#ifndef RASTRUM_EXPORT_H
#define RASTRUM_EXPORT_H

#if defined(__GNUC__)
#define RST_PUBLIC __attribute__((visibility("default")))
#else
#define RST_PUBLIC
#endif

#endif
