/*
 * A server for the browsers of this machine, of `heddle view` and `heddle live --web`. It is bound to 127.0.0.1. All
 * paths are below a random token of 128 bits. The Host header must be this server's own, so that no page from elsewhere
 * can reach it through a name that points here. It answers GET alone; what is asked for stands in the address.
 */
#ifndef HEDDLE_ANALYZER_LIVE_LOOPBACK_LOOPBACK_H
#define HEDDLE_ANALYZER_LIVE_LOOPBACK_LOOPBACK_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loopback;
struct loopback_query;

struct loopback_answer {
  const char *type; /* MIME type */
  void *bytes;      /* NULL: no memory; the connection is closed */
  size_t size;
  bool stays; /* true: the bytes stay until loopback_stop(); false: from malloc(), the server frees them */
};

/*
 * What GET /<token>/PATH gets; the page's path is empty. False: there is nothing. Called in the server's thread, one
 * request at a time.
 */
typedef bool loopback_give(void *context, const char *path, const struct loopback_query *query,
                           struct loopback_answer *answer);

/* A text of the query, decoded; NULL: it is missing. Valid during the call. */
const char *loopback_text(const struct loopback_query *query, const char *name);

/* A number of the query. False: it is missing, or is no whole number. */
bool loopback_number(const struct loopback_query *query, const char *name, uint64_t *number);

/*
 * Starts to serve, in a thread of its own, which has the caller's signal mask. Port 0: any that is free. NULL: an
 * error.
 */
struct loopback *loopback_start(uint16_t port, loopback_give *give, void *context, struct error *error);
void loopback_stop(struct loopback *loopback);

/* "http://127.0.0.1:40123/0f3c.../" */
const char *loopback_address(const struct loopback *loopback);

/* Blocks the signals that end a server (SIGINT, SIGTERM, SIGHUP), for sigwait(), and ignores SIGPIPE. Before
 * loopback_start(). */
void loopback_block_ends(sigset_t *ends);

#endif
