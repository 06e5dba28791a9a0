/*
 * Sites: the methods and calls that have hooks. A site is made when its class gets hooks and stays for ever, for
 * threads may be in it at any time. A class whose hooks were taken away, and that gets them back, has its sites again.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_SITES_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_SITES_H

#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/runtimes/table.h"

#include <stdatomic.h>

#define SITE_SECTIONS_MAX 256u
#define SITE_PARTS        16u /* what is woven consists of so many parts at most: runtimes, and others */

struct site {
  const struct row *row;
  int32_t index;           /* its number */
  unsigned part;           /* that it belongs to */
  atomic_bool over;        /* its hooks have done all that they can */
  uint64_t code;           /* of the call; 0 unknown */
  unsigned work;           /* calls that begin a loop: its ompt_work_t; 0 unknown */
  unsigned kind;           /* THINNING_REGION, THINNING_SECTION, or the ompt_work_t */
  bool is_constant;        /* calls with a name: it is always the same */
  bool locks;              /* ... what they give is locked at once, and the site has the hooks of that */
  atomic_uint section;     /* ... the number of the name; 0: not known yet */
  atomic_uint lock_class;  /* ... class_id_of() of what they give; 0: not known */
  atomic_bool computes;    /* the method is known to be that of a task */
  unsigned sections;       /* calls that give out sections: how many there are */
  uint64_t *section_codes; /* of each */
  /* Fields of the objects that the call is given, found when it is called first. A class is loaded as long as those
   * that refer to it, so these stay right. */
  struct {
    atomic_int known; /* 1: they are found; -1: the class has no such fields */
    jfieldID start, stop, step, start_step, is_last;
  } loop;
};

/*
 * The site of a match, or a new one, which has nothing but its row yet; its number goes to *number. It is that of
 * before if the class has the same bytes as then. NULL: there are too many, or no memory. One thread at a time.
 */
struct site *sites_at(struct weaving *class, const struct row *row, const struct weave_match *match, int32_t *number,
                      bool *is_new);

/* Any thread. NULL: there is no such site. */
struct site *sites_get(int32_t number);

/* What has to be needed for a part's hooks to be of use: one of these LIVE_NEED_... Once, before its first site. */
void sites_need(unsigned part, uint32_t needs);
/* Classes are about to get a part's hooks, or to lose them. One thread at a time. */
void sites_begin_round(unsigned part);
void sites_end_round(unsigned part);
/* How often the hooks of the site's part began: where that changes, calls of hooks were missed. */
unsigned sites_round(const struct site *site);

/*
 * The switches of all sites, for hook_class(). Hooks with a guard (weaver/hook_guards.h) are called while theirs is on:
 * that is while what they are for is needed or, where the row is for teams, once sites_expect_teams() was called. Any
 * thread.
 */
const uint8_t *sites_switches(void);
/* Recording was paused or resumed. */
void sites_follow_pauses(void);
/* Other groups are needed (common/recorder/measured_groups.h). Any thread. */
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
