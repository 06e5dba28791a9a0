/*
 * Parallel regions while they live, and teams as OTF2 communicators.
 *
 * Collected one slice ahead of the conversion, for all threads of a region: its code, the members of its team, and when
 * the last of them arrived at its final barrier. A region is dropped when all threads that saw it are done.
 *
 * Threads: changes by one thread, in the pauses of the conversion; teams_find and reading by any thread in between.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_TEAMS_H
#define HEDDLE_OTF2_CONVERT_SCAN_TEAMS_H

#include "base/hash.h"
#include "base/vector.h"

#include <stdint.h>

#define TEAMS_LIVE_MAX (1u << 20) /* regions beyond it have no code and no team; only a broken trace has so many */
#define COMM_NONE      UINT32_MAX

struct member {
  uint32_t index; /* thread number in the team */
  uint32_t location;
};

/* A team with a definition in OTF2. All regions with the same complete team share it. */
struct comm {
  uint32_t size;                 /* as the runtime reported it */
  VECTOR(struct member) members; /* complete: members[i].index is i */
  bool complete;
};

struct team {
  uint64_t key;
  uint64_t code; /* of the parallel or teams construct; 0 unknown */
  bool is_league;
  uint32_t size;
  uint32_t comm;    /* COMM_NONE until settled */
  uint32_t users;   /* threads that have seen its begin and not yet its end */
  uint32_t round;   /* of its first member */
  uint32_t arrived; /* members that arrived at an implicit barrier of its own; meaningful only if there is one such
                       barrier */
  uint64_t latest_arrival; /* at one of them, archive time */
  uint64_t shape;          /* hash of the members */
  VECTOR(struct member) members;
};

struct teams {
  struct hash live; /* key -> struct team * */
  struct team *unused[64];
  size_t unused_count;
  VECTOR(struct comm) comms;
  struct hash by_shape;       /* shape -> comm */
  VECTOR(uint64_t) unsettled; /* keys */
};

/* Regions of all processes in one table. */
static inline uint64_t team_key(uint32_t process, uint64_t id)
{
  return (uint64_t)process << 48 | id;
}

/* The following are false when memory is short. */
bool teams_add_region(struct teams *teams, uint64_t key, uint64_t code, bool is_league);
bool teams_add_member(struct teams *teams, uint64_t key, uint32_t size, struct member member, uint32_t round);
void teams_add_arrival(struct teams *teams, uint64_t key, uint64_t time);
/* Gives a communicator to complete teams, and to all teams whose first member was seen up to `round`. */
bool teams_settle(struct teams *teams, uint32_t round);
/* One of the region's threads is done with it. */
void teams_release(struct teams *teams, uint64_t key);
void teams_free(struct teams *teams);

static inline const struct team *teams_find(const struct teams *teams, uint64_t key)
{
  const uint64_t *team = hash_find(&teams->live, key);
  return team == NULL ? NULL : (const struct team *)(uintptr_t)*team;
}

#endif
