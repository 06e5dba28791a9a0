#include "calls-layer/thread.h"

#include "calls-layer/tree.h"
#include "common/clock.h"
#include "common/reserved.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST       65536u
#define AT_ONCE    32u /* slots that become usable together: whole pages */
#define FIRST_BITS 7u  /* of the table */

/* Of a slot. */
enum { FREE, BEGINNING, TAKEN, LOOKED_AT, ENDING };

struct calls_thread thread_new, thread_over;
__thread struct calls_thread *thread_self = &thread_new;
const struct heddle_calls_recorder *thread_recorder;
uint32_t thread_depth = UINT32_MAX;

/* In a child all of it is zero. */
static struct {
  atomic_uint usable, used;
  struct calls_thread list[MOST];
} *threads;

extern void *__libc_stack_end; /* of the first thread */

bool thread_prepare(void)
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

static struct raw_calls_node **make_table(unsigned bits)
{
  void *map =
      mmap(NULL, sizeof(void *) << bits, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (map == MAP_FAILED)
    return NULL;
  madvise(map, sizeof(void *) << bits, MADV_DONTFORK);
  return map;
}

static bool add_segment(struct calls_thread *thread, uint32_t number, size_t size)
{
  struct raw_calls_segment *segment = thread_recorder->map(size);
  if (!segment)
    return false;
  segment->version = RAW_CALLS_VERSION;
  segment->size = (uint32_t)size;
  segment->thread = number;
  segment->first = thread->nodes;
  segment->before = (uintptr_t)thread->segment;
  thread->segment = segment;
  if (!thread->head) {
    thread->head = segment;
    segment->begun = clock_ticks();
    segment->most = thread_depth == UINT32_MAX ? 0 : thread_depth;
  }
  __atomic_store_n(&segment->magic, RAW_CALLS_MAGIC, __ATOMIC_RELEASE);
  return true;
}

static bool make_room(struct calls_thread *thread)
{
  size_t size = 2 * (size_t)thread->segment->size;
  size = size < RAW_CALLS_LARGEST ? size : RAW_CALLS_LARGEST;
  uint32_t more = (uint32_t)((size - sizeof(struct raw_calls_segment)) / sizeof(struct raw_calls_node));
  if (thread->nodes + more > RAW_CALLS_MOST)
    return false;
  if (2 * (thread->nodes + more) > 1u << thread->table_bits) {
    unsigned bits = thread->table_bits;
    while (2 * (thread->nodes + more) > 1u << bits)
      bits++;
    struct raw_calls_node **table = make_table(bits), **before = thread->table;
    if (!table)
      return false;
    size_t before_size = sizeof(void *) << thread->table_bits;
    thread->table = table;
    thread->table_bits = bits;
    tree_fill_table(thread);
    munmap(before, before_size);
  }
  return add_segment(thread, thread->head->thread, size);
}

bool thread_grow(struct calls_thread *thread)
{
  int kept = errno;
  bool good = make_room(thread);
  thread->no_more = !good;
  errno = kept;
  return good;
}

static void let_go(struct calls_thread *thread)
{
  for (struct raw_calls_segment *segment = thread->segment, *before; segment; segment = before) {
    before = (struct raw_calls_segment *)segment->before;
    munmap(segment, segment->size);
  }
  if (thread->table)
    munmap(thread->table, sizeof(void *) << thread->table_bits);
  *thread = (struct calls_thread){.taken = ENDING};
  atomic_store(&thread->taken, FREE);
}

/* Of a slot that is all zero. False: there is no memory. */
static bool fill(struct calls_thread *thread, uint32_t number)
{
  thread->table = make_table(thread->table_bits = FIRST_BITS);
  thread->stack_end = getpid() == gettid() ? (uintptr_t)__libc_stack_end : (uintptr_t)pthread_self();
  if (!thread->table || !add_segment(thread, number, RAW_CALLS_UNIT))
    return false;
  tree_begin(thread);
  return true;
}

struct calls_thread *thread_begin(void)
{
  uint32_t number;
  int kept = errno;
  thread_self = &thread_over; /* until it is known: what is called in here is not the program's */
  if (!thread_recorder->thread(&number))
    return NULL;
  struct calls_thread *thread = take();
  if (thread && !fill(thread, number)) {
    let_go(thread);
    thread = NULL;
  }
  if (thread) {
    atomic_store(&thread->taken, TAKEN);
    thread_self = thread;
  }
  errno = kept;
  return thread;
}

void thread_end(void)
{
  struct calls_thread *thread = thread_self;
  thread_self = &thread_over;
  atomic_signal_fence(memory_order_seq_cst);
  if (!thread->head) /* there was none, or it is the parent's */
    return;
  thread->head->ended = clock_ticks();
  unsigned taken = TAKEN;
  if (atomic_compare_exchange_strong(&thread->taken, &taken, ENDING)) /* else the process ends, and looks at it */
    let_go(thread);
}

void thread_end_all(void)
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
