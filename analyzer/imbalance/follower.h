/* Private to imbalance/: follows one location and says what it contributes to teams and constructs. */
#ifndef HEDDLE_ANALYZER_IMBALANCE_FOLLOWER_H
#define HEDDLE_ANALYZER_IMBALANCE_FOLLOWER_H

#include "analyzer/imbalance/piece.h"
#include "analyzer/imbalance/region_interest.h"
#include "analyzer/pass/pass.h"

struct follower;

/* `interests` are those of region_interests_make(); they, the location and `error` outlive the follower. NULL: an
 * error. */
struct follower *follower_open(const struct trace *trace, const struct pass_location *location,
                               const uint8_t *interests, struct error *error);
void follower_close(struct follower *follower);

/* Takes the next event of the location, which the view has already. False: an error. */
bool follower_event(struct follower *follower, const struct trace_event *event);
/*
 * After the last event. What the archive leaves open ends with that event. So do constructs where the location is cut:
 * that event is behind what is looked at, and so is their end. False: an error.
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
