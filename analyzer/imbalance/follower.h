/* Private to imbalance/: follows one location and says what it contributes to teams and constructs. */
#ifndef HEDDLE_ANALYZER_IMBALANCE_FOLLOWER_H
#define HEDDLE_ANALYZER_IMBALANCE_FOLLOWER_H

#include "analyzer/imbalance/piece.h"
#include "analyzer/states/states.h"

struct follower;

/* What each region means, worked out once for all followers of a trace. False: no memory; free them also then. */
struct follower_tables {
  uint8_t *rules, *interests;
};
bool follower_tables_make(const struct trace *trace, struct follower_tables *tables);
void follower_tables_free(struct follower_tables *tables);

/* The tables outlive the follower. NULL: no memory, or the location's events cannot be opened (error is filled). */
struct follower *follower_open(const struct trace *trace, uint32_t location, const struct follower_tables *tables,
                               struct trace_error *error);
void follower_close(struct follower *follower);

/* Reads up to `limit` events and appends their pieces to the queue. False: an error. */
bool follower_read(struct follower *follower, uint64_t limit);

bool follower_ended(const struct follower *follower);

/* No piece that is still to come is earlier than this. */
uint64_t follower_reached(const struct follower *follower);
uint64_t follower_first(const struct follower *follower);

/* Ticks in state UNMEASURED; all of them when the follower has ended. */
uint64_t follower_unmeasured(const struct follower *follower);

struct piece_queue *follower_queue(struct follower *follower);

#endif
