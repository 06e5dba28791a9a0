/*
 * Sites: the methods and calls that have hooks. A site is made while its class is loaded and stays for ever, for
 * threads may be in it at any time.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_SITES_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_SITES_H

#include "jvmti-agent/runtimes/table.h"

#include <stdatomic.h>

#define SITE_SECTIONS_MAX 256u

struct site {
  const struct row *row;
  int32_t index;           /* its number */
  atomic_bool over;        /* its hooks have done all that they can */
  uint64_t code;           /* of the call; 0 unknown */
  unsigned work;           /* calls that begin a loop: its ompt_work_t; 0 unknown */
  unsigned kind;           /* THINNING_REGION, or the ompt_work_t */
  bool is_constant;        /* calls with a name: it is always the same */
  unsigned sections;       /* calls that give out sections: how many there are */
  uint64_t *section_codes; /* of each */
  /* Fields of the objects that the call is given, found when it is called first. A class is loaded as long as those
   * that refer to it, so these stay right. */
  struct {
    atomic_int known; /* 1: they are found; -1: the class has no such fields */
    jfieldID start, stop, step, start_step, is_last;
  } loop;
};

/* A new site; its number goes to *number. NULL: there are too many, or no memory. One thread at a time. */
struct site *sites_add(const struct row *row, int32_t *number);

/* Any thread. NULL: there is no such site. */
struct site *sites_get(int32_t number);

/*
 * The switches of all sites, for hook_class(). Hooks with a guard (weaver/hook_guards.h) are called while theirs is on:
 * that is while recording is not paused or, where the row is for teams, once sites_expect_teams() was called. Any
 * thread.
 */
const uint8_t *sites_switches(void);
/* Recording was paused or resumed. */
void sites_follow_pauses(void);
/* Other groups are needed (common/needs.h). Any thread. */
void sites_follow_needs(void);
/* How many hooks are on. */
unsigned sites_on(void);
/* How often that was so: hooks were left out since another number was given. */
unsigned sites_pauses(void);
/* The site's hooks have done all they can. Any thread. */
void sites_switch_off(struct site *site);
/* From now on there may be teams of several threads. */
void sites_expect_teams(void);

/* The place of an instruction, for `code` in records; described in the process file. 0: it could not be described. */
uint64_t site_code_at(const struct weave_match *match, uint32_t pc);

#endif
