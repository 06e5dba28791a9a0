/* Private to imbalance/: follows one location and says what it contributes to teams and constructs. */
#ifndef HEDDLE_ANALYZER_IMBALANCE_FOLLOWER_H
#define HEDDLE_ANALYZER_IMBALANCE_FOLLOWER_H

#include "analyzer/imbalance/piece.h"
#include "analyzer/states/states.h"

struct follower;

/* `rules` as for machine_create(). NULL: no memory, or the location's events cannot be opened (error is filled). */
struct follower *follower_open(const struct trace *trace, uint32_t location, const uint8_t *rules,
                               struct trace_error *error);
void follower_close(struct follower *follower);

/* Reads up to `limit` events and appends their pieces to the queue. False: an error. */
bool follower_read(struct follower *follower, uint64_t limit);

bool follower_ended(const struct follower *follower);

/* No piece that is still to come is earlier than this. */
uint64_t follower_reached(const struct follower *follower);
uint64_t follower_first(const struct follower *follower);

struct piece_queue *follower_queue(struct follower *follower);

#endif
