/* Private to loopback/: connections whose request is not whole. Each has ten seconds; the oldest one goes when there is
 * little room for others. Any thread. */
#ifndef HEDDLE_ANALYZER_LIVE_LOOPBACK_WAITING_H
#define HEDDLE_ANALYZER_LIVE_LOOPBACK_WAITING_H

#include <stddef.h>

struct waiting; /* all connections */
struct waiting_connection;

/* `most`: so many connections there can be. NULL: out of memory, or of threads. */
struct waiting *waiting_begin(size_t most);
void waiting_end(struct waiting *waiting);

/* A connection begins; its descriptor stays open until waiting_remove. NULL: there are too many. */
struct waiting_connection *waiting_add(struct waiting *waiting, int fd);
/* Its request is whole; its answer is sent: now it waits for another request. */
void waiting_whole(struct waiting *waiting, struct waiting_connection *connection);
void waiting_again(struct waiting *waiting, struct waiting_connection *connection);
void waiting_remove(struct waiting *waiting, struct waiting_connection *connection);

#endif
