/*
 * Serves a report to the browsers of this machine (analyzer/live/loopback): the page, and the blocks of its lanes as
 * they are asked for.
 *
 *   GET /<token>/                                          the page
 *   GET /<token>/blocks?run=R&location=L&lane=K&level=V    JSON: list of a level's blocks; offsets as for blob
 *   GET /<token>/blob?run=R&offset=O&bytes=N               bytes of the run's spool
 */
#ifndef HEDDLE_ANALYZER_REPORT_VIEW_H
#define HEDDLE_ANALYZER_REPORT_VIEW_H

#include "analyzer/live/loopback/loopback.h"
#include "analyzer/report/bundle.h"

#define SERVER_BLOB_MOST ((uint64_t)16 << 20) /* bytes at a time */

struct server;

/*
 * Starts to serve, in a thread of its own; the runs outlive it. Port 0: any that is free. NULL: an error. The thread
 * has the caller's signal mask.
 */
struct server *server_start(const struct bundle_run *runs, size_t run_count, uint16_t port, struct error *error);
void server_stop(struct server *server);

/* "http://127.0.0.1:40123/0f3c.../" */
const char *server_address(const struct server *server);

#endif
