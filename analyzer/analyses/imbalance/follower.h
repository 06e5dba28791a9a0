/* Private to imbalance/: follows the events of one location and makes pieces of them. */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_FOLLOWER_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_FOLLOWER_H

#include "analyzer/analyses/imbalance/piece.h"
#include "analyzer/analyses/imbalance/region_interest.h"
#include "analyzer/trace/pass/pass.h"

struct follower;

/* `interests` are those of region_interests_make(); they, the location and `error` outlive the follower. NULL: an
 * error. */
struct follower *follower_open(const struct trace *trace, const struct pass_location *location,
                               const uint8_t *interests, struct error *error);
void follower_close(struct follower *follower);

/* Takes the next event of the location, after the view. False: an error. */
bool follower_event(struct follower *follower, const struct trace_event *event);
/*
 * After the last event: ends what is still open with this event. If the location is cut, that is behind the
 * restriction, so what ends there is left out. False: an error.
 */
bool follower_end(struct follower *follower);
/* The pieces (struct piece), in order of time. */
struct item_queue *follower_queue(struct follower *follower);

uint32_t follower_location(const struct follower *follower);
/* Ticks of the location within the restriction: measured; UNMEASURED, in stretches of instances that are not recorded;
 * and otherwise UNMEASURED. After follower_end(). */
uint64_t follower_lifetime(const struct follower *follower);
uint64_t follower_skipped(const struct follower *follower);
uint64_t follower_unmeasured(const struct follower *follower);
/* Ticks in RUN outside of teams, within the restriction. After follower_end(). */
uint64_t follower_alone(const struct follower *follower);

#endif
