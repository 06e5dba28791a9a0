#include "jvmti-agent/virtual_waits.h"

#include "common/recorder/clock.h"

#include <stddef.h>
#include <stdlib.h>

#define PART 1024u /* waits: only parts of the table that were ever used are looked at */

enum wait_state {
  WAIT_FREE,
  WAIT_CHANGES, /* whoever set it has the wait for itself */
  WAIT_GOES_ON,
  WAIT_HELD, /* it goes on, and the watch looks at it */
  WAIT_LEFT, /* it has ended meanwhile */
  WAIT_OVER  /* the thread does not wait; it is kept for its next wait */
};

static struct virtual_wait
    *virtual_waits_table; /* VIRTUAL_WAITS_MOST, by id; memory appears as it is used. Set before `opened` */
static atomic_bool virtual_waits_used[VIRTUAL_WAITS_MOST / PART];
static atomic_bool virtual_waits_opened, virtual_waits_any; /* any: a thread has waited */

void virtual_waits_open(void)
{
  if (!virtual_waits_table)
    virtual_waits_table = calloc(VIRTUAL_WAITS_MOST, sizeof *virtual_waits_table);
  atomic_store(&virtual_waits_opened, virtual_waits_table != NULL);
}

static bool virtual_waits_take(struct virtual_wait *wait, unsigned from, unsigned to)
{
  return atomic_compare_exchange_strong_explicit(&wait->state, &from, to, memory_order_acquire, memory_order_relaxed);
}

static void virtual_waits_put(struct virtual_wait *wait, unsigned state)
{
  atomic_store_explicit(&wait->state, state, memory_order_release);
}

/* The watch still looks at the thread's wait before: it is told that there is a further one. */
static bool begin_while_held(struct virtual_wait *wait, uint64_t id, bool monitor, uint64_t object)
{
  if (atomic_load_explicit(&wait->state, memory_order_relaxed) != WAIT_LEFT ||
      atomic_load_explicit(&wait->id, memory_order_relaxed) != id)
    return false;
  atomic_store_explicit(&wait->monitor, monitor, memory_order_relaxed);
  atomic_store_explicit(&wait->object, object, memory_order_relaxed);
  atomic_store_explicit(&wait->begin, clock_ticks(), memory_order_release);
  return virtual_waits_take(wait, WAIT_LEFT, WAIT_HELD);
}

/* A wait of another thread's that goes on keeps its place. */
static bool take_place(struct virtual_wait *wait, uint64_t id)
{
  unsigned state = atomic_load_explicit(&wait->state, memory_order_relaxed);
  bool again = state == WAIT_GOES_ON && atomic_load_explicit(&wait->id, memory_order_relaxed) == id;
  return (again || state == WAIT_FREE || state == WAIT_OVER) && virtual_waits_take(wait, state, WAIT_CHANGES);
}

void virtual_wait_begins(JNIEnv *jni, jthread thread, uint64_t id, bool monitor, uint64_t object)
{
  if (!atomic_load_explicit(&virtual_waits_opened, memory_order_acquire))
    return;
  struct virtual_wait *wait = &virtual_waits_table[id % VIRTUAL_WAITS_MOST];
  if (begin_while_held(wait, id, monitor, object) || !take_place(wait, id))
    return;
  if (!wait->thread || atomic_load_explicit(&wait->id, memory_order_relaxed) != id) {
    if (wait->thread)
      (*jni)->DeleteWeakGlobalRef(jni, wait->thread);
    wait->thread = (*jni)->NewWeakGlobalRef(jni, thread);
    if (!wait->thread) {
      (*jni)->ExceptionClear(jni);
      virtual_waits_put(wait, WAIT_FREE);
      return;
    }
    atomic_store_explicit(&wait->id, id, memory_order_relaxed);
    atomic_store_explicit(&virtual_waits_used[id % VIRTUAL_WAITS_MOST / PART], true, memory_order_relaxed);
    atomic_store_explicit(&virtual_waits_any, true, memory_order_release);
  }
  atomic_store_explicit(&wait->idle, false, memory_order_relaxed);
  atomic_store_explicit(&wait->monitor, monitor, memory_order_relaxed);
  atomic_store_explicit(&wait->object, object, memory_order_relaxed);
  atomic_store_explicit(&wait->begin, clock_ticks(), memory_order_relaxed);
  virtual_waits_put(wait, WAIT_GOES_ON);
}

void virtual_wait_ends(uint64_t id, bool monitor)
{
  if (!atomic_load_explicit(&virtual_waits_any, memory_order_acquire))
    return;
  struct virtual_wait *wait = &virtual_waits_table[id % VIRTUAL_WAITS_MOST];
  if (atomic_load_explicit(&wait->id, memory_order_relaxed) != id ||
      atomic_load_explicit(&wait->monitor, memory_order_relaxed) != monitor)
    return;
  while (!virtual_waits_take(wait, WAIT_GOES_ON, WAIT_OVER)) {
    if (atomic_load_explicit(&wait->state, memory_order_relaxed) == WAIT_GOES_ON)
      continue; /* the watch has just let go of it */
    if (atomic_load_explicit(&wait->state, memory_order_relaxed) != WAIT_HELD ||
        virtual_waits_take(wait, WAIT_HELD, WAIT_LEFT))
      return;
  }
}

static void let_go(struct virtual_wait *wait)
{
  if (!virtual_waits_take(wait, WAIT_HELD, WAIT_GOES_ON))
    virtual_waits_put(wait, WAIT_OVER);
}

/* Of a thread that has not waited since the last look: it may be gone. */
static void virtual_waits_forget(JNIEnv *jni, struct virtual_wait *wait)
{
  if (!atomic_exchange_explicit(&wait->idle, true, memory_order_relaxed) ||
      !virtual_waits_take(wait, WAIT_OVER, WAIT_CHANGES))
    return;
  if (atomic_load_explicit(&wait->idle, memory_order_relaxed)) {
    (*jni)->DeleteWeakGlobalRef(jni, wait->thread);
    wait->thread = NULL;
    virtual_waits_put(wait, WAIT_FREE);
  } else {
    virtual_waits_put(wait, WAIT_OVER);
  }
}

void virtual_waits_each(JNIEnv *jni, uint64_t lasts, virtual_wait_look *look, void *context)
{
  uint64_t now = clock_ticks();
  bool goes_on = atomic_load(&virtual_waits_any);
  for (size_t i = 0; i < VIRTUAL_WAITS_MOST && goes_on; i++) {
    struct virtual_wait *wait = &virtual_waits_table[i];
    if (!atomic_load_explicit(&virtual_waits_used[i / PART], memory_order_relaxed)) {
      i += PART - 1;
      continue;
    }
    unsigned state = atomic_load_explicit(&wait->state, memory_order_relaxed);
    if (state == WAIT_OVER)
      virtual_waits_forget(jni, wait);
    if (state != WAIT_GOES_ON || now < atomic_load_explicit(&wait->begin, memory_order_relaxed) + lasts ||
        !virtual_waits_take(wait, WAIT_GOES_ON, WAIT_HELD))
      continue;
    goes_on = look(context, jni, wait);
    let_go(wait);
  }
}

struct virtual_wait *virtual_wait_of(uint64_t id)
{
  if (!atomic_load_explicit(&virtual_waits_any, memory_order_acquire))
    return NULL;
  struct virtual_wait *wait = &virtual_waits_table[id % VIRTUAL_WAITS_MOST];
  unsigned state = atomic_load_explicit(&wait->state, memory_order_acquire);
  bool waits_now = state == WAIT_GOES_ON || state == WAIT_HELD;
  return waits_now && atomic_load_explicit(&wait->id, memory_order_relaxed) == id ? wait : NULL;
}

bool virtual_wait_goes_on(const struct virtual_wait *wait, uint64_t begin)
{
  unsigned state = atomic_load_explicit(&wait->state, memory_order_acquire);
  return (state == WAIT_GOES_ON || state == WAIT_HELD) &&
         atomic_load_explicit(&wait->begin, memory_order_relaxed) == begin;
}
