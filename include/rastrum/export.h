/* SPDX-License-Identifier: MIT */
/* What the shared library shows: it is built with hidden symbols, and only what is marked here stays visible. */
#ifndef RASTRUM_EXPORT_H
#define RASTRUM_EXPORT_H

#if defined(__GNUC__)
#define RST_PUBLIC __attribute__((visibility("default")))
#else
#define RST_PUBLIC
#endif

#endif
