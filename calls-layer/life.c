#include "calls-layer/life.h"

#include "calls-layer/memory.h"
#include "calls-layer/tree.h"
#include "common/process/reserved.h"
#include "common/recorder/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST       65536u
#define AT_ONCE    32u /* slots that become usable together: whole pages */
#define FIRST_BITS 7u  /* of the table */

/* Of a slot. */
enum { FREE, BEGINNING, TAKEN, LOOKED_AT, ENDING };

/* In a child all of it is zero. */
static struct {
  atomic_uint usable, used;
  struct calls_thread list[MOST];
} *threads;

extern void *__libc_stack_end; /* of the first thread */

bool life_prepare(void)
{
  threads = reserved_make(sizeof *threads);
  if (!threads || !reserved_use(threads, sizeof(struct calls_thread)))
    return false;
  madvise(threads, sizeof *threads, MADV_WIPEONFORK);
  return true;
}

static bool make_usable(unsigned from)
{
  if (from >= MOST || !reserved_use(&threads->list[from], AT_ONCE * sizeof *threads->list))
    return false;
  unsigned to = from + AT_ONCE;
  while (from < to && !atomic_compare_exchange_weak(&threads->usable, &from, to))
    ;
  return true;
}

/* A slot of nobody's; NULL: there is none. */
static struct calls_thread *take(void)
{
  for (unsigned i = 0; i < atomic_load(&threads->usable) || make_usable(i); i++) {
    struct calls_thread *thread = &threads->list[i];
    unsigned nobody = FREE, used = atomic_load(&threads->used);
    if (atomic_load_explicit(&thread->taken, memory_order_relaxed) != FREE ||
        !atomic_compare_exchange_strong(&thread->taken, &nobody, BEGINNING))
      continue;
    while (used <= i && !atomic_compare_exchange_weak(&threads->used, &used, i + 1))
      ;
    return thread;
  }
  return NULL;
}

static void give_back(struct calls_thread *thread)
{
  memory_let_go(thread);
  memset(thread, 0, offsetof(struct calls_thread, taken));
  atomic_store(&thread->taken, FREE);
}

/* Of a slot that is all zero. False: there is no memory. */
static bool fill(struct calls_thread *thread, uint32_t number)
{
  thread->stack_end = getpid() == gettid() ? (uintptr_t)__libc_stack_end : (uintptr_t)pthread_self();
  if (!memory_set_table(thread, FIRST_BITS) || !memory_add_segment(thread, number, RAW_CALLS_UNIT))
    return false;
  tree_begin(thread);
  return true;
}

struct calls_thread *life_begin(void)
{
  uint32_t number;
  int kept = errno;
  thread_self = &thread_over; /* until it is known: what is called in here is not the program's */
  if (!thread_recorder->thread(&number))
    return NULL;
  struct calls_thread *thread = take();
  if (thread && !fill(thread, number)) {
    give_back(thread);
    thread = NULL;
  }
  if (thread) {
    atomic_store(&thread->taken, TAKEN);
    thread_self = thread;
  }
  errno = kept;
  return thread;
}

void life_end(void)
{
  struct calls_thread *thread = thread_self;
  thread_self = &thread_over;
  atomic_signal_fence(memory_order_seq_cst);
  if (!thread->head) /* there was none, or it is the parent's */
    return;
  thread->head->ended = clock_ticks();
  unsigned taken = TAKEN;
  if (atomic_compare_exchange_strong(&thread->taken, &taken, ENDING)) /* else the process ends, and looks at it */
    give_back(thread);
}

void life_end_all(void)
{
  unsigned used = atomic_load(&threads->used);
  for (unsigned i = 0; i < used; i++) {
    struct calls_thread *thread = &threads->list[i];
    unsigned taken = TAKEN;
    if (!atomic_compare_exchange_strong(&thread->taken, &taken, LOOKED_AT))
      continue;
    if (thread->head)
      thread->head->ended = clock_ticks();
    atomic_store(&thread->taken, TAKEN);
  }
}
