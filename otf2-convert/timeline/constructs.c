#include "otf2-convert/timeline/constructs.h"

#include "base/count_of.h"
#include "otf2-convert/timeline/record_details.h"

#include <string.h>

const struct construct_facts construct_facts[CONSTRUCT_COUNT] = {
#define CONSTRUCTS_X(constant, name, role, description) [C_##constant] = {name, description, OTF2_REGION_ROLE_##role},
    REGIONS(CONSTRUCTS_X)
#undef CONSTRUCTS_X
};

enum construct construct_of_work(unsigned work)
{
  switch (work) {
  case WORK_SECTIONS:
    return C_SECTIONS;
  case WORK_SINGLE_EXECUTOR:
  case WORK_SINGLE_OTHER:
    return C_SINGLE;
  case WORK_WORKSHARE:
    return C_WORKSHARE;
  case WORK_SCOPE:
    return C_SCOPE;
  case WORK_DISTRIBUTE:
    return C_DISTRIBUTE;
  case WORK_TASKLOOP:
    return C_TASKLOOP;
  case WORK_LOOP_STATIC:
    return C_LOOP_STATIC;
  case WORK_LOOP_DYNAMIC:
    return C_LOOP_DYNAMIC;
  case WORK_LOOP_GUIDED:
    return C_LOOP_GUIDED;
  case WORK_LOOP_OTHER:
    return C_LOOP_OTHER;
  default:
    return C_LOOP;
  }
}

enum construct construct_of_sync(unsigned sync)
{
  switch (sync) {
  case SYNC_BARRIER:
  case SYNC_BARRIER_EXPLICIT:
    return C_BARRIER;
  case SYNC_TASKWAIT:
    return C_TASKWAIT;
  case SYNC_TASKGROUP:
    return C_TASKGROUP;
  case SYNC_REDUCTION:
    return C_REDUCTION;
  default:
    return C_IMPLICIT_BARRIER;
  }
}

enum construct construct_of_sync_wait(unsigned sync)
{
  switch (construct_of_sync(sync)) {
  case C_BARRIER:
    return C_BARRIER_WAIT;
  case C_TASKWAIT:
    return C_TASKWAIT_WAIT;
  case C_TASKGROUP:
    return C_TASKGROUP_WAIT;
  case C_REDUCTION:
    return C_REDUCTION_WAIT;
  default:
    return C_IMPLICIT_BARRIER_WAIT;
  }
}

enum construct construct_of_mutex(unsigned mutex)
{
  switch (mutex) {
  case MUTEX_TEST_LOCK:
    return C_TEST_LOCK;
  case MUTEX_NEST_LOCK:
    return C_SET_NEST_LOCK;
  case MUTEX_TEST_NEST_LOCK:
    return C_TEST_NEST_LOCK;
  case MUTEX_CRITICAL:
    return C_CRITICAL;
  case MUTEX_ATOMIC:
    return C_ATOMIC;
  case MUTEX_ORDERED:
    return C_ORDERED;
  default:
    return C_SET_LOCK;
  }
}

enum construct construct_of_blocker(const char *class_name)
{
  static const struct {
    const char *prefix;
    enum construct construct;
  } rows[] = {{"java.util.concurrent.locks.ReentrantLock$", C_JAVA_LOCK},
              {"java.util.concurrent.Semaphore$", C_JAVA_LOCK},
              {"java.util.concurrent.locks.ReentrantReadWriteLock$", C_JAVA_LOCK},
              {"java.util.concurrent.locks.StampedLock", C_JAVA_LOCK},
              {"java.util.concurrent.ConcurrentHashMap$TreeBin", C_JAVA_LOCK},
              {"java.util.concurrent.ForkJoinPool", C_IDLE}};
  for (size_t i = 0; i < COUNT_OF(rows); i++)
    if (strncmp(class_name, rows[i].prefix, strlen(rows[i].prefix)) == 0)
      return rows[i].construct;
  return C_PARK;
}

OTF2_Paradigm construct_paradigm(enum construct construct)
{
  if (construct_is_tool(construct))
    return OTF2_PARADIGM_MEASUREMENT_SYSTEM;
  if (construct_is_java(construct) || construct_is_pthread(construct))
    return OTF2_PARADIGM_PTHREAD;
  if (construct_is_user(construct))
    return OTF2_PARADIGM_USER;
  return construct == C_CALL ? OTF2_PARADIGM_COMPILER : OTF2_PARADIGM_OPENMP;
}
