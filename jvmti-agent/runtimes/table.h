/*
 * Rows of the tables: which method or call is hooked, and the functions that say what it means. The functions run on
 * the thread that calls the runtime; they emit records and return.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_TABLE_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_TABLE_H

#include "jvmti-agent/weaver/weave.h"

#include <jni.h>

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

#endif
