/* SPDX-License-Identifier: MIT */
/* Aggregate functions of questions: percentile(x, p), histogram(x). rastrum-query(1) describes them. */
#ifndef DATABASE_AGGREGATES_H
#define DATABASE_AGGREGATES_H

#include "database/database.h"

/* Adds them to the connection of the database. RST_E_IO, RST_E_NOMEM. */
enum rst_status aggregates_add(struct database *database, struct rst_error *err);

#endif
