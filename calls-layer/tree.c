#include "calls-layer/tree.h"

#include "common/budget/mix.h"
#include "common/process/reserved.h"
#include "common/recorder/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct calls_thread thread_new, thread_over;
__thread struct calls_thread *thread_self = &thread_new;
const struct heddle_calls_recorder *thread_recorder;
bool thread_traces;
uint32_t thread_depth = UINT32_MAX;

/* Adds a segment of `size` bytes to the tree of the thread with this number. errno may change. */
static bool memory_add_segment(struct calls_thread *thread, uint32_t number, size_t size)
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

static void drop_table(struct raw_calls_node **table, unsigned bits)
{
  if (table)
    munmap(table, sizeof *table << bits);
}

/* Sets an empty table of 1 << bits places, and unmaps the one before. errno may change. */
static bool memory_set_table(struct calls_thread *thread, unsigned bits)
{
  size_t size = sizeof *thread->table << bits;
  void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (map == MAP_FAILED)
    return false;
  madvise(map, size, MADV_DONTFORK);
  drop_table(thread->table, thread->table_bits);
  thread->table = map;
  thread->table_bits = bits;
  return true;
}

/* Unmaps the tree. */
static void memory_let_go(struct calls_thread *thread)
{
  for (struct raw_calls_segment *segment = thread->segment, *before; segment; segment = before) {
    before = (struct raw_calls_segment *)segment->before;
    munmap(segment, segment->size);
  }
  drop_table(thread->table, thread->table_bits);
}

/* So far up a function is looked for that calls itself, directly or not. */
#define ANCESTORS 256u

static struct raw_calls_node none; /* the last child of a node without children */

static uint32_t place_of(const struct calls_thread *thread, const struct raw_calls_node *parent, uintptr_t function,
                         uintptr_t site)
{
  uint64_t key = ((uint64_t)(uintptr_t)parent ^ function << 21 ^ (uint64_t)site << 42) + function;
  return (uint32_t)(mix_upper(key) >> (64 - thread->table_bits));
}

/* The place of a child in the table, or the free place for it. site 0: the place for all sites. */
static struct raw_calls_node **look_up(const struct calls_thread *thread, const struct raw_calls_node *parent,
                                       uintptr_t function, uintptr_t site)
{
  uint32_t mask = (1u << thread->table_bits) - 1, place = place_of(thread, parent, function, site);
  for (;; place = (place + 1) & mask) {
    struct raw_calls_node **entry = &thread->table[place], *node = *entry;
    if (!node)
      return entry;
    bool any = node->depth_and_flags & RAW_CALLS_ANY_SITE;
    if (node->function == function && tree_parent(node) == parent && (any ? site == 0 : node->site == site))
      return entry;
  }
}

static bool is_recursive(const struct raw_calls_node *caller, uintptr_t function)
{
  for (unsigned i = 0; i < ANCESTORS && caller->function != 0; i++, caller = tree_parent(caller))
    if (caller->function == function)
      return true;
  return false;
}

static void fill_table(const struct calls_thread *thread)
{
  for (struct raw_calls_segment *segment = thread->segment; segment;
       segment = (struct raw_calls_segment *)segment->before)
    for (uint32_t i = 0; i < segment->used; i++) {
      struct raw_calls_node *node = (struct raw_calls_node *)(segment + 1) + i;
      if (node->function != 0)
        *look_up(thread, tree_parent(node), node->function,
                 node->depth_and_flags & RAW_CALLS_ANY_SITE ? 0 : node->site) = node;
    }
}

/* Room for as many nodes as there are, or more. */
static bool make_room(struct calls_thread *thread)
{
  size_t size = 2 * (size_t)thread->segment->size;
  size = size < RAW_CALLS_LARGEST ? size : RAW_CALLS_LARGEST;
  uint32_t nodes =
      thread->nodes + (uint32_t)((size - sizeof(struct raw_calls_segment)) / sizeof(struct raw_calls_node));
  unsigned bits = thread->table_bits;
  while (2 * nodes > 1u << bits) /* at most half of the places are taken */
    bits++;
  if (nodes > RAW_CALLS_MOST)
    return false;
  if (bits != thread->table_bits) {
    if (!memory_set_table(thread, bits))
      return false;
    fill_table(thread);
  }
  return memory_add_segment(thread, thread->head->thread, size);
}

static bool grow(struct calls_thread *thread)
{
  int kept = errno;
  thread->no_more = !make_room(thread);
  errno = kept;
  return !thread->no_more;
}

/* The next node of the tree, which is not counted yet. NULL: there is no room. */
static struct raw_calls_node *next_node(struct calls_thread *thread)
{
  const struct raw_calls_segment *segment = thread->segment;
  uint64_t room = (segment->size - sizeof *segment) / sizeof(struct raw_calls_node);
  if (segment->used == room) {
    if (!grow(thread))
      return NULL;
    segment = thread->segment;
  }
  return (struct raw_calls_node *)(thread->segment + 1) + segment->used;
}

static void add(struct calls_thread *thread, struct raw_calls_node *node)
{
  node->number = thread->nodes++;
  node->shortest = UINT64_MAX;
  node->last = (uintptr_t)&none;
  __atomic_store_n(&thread->segment->used, thread->segment->used + 1, __ATOMIC_RELEASE);
}

/* Makes the tree's first node. */
static void tree_begin(struct calls_thread *thread)
{
  struct raw_calls_node *root = next_node(thread);
  root->frame = UINTPTR_MAX;
  root->begin = root->first = thread->head->begun;
  add(thread, root);
  thread->current = root;
}

/* A node that the tree has not yet. */
static struct raw_calls_node *make(struct calls_thread *thread, uintptr_t function, uintptr_t site, unsigned flags)
{
  struct raw_calls_node *parent = thread->current;
  struct raw_calls_node *node = thread->no_more ? NULL : next_node(thread); /* which may make another table */
  if (!node)
    return NULL;
  node->function = function;
  node->site = site;
  node->above = (uintptr_t)parent;
  node->parent = (uint32_t)parent->number;
  node->depth_and_flags = ((parent->depth_and_flags >> RAW_CALLS_DEPTH_AT) + 1) << RAW_CALLS_DEPTH_AT | flags;
  node->first = clock_ticks();
  *look_up(thread, parent, function, flags & RAW_CALLS_ANY_SITE ? 0 : site) = node;
  add(thread, node);
  thread_recorder->code(function);
  return node;
}

struct raw_calls_node *tree_call(struct calls_thread *thread, uintptr_t function, uintptr_t site, bool inlined)
{
  struct raw_calls_node *parent = thread->current;
  if ((parent->depth_and_flags >> RAW_CALLS_DEPTH_AT) >= thread_depth)
    return NULL;
  struct raw_calls_node *node = inlined ? NULL : *look_up(thread, parent, function, site);
  if (!node && (inlined || is_recursive(parent, function))) {
    node = *look_up(thread, parent, function, 0);
    node = node ? node : make(thread, function, site, RAW_CALLS_ANY_SITE | (inlined ? RAW_CALLS_INLINED : 0));
  } else if (!node) {
    node = make(thread, function, site, 0);
  }
  if (node)
    parent->last = (uintptr_t)node;
  return node;
}

struct raw_calls_node *tree_find(struct calls_thread *thread, uintptr_t function, uintptr_t site)
{
  struct raw_calls_node *parent = thread->current, *node = *look_up(thread, parent, function, site);
  if (!node && (node = *look_up(thread, parent, function, 0)) && node->depth_and_flags & RAW_CALLS_INLINED)
    node = NULL;
  if (node)
    parent->last = (uintptr_t)node;
  return node;
}

#define MOST       65536u
#define AT_ONCE    32u /* slots that become usable together: whole pages */
#define FIRST_BITS 7u  /* of the table */

/* State of a slot. */
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

/* Fills a slot that is all zero. False: out of memory. */
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
