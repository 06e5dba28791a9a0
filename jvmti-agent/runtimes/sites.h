/*
 * Rows of the tables: which method or call is hooked, and the functions that say what it means. The functions run on
 * the thread that calls the runtime; they emit records and return.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_SITES_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_SITES_H

#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/weaver/weave.h"

#include <jni.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>

struct site;

/* A hook that was called; the values are those that hook_class.h describes. */
struct hook {
  JNIEnv *jni;
  struct site *site;
  int64_t number;
  jobject first, second;
  const int64_t *fields; /* HOOK_FIELDS of them, where the row's target has such; NULL: the objects are there */
};

struct row {
  struct weave_target target;
  /* Looks at the place in the program once, while its class is loaded. May be NULL. One thread at a time. */
  void (*prepare)(struct site *site, const struct weave_match *match);
  void (*enter)(const struct hook *hook);
  void (*exit)(const struct hook *hook);
  void (*thrown)(const struct hook *hook); /* NULL: nothing is to be done then */
  void (*locked)(const struct hook *hook); /* with HOOK_LOCK, as `unlocked` */
  void (*unlocked)(const struct hook *hook);
  unsigned detail;      /* for the row's own functions */
  bool (*wanted)(void); /* NULL: always */
  uint32_t needs;       /* LIVE_NEED_...: of use while all of them are needed; 0: any */
  bool until_over;      /* its switch is on until sites_switch_off(), whatever is needed */
  bool for_teams;       /* of use once there are teams of several threads (sites_expect_teams) */
};

struct runtime {
  bool of_jvm;         /* a part of level=jvm; else of level=jomp */
  uint32_t needs;      /* LIVE_NEED_...: its hooks are of use while one of these is needed */
  const char *package; /* of its own classes, as jomp/runtime/; there methods are hooked, calls never. NULL: none */
  const char *const
      *marks;         /* a class outside that has none of these strings in it has nothing to hook; ends with NULL */
  const char *in_jdk; /* where in the JDK there are such classes; NULL: only in programs */
  const char *worker; /* class of its pool's threads, as Ljomp/runtime/BusyThread;, or NULL */
  bool (*waits)(JNIEnv *jni, jobject monitor); /* see runtimes_wait_for(); or NULL */
  void (*thread_end)(void);                    /* the calling thread ends; or NULL */
  void (*hooks_gone)(void);                    /* classes lost its hooks; or NULL */
  const struct row *rows;
  size_t count;
};

extern const struct runtime runtime_jomp, runtime_forkjoin, runtime_executors, runtime_stages, runtime_submissions,
    runtime_waits, runtime_virtual_calls, runtime_polls;

/* The parallel runtimes that the agent knows, and what a thread has to do with them. */

enum { RUNTIMES_KNOWN = 8 };
extern const struct runtime *const runtimes_known[RUNTIMES_KNOWN];

/*
 * The calling thread begins to wait for a monitor, of which nothing is recorded yet. Returns whether that is the way in
 * which it waits for a construct of a runtime's: then both are recorded, whatever else is left out.
 */
bool runtimes_wait_for(JNIEnv *jni, jobject monitor);

/* The calling thread ends. */
void runtimes_thread_end(void);

/* Whether a thread belongs to a pool that executes parallel regions. */
bool runtimes_is_worker(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

/*
 * Sites: the methods and calls that have hooks. A site is made when its class gets hooks and stays for ever, for
 * threads may be in it at any time. A class whose hooks were taken away, and that gets them back, has its sites again.
 */

#define SITE_SECTIONS_MAX 256u
#define SITE_PARTS        16u /* what is woven consists of so many parts at most: runtimes, and others */

struct site {
  const struct row *row;
  int32_t index;           /* its number */
  unsigned part;           /* that it belongs to */
  atomic_bool over;        /* its hooks have done all that they can */
  uint64_t code;           /* of the call; 0 unknown */
  unsigned work;           /* calls that begin a loop: its ompt_work_t; 0 unknown */
  unsigned kind;           /* JOMP_BUDGET_REGION, JOMP_BUDGET_SECTION, or the ompt_work_t */
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
/* Other groups are needed (common/recorder/needs.h). Any thread. */
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
