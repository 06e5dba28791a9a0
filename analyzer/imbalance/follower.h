/* Private to imbalance/: follows one location and says what it contributes to teams and constructs. */
#ifndef HEDDLE_ANALYZER_IMBALANCE_FOLLOWER_H
#define HEDDLE_ANALYZER_IMBALANCE_FOLLOWER_H

#include "analyzer/imbalance/piece.h"
#include "analyzer/pass/pass.h"
#include "analyzer/states/states.h"

struct follower;

/* What each region means, worked out once for all followers of a trace. False: no memory; free them also then. */
struct follower_tables {
  uint8_t *rules, *interests;
};
bool follower_tables_make(const struct trace *trace, struct follower_tables *tables);
void follower_tables_free(struct follower_tables *tables);

/* The tables, the location and `error` outlive the follower. NULL: no memory (error is filled). */
struct follower *follower_open(const struct trace *trace, const struct pass_location *location,
                               const struct follower_tables *tables, struct error *error);
void follower_close(struct follower *follower);

/* Takes the next event of the location, which the view has already. False: an error. */
bool follower_event(struct follower *follower, const struct trace_event *event);
/*
 * What the archive leaves open is over with the location's last event. So are constructs where the location is cut: the
 * event is behind what is looked at, and so is their end then. False: an error.
 */
bool follower_end(struct follower *follower);
/* What the events made: struct piece, in order of time. */
struct item_queue *follower_queue(struct follower *follower);

uint32_t follower_location(const struct follower *follower);
/* What is looked at of its time, without what was not measured; and that. After follower_end(). */
uint64_t follower_lifetime(const struct follower *follower);
uint64_t follower_unmeasured(const struct follower *follower);
/* Ticks in RUN outside of teams, as far as they are looked at; after follower_end(). */
uint64_t follower_alone(const struct follower *follower);

#endif
