#include "analyzer/analyses/locks/lock.h"

const char *lock_kind_name(enum lock_kind kind)
{
  static const char *const names[LOCK_KINDS] = {
      [LOCK_CRITICAL] = "critical",   [LOCK_ORDERED] = "ordered",       [LOCK_ATOMIC] = "atomic",
      [LOCK_ROUTINE] = "lock",        [LOCK_MONITOR] = "monitor",       [LOCK_JAVA] = "Java lock",
      [LOCK_PTHREAD_MUTEX] = "mutex", [LOCK_PTHREAD_RWLOCK] = "rwlock", [LOCK_PTHREAD_SPIN] = "spin lock"};
  return names[kind];
}
