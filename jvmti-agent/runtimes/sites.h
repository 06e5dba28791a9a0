/*
 * Runtimes, rows and sites. A runtime is a table of rows. A row names a method or a call that is hooked, and has the
 * functions that record what it means. They run on the thread that calls the runtime. A site is one hooked method or
 * call in a class. It is made when the class gets hooks and stays for ever, because threads may be in it at any time. A
 * class that loses its hooks and gets them again has the same sites.
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

/* A hook that was called; weaver/hooks.h describes the values. */
struct hook {
  JNIEnv *jni;
  struct site *site;
  int64_t number;
  jobject first, second;
  const int64_t *fields; /* HOOK_FIELDS of them, where the row's target has such; NULL: the objects are there */
};

struct row {
  struct weave_target target;
  /* Called once for a site, while its class is loaded. May be NULL. One thread at a time. */
  void (*prepare)(struct site *site, const struct weave_match *match);
  void (*enter)(const struct hook *hook);
  void (*exit)(const struct hook *hook);
  void (*thrown)(const struct hook *hook); /* may be NULL */
  void (*locked)(const struct hook *hook); /* with HOOK_LOCK, as `unlocked` */
  void (*unlocked)(const struct hook *hook);
  unsigned detail;      /* for the row's own functions */
  bool (*wanted)(void); /* NULL: always */
  uint32_t needs;       /* LIVE_NEED_...: hooks are on while all of them are needed; 0: any */
  bool until_over;      /* hooks are on until sites_switch_off(), whatever is needed */
  bool for_teams;       /* hooks are on once there are teams of several threads (sites_expect_teams) */
};

struct runtime {
  bool of_jvm;         /* a part of level=jvm; else of level=jomp */
  uint32_t needs;      /* LIVE_NEED_...: its hooks are of use while one of these is needed */
  const char *package; /* package of its own classes, as jomp/runtime/; there methods are hooked, calls never. NULL:
                          none */
  const char *const *marks; /* other classes without any of these strings have nothing to hook; ends with NULL */
  const char *in_jdk;       /* package in the JDK with such classes; NULL: they are in programs only */
  const char *worker;       /* class of its pool's threads, as Ljomp/runtime/BusyThread;, or NULL */
  bool (*waits)(JNIEnv *jni, jobject monitor); /* as runtimes_wait_for(); or NULL */
  void (*thread_end)(void);                    /* the calling thread ends; or NULL */
  void (*hooks_gone)(void);                    /* classes lost its hooks; or NULL */
  const struct row *rows;
  size_t count;
};

extern const struct runtime runtime_jomp, runtime_forkjoin, runtime_executors, runtime_stages, runtime_submissions,
    runtime_waits, runtime_virtual_calls, runtime_polls;

enum { RUNTIMES_KNOWN = 8 };
extern const struct runtime *const runtimes_known[RUNTIMES_KNOWN];

/*
 * The calling thread begins to wait for a monitor, and the wait is not recorded yet. Returns true if a runtime
 * implements one of its constructs by this wait. Then both are always recorded.
 */
bool runtimes_wait_for(JNIEnv *jni, jobject monitor);

/* The calling thread ends. */
void runtimes_thread_end(void);

/* True if a thread belongs to a pool that executes parallel regions. */
bool runtimes_is_worker(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

#define SITE_SECTIONS_MAX 256u
#define SITE_PARTS        16u /* most parts of hooks: runtimes and others (classes.c) */

struct site {
  const struct row *row;
  int32_t index;           /* its number */
  unsigned part;           /* the part of its hooks */
  atomic_bool over;        /* its hooks are no longer needed */
  uint64_t code;           /* of the call; 0 unknown */
  unsigned work;           /* calls that begin a loop: its ompt_work_t; 0 unknown */
  unsigned kind;           /* JOMP_BUDGET_REGION, JOMP_BUDGET_SECTION, or the ompt_work_t */
  bool of_jdk;             /* compute(): it is the JDK's */
  bool is_constant;        /* calls with a name: the name is constant */
  bool locks;              /* ... the result is locked at once, and the site has hooks for that */
  atomic_uint section;     /* ... the number of the name; 0: not known yet */
  atomic_uint lock_class;  /* ... class_id_of() of the result; 0: not known */
  atomic_bool computes;    /* the method is known to be a task's */
  atomic_bool is_above;    /* ... which tasks of other classes call as their superclass' one */
  unsigned sections;       /* calls that give out sections: how many there are */
  uint64_t *section_codes; /* of each */
  /* Fields of the call's arguments, found at the first call. They stay valid, because a class is loaded as long as
   * classes that refer to it. */
  struct {
    atomic_int known; /* 1: they are found; -1: the class has no such fields */
    jfieldID start, stop, step, start_step, is_last;
  } loop;
};

/*
 * Returns the site of a match, and its number in *number. A class with the same bytes as before has the same sites; a
 * new site has only its row. NULL: there are too many, or out of memory. One thread at a time.
 */
struct site *sites_at(struct weaving *class, const struct row *row, const struct weave_match *match, int32_t *number,
                      bool *is_new);

/* Returns a site by its number; NULL: there is none. Any thread. */
struct site *sites_get(int32_t number);

/* Sets the needs of a part: its hooks are on while one of them is needed (LIVE_NEED_...). Once, before its first site.
 */
void sites_need(unsigned part, uint32_t needs);
/* Classes are about to get a part's hooks; to lose them. One thread at a time. */
void sites_begin_round(unsigned part);
void sites_end_round(unsigned part);
/* Returns how often classes got the hooks of the site's part: if it changes, calls of hooks were missed. */
unsigned sites_round(const struct site *site);

/*
 * Returns the switches of all sites, for hook_class(). A hook with a guard (weaver/guards.h) is called while its switch
 * is on. It is on while its needs are needed and, if the row is for teams, after sites_expect_teams(). Any thread.
 */
const uint8_t *sites_switches(void);
/* Recording was paused or resumed. */
void sites_follow_pauses(void);
/* The needs have changed (common/recorder/measured_groups.h). Any thread. */
void sites_follow_needs(void);
/* Returns how many hooks are on. */
unsigned sites_on(void);
/* Returns how often recording was paused: if it changes, calls of hooks were missed. */
unsigned sites_pauses(void);
/* The site's hooks are no longer needed. Any thread. */
void sites_switch_off(struct site *site);
/* There may be teams of several threads from now on. */
void sites_expect_teams(void);

/* Returns the place of an instruction, for `code` in records; the process file describes it. 0: unknown. */
uint64_t site_code_at(const struct weave_match *match, uint32_t pc);

#endif
