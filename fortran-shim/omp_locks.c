/*
 * The lock functions, from C and from Fortran. Both pass the address of the lock variable; in Fortran a nested lock's
 * variable holds a pointer to the lock, but its own address names it as well.
 */
#include "fortran-shim/provider.h"
#include "fortran-shim/unreported.h"

#define ID ((ompt_wait_id_t)(uintptr_t)lock)

#define INIT(name, kind)                                                                                               \
  void name(void *lock)                                                                                                \
  {                                                                                                                    \
    bool on = provider_is_on();                                                                                        \
    gomp.name(lock);                                                                                                   \
    if (on && current_task())                                                                                          \
      REPORT(lock_init, kind, 0, MUTEX_IMPLEMENTATION, ID, CALLER);                                                    \
  }

#define DESTROY(name, kind)                                                                                            \
  void name(void *lock)                                                                                                \
  {                                                                                                                    \
    if (provider_is_on() && current_task())                                                                            \
      REPORT(lock_destroy, kind, ID, CALLER);                                                                          \
    gomp.name(lock);                                                                                                   \
  }

static int begin_waiting(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
  (void)current_task();
  int before = self.state;
  REPORT(mutex_acquire, kind, 0, MUTEX_IMPLEMENTATION, id, code);
  self.wait = id;
  self.state = ompt_state_wait_lock;
  return before;
}

/*
 * What need not be reported is short; what is has functions of its own, name##_reported. One that has to wait is
 * reported in any case.
 */
#define REPORTED(name) static __attribute__((noinline)) void name##_reported(void *lock, const void *code)
#define REFUSED(name)                                                                                                  \
  static __attribute__((noinline)) void name##_refused(void *lock, const void *code)                                   \
  {                                                                                                                    \
    unreported_take_back(code);                                                                                        \
    name##_reported(lock, code);                                                                                       \
  }

/* The routines themselves, which take and release locks of both kinds. */
#define TAKES(name, test)                                                                                              \
  void name(void *lock)                                                                                                \
  {                                                                                                                    \
    if (!provider_is_on()) {                                                                                           \
      gomp.name(lock);                                                                                                 \
      return;                                                                                                          \
    }                                                                                                                  \
    if (!unreported_take(CALLER, (uintptr_t)lock))                                                                     \
      name##_reported(lock, CALLER);                                                                                   \
    else if (__builtin_expect(!gomp.test(lock), 0))                                                                    \
      name##_refused(lock, CALLER);                                                                                    \
  }

#define RELEASES(name)                                                                                                 \
  void name(void *lock)                                                                                                \
  {                                                                                                                    \
    if (!provider_is_on() || unreported_release((uintptr_t)lock))                                                      \
      gomp.name(lock);                                                                                                 \
    else                                                                                                               \
      name##_reported(lock, CALLER);                                                                                   \
  }

#define SET(name, test)                                                                                                \
  REPORTED(name)                                                                                                       \
  {                                                                                                                    \
    int before = begin_waiting(ompt_mutex_lock, ID, code);                                                             \
    gomp.name(lock);                                                                                                   \
    self.state = before;                                                                                               \
    REPORT(mutex_acquired, ompt_mutex_lock, ID, code);                                                                 \
  }                                                                                                                    \
  REFUSED(name)                                                                                                        \
  TAKES(name, test)

#define UNSET(name)                                                                                                    \
  REPORTED(name)                                                                                                       \
  {                                                                                                                    \
    (void)current_task();                                                                                              \
    gomp.name(lock);                                                                                                   \
    REPORT(mutex_released, ompt_mutex_lock, ID, code);                                                                 \
  }                                                                                                                    \
  RELEASES(name)

#define TEST(name)                                                                                                     \
  int name(void *lock)                                                                                                 \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.name(lock);                                                                                          \
    if (unreported_take(CALLER, (uintptr_t)lock)) {                                                                    \
      if (gomp.name(lock))                                                                                             \
        return 1;                                                                                                      \
      unreported_take_back(CALLER);                                                                                    \
    }                                                                                                                  \
    int before = begin_waiting(ompt_mutex_test_lock, ID, CALLER);                                                      \
    int got = gomp.name(lock);                                                                                         \
    self.state = before;                                                                                               \
    if (got)                                                                                                           \
      REPORT(mutex_acquired, ompt_mutex_test_lock, ID, CALLER);                                                        \
    return got;                                                                                                        \
  }

/*
 * Nested locks: how deep is the thread in it? Set does not say, but a test right after it does, in the owner's hands:
 * it gives the depth. So after a set that got the lock: test, unset, depth - 1.
 */
static int depth_in(void *lock, int (*test)(void *), void (*unset)(void *))
{
  int depth = test(lock);
  unset(lock);
  return depth - 1;
}

/* Whether the thread has the lock already, its acquisition was not reported, and so this one need not be. */
static bool take_again(void *lock, int (*test)(void *))
{
  if (unreported.held_count == 0 || unreported.held_count == UNREPORTED_HELD || !unreported_holds((uintptr_t)lock) ||
      test(lock) == 0)
    return false;
  unreported.held[unreported.held_count++] = (uintptr_t)lock;
  return true;
}

static void report_got(int depth, ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
  if (depth == 1)
    REPORT(mutex_acquired, kind, id, code);
  else if (depth > 1)
    REPORT(nest_lock, ompt_scope_begin, id, code);
}

#define NEST_SET(name, test, unset)                                                                                    \
  REPORTED(name)                                                                                                       \
  {                                                                                                                    \
    if (take_again(lock, gomp.test))                                                                                   \
      return;                                                                                                          \
    int before = begin_waiting(ompt_mutex_nest_lock, ID, code);                                                        \
    gomp.name(lock);                                                                                                   \
    self.state = before;                                                                                               \
    report_got(depth_in(lock, gomp.test, gomp.unset), ompt_mutex_nest_lock, ID, code);                                 \
  }                                                                                                                    \
  REFUSED(name)                                                                                                        \
  TAKES(name, test)

#define NEST_UNSET(name, test)                                                                                         \
  REPORTED(name)                                                                                                       \
  {                                                                                                                    \
    (void)current_task();                                                                                              \
    int depth = depth_in(lock, gomp.test, gomp.name);                                                                  \
    gomp.name(lock);                                                                                                   \
    if (depth > 1)                                                                                                     \
      REPORT(nest_lock, ompt_scope_end, ID, code);                                                                     \
    else                                                                                                               \
      REPORT(mutex_released, ompt_mutex_nest_lock, ID, code);                                                          \
  }                                                                                                                    \
  RELEASES(name)

#define NEST_TEST(name)                                                                                                \
  int name(void *lock)                                                                                                 \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.name(lock);                                                                                          \
    int before = begin_waiting(ompt_mutex_test_nest_lock, ID, CALLER);                                                 \
    int depth = gomp.name(lock);                                                                                       \
    self.state = before;                                                                                               \
    report_got(depth, ompt_mutex_test_nest_lock, ID, CALLER);                                                          \
    return depth;                                                                                                      \
  }

INIT(omp_init_lock, ompt_mutex_lock)
INIT(omp_init_lock_, ompt_mutex_lock)
INIT(omp_init_nest_lock, ompt_mutex_nest_lock)
INIT(omp_init_nest_lock_, ompt_mutex_nest_lock)
DESTROY(omp_destroy_lock, ompt_mutex_lock)
DESTROY(omp_destroy_lock_, ompt_mutex_lock)
DESTROY(omp_destroy_nest_lock, ompt_mutex_nest_lock)
DESTROY(omp_destroy_nest_lock_, ompt_mutex_nest_lock)
SET(omp_set_lock, omp_test_lock)
SET(omp_set_lock_, omp_test_lock_)
UNSET(omp_unset_lock)
UNSET(omp_unset_lock_)
TEST(omp_test_lock)
TEST(omp_test_lock_)
NEST_SET(omp_set_nest_lock, omp_test_nest_lock, omp_unset_nest_lock)
NEST_SET(omp_set_nest_lock_, omp_test_nest_lock_, omp_unset_nest_lock_)
NEST_UNSET(omp_unset_nest_lock, omp_test_nest_lock)
NEST_UNSET(omp_unset_nest_lock_, omp_test_nest_lock_)
NEST_TEST(omp_test_nest_lock)
NEST_TEST(omp_test_nest_lock_)
