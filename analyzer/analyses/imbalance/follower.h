/* Private to imbalance/: follows the events of one location and makes pieces of them. */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_FOLLOWER_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_FOLLOWER_H

#include "analyzer/analyses/imbalance/opened.h"
#include "analyzer/analyses/imbalance/piece.h"
#include "analyzer/analyses/imbalance/region_interest.h"
#include "analyzer/analyses/imbalance/team_levels.h"
#include "analyzer/trace/pass/pass.h"

/* A lane. */
struct follower {
  const struct trace *trace;
  const uint8_t *interests; /* of region_interests_make() */
  uint32_t location;
  const struct pass_location *place;
  const struct machine_view *view;
  struct item_queue queue; /* of struct piece */
  struct opened_list open;
  struct team_levels levels;
  struct gaps gaps;
  uint64_t tasks, dependent; /* created so far; and those of them that have dependences */
  uint64_t team_run;         /* run_within() where the outermost team began */
  uint64_t in_teams;         /* its ticks in outermost teams that have ended */
  uint64_t fork;             /* when the last fork was, and at what depth */
  size_t fork_depth;
  uint32_t skips;          /* regions open of a stretch of instances that are not recorded ... */
  uint64_t skipped_from;   /* ... in UNMEASURED up to its begin */
  uint64_t skipped;        /* ticks in UNMEASURED in such stretches that have ended ... */
  uint64_t skipped_within; /* ... within the restriction */
};

/* `interests` are those of region_interests_make(); they and the location outlive the follower. */
void follower_begin(struct follower *follower, const struct trace *trace, const struct pass_location *location,
                    const uint8_t *interests);
void follower_close(struct follower *follower);

/* Functions of the lane. */
bool follower_event(void *lane, const struct trace_event *event);
/* Ends what is still open with the last event. If the location is cut, that is behind the restriction, so what ends
 * there is left out. */
bool follower_end(void *lane);
/* The pieces (struct piece), in order of time. */
struct item_queue *follower_queue(void *lane);

/* Ticks of the location within the restriction: measured; UNMEASURED, in stretches of instances that are not recorded;
 * and otherwise UNMEASURED. After follower_end(). */
uint64_t follower_lifetime(const struct follower *follower);
uint64_t follower_skipped(const struct follower *follower);
uint64_t follower_unmeasured(const struct follower *follower);
/* Ticks in RUN outside of teams, within the restriction. After follower_end(). */
uint64_t follower_alone(const struct follower *follower);

#endif
