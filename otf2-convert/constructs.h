/*
 * What regions there are: one entry a construct, with its name, its OTF2 role and the description that analysis reads.
 * A region is a construct at a place in the source. The names and roles are the contract of docs/otf2.md.
 */
#ifndef HEDDLE_OTF2_CONVERT_CONSTRUCTS_H
#define HEDDLE_OTF2_CONVERT_CONSTRUCTS_H

#include <otf2/otf2.h>
#include <stdbool.h>

/* X(constant, name, role, description). An empty description is none. The user's and then Java's own come last. */
#define CONSTRUCTS(X)                                                                                                  \
  X(C_PARALLEL, "!$omp parallel", PARALLEL, "")                                                                        \
  X(C_TEAMS, "!$omp teams", PARALLEL, "")                                                                              \
  X(C_LOOP, "!$omp for", LOOP, "schedule: unknown")                                                                    \
  X(C_LOOP_STATIC, "!$omp for", LOOP, "schedule: static")                                                              \
  X(C_LOOP_DYNAMIC, "!$omp for", LOOP, "schedule: dynamic")                                                            \
  X(C_LOOP_GUIDED, "!$omp for", LOOP, "schedule: guided")                                                              \
  X(C_LOOP_OTHER, "!$omp for", LOOP, "schedule: other")                                                                \
  X(C_DISTRIBUTE, "!$omp distribute", LOOP, "schedule: unknown")                                                       \
  X(C_TASKLOOP, "!$omp taskloop", LOOP, "schedule: unknown")                                                           \
  X(C_CHUNK, "chunk", LOOP, "")                                                                                        \
  X(C_SECTIONS, "!$omp sections", SECTIONS, "")                                                                        \
  X(C_SECTION, "!$omp section", SECTION, "")                                                                           \
  X(C_SINGLE, "!$omp single", SINGLE, "")                                                                              \
  X(C_SINGLE_SBLOCK, "!$omp single sblock", SINGLE_SBLOCK, "")                                                         \
  X(C_MASKED, "!$omp masked", MASTER, "")                                                                              \
  X(C_WORKSHARE, "!$omp workshare", WORKSHARE, "")                                                                     \
  X(C_SCOPE, "!$omp scope", WORKSHARE, "")                                                                             \
  X(C_BARRIER, "!$omp barrier", BARRIER, "")                                                                           \
  X(C_BARRIER_WAIT, "!$omp barrier wait", BARRIER, "")                                                                 \
  X(C_IMPLICIT_BARRIER, "!$omp implicit barrier", IMPLICIT_BARRIER, "")                                                \
  X(C_IMPLICIT_BARRIER_WAIT, "!$omp implicit barrier wait", IMPLICIT_BARRIER, "")                                      \
  X(C_TASKWAIT, "!$omp taskwait", TASK_WAIT, "")                                                                       \
  X(C_TASKWAIT_WAIT, "!$omp taskwait wait", TASK_WAIT, "")                                                             \
  X(C_TASKGROUP, "!$omp taskgroup", FUNCTION, "")                                                                      \
  X(C_TASKGROUP_WAIT, "!$omp taskgroup wait", TASK_WAIT, "")                                                           \
  X(C_REDUCTION, "!$omp reduction", FUNCTION, "")                                                                      \
  X(C_REDUCTION_WAIT, "!$omp reduction wait", FUNCTION, "")                                                            \
  X(C_CRITICAL, "!$omp critical", CRITICAL, "")                                                                        \
  X(C_CRITICAL_SBLOCK, "!$omp critical sblock", CRITICAL_SBLOCK, "")                                                   \
  X(C_ORDERED, "!$omp ordered", ORDERED, "")                                                                           \
  X(C_ORDERED_SBLOCK, "!$omp ordered sblock", ORDERED_SBLOCK, "")                                                      \
  X(C_ATOMIC, "!$omp atomic", ATOMIC, "")                                                                              \
  X(C_SET_LOCK, "omp_set_lock", WRAPPER, "")                                                                           \
  X(C_TEST_LOCK, "omp_test_lock", WRAPPER, "")                                                                         \
  X(C_SET_NEST_LOCK, "omp_set_nest_lock", WRAPPER, "")                                                                 \
  X(C_TEST_NEST_LOCK, "omp_test_nest_lock", WRAPPER, "")                                                               \
  X(C_TASK, "!$omp task", TASK, "")                                                                                    \
  X(C_TASK_UNTIED, "!$omp task", TASK_UNTIED, "")                                                                      \
  X(C_CANCEL, "!$omp cancel", FUNCTION, "")                                                                            \
  X(C_FLUSH, "!$omp flush", FLUSH, "")                                                                                 \
  X(C_ERROR, "!$omp error", FUNCTION, "")                                                                              \
  X(C_CONTROL_TOOL, "omp_control_tool", FUNCTION, "")                                                                  \
  X(C_DOACROSS_SINK, "!$omp ordered depend(sink)", ORDERED, "")                                                        \
  X(C_DOACROSS_SOURCE, "!$omp ordered depend(source)", ORDERED, "")                                                    \
  X(C_TRACEFLUSH, "TRACEFLUSH", FUNCTION, "")                                                                          \
  X(C_SKIPPED, "skipped", ARTIFICIAL, "")                                                                              \
  X(C_SKIPPED_INSTANCES, "skipped instances", FUNCTION, "")                                                            \
  X(C_USER_REGION, "unnamed", CODE, "")                                                                                \
  X(C_USER_PHASE, "unnamed", CODE, "")                                                                                 \
  X(C_USER_EVENT, "unnamed", CODE, "kind: event")                                                                      \
  X(C_THREAD_START, "thread start", THREAD_CREATE, "state: init")                                                      \
  X(C_MONITOR_ENTER, "monitor enter", CRITICAL, "state: blocked in mutex")                                             \
  X(C_MONITOR_OWNER, "monitor owner", FUNCTION, "")                                                                    \
  X(C_MONITOR_HELD, "monitor held", FUNCTION, "")                                                                      \
  X(C_JAVA_LOCK, "lock", CRITICAL, "state: blocked in mutex")                                                          \
  X(C_OBJECT_WAIT, "Object.wait", THREAD_WAIT, "state: blocked in condvar")                                            \
  X(C_PARK, "park", THREAD_WAIT, "state: blocked in condvar")                                                          \
  X(C_SLEEP, "Thread.sleep", THREAD_WAIT, "state: blocked in condvar")                                                 \
  X(C_JOIN, "Thread.join", THREAD_WAIT, "state: blocked in condvar")                                                   \
  X(C_IDLE, "idle", THREAD_WAIT, "state: idle")                                                                        \
  X(C_YIELD, "Thread.yield", FUNCTION, "state: spin")                                                                  \
  X(C_GC, "garbage collection", ARTIFICIAL, "state: gc")                                                               \
  X(C_VIRTUAL_THREAD, "virtual thread", FUNCTION, "")                                                                  \
  X(C_NOTIFY, "notify", FUNCTION, "")                                                                                  \
  X(C_NOTIFY_ALL, "notifyAll", FUNCTION, "")                                                                           \
  X(C_INTERRUPT, "interrupt", FUNCTION, "")                                                                            \
  X(C_UNPARK, "unpark", FUNCTION, "")                                                                                  \
  X(C_START_THREAD, "Thread.start", FUNCTION, "")

enum construct {
#define X(constant, name, role, description) constant,
  CONSTRUCTS(X)
#undef X
      CONSTRUCT_COUNT
};

struct construct_facts {
  const char *name;
  const char *description;
  OTF2_RegionRole role;
};

extern const struct construct_facts construct_facts[CONSTRUCT_COUNT];

/* Whether a construct is Java's own; what its runtimes for parallel regions do has OpenMP's constructs. */
static inline bool construct_is_java(enum construct construct)
{
  return construct >= C_THREAD_START;
}

/* Whether a construct is the measurement's. */
static inline bool construct_is_tool(enum construct construct)
{
  return construct >= C_TRACEFLUSH && construct <= C_SKIPPED_INSTANCES;
}

/* Whether a construct is one of the program's own, whose name the program gives. */
static inline bool construct_is_user(enum construct construct)
{
  return construct >= C_USER_REGION && construct <= C_USER_EVENT;
}

/* The construct that an OMPT number means (ompt_work_t, ompt_sync_region_t, ompt_mutex_t); an unknown number has one,
 * too. */
enum construct construct_of_work(unsigned work);
enum construct construct_of_sync(unsigned sync);
enum construct construct_of_sync_wait(unsigned sync);
enum construct construct_of_mutex(unsigned mutex);

/* What a Java thread does that is parked with a blocker of that class. */
enum construct construct_of_blocker(const char *class_name);

#endif
