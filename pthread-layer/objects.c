#include "pthread-layer/objects.h"

#include "common/budget/mix.h"
#include "common/process/reserved.h"
#include "common/raw/raw_trace.h"
#include "pthread-layer/callers.h"
#include "pthread-layer/layer.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

struct waiting waiting_table[1u << WAITING_BITS];

void waiting_forget(void)
{
  memset((void *)waiting_table, 0, sizeof waiting_table);
}

/* Sets of ways: an object is in one of the ways of its set. */
enum { SET_BITS = 13, WAYS = 8, CODE_BITS = 10, CODE_TRIES = 16, NUMBER_MAX = (1 << 28) - 1 };

struct life {
  _Atomic uintptr_t object; /* 0: free */
  uintptr_t code;           /* 0: a static initializer, or not known */
  uint32_t kind : 4, number : 28;
  uint32_t session; /* number of the session whose trace knows it, + 1; 0: none */
};

/* Number of objects that a place in the code initialized. */
struct code {
  _Atomic uintptr_t code; /* 0: free */
  _Atomic uint32_t count;
};

struct table {
  struct life lives[1u << SET_BITS][WAYS];
  struct code codes[1u << CODE_BITS];
};
static struct table *_Atomic the_table; /* NULL: not made */

/* NULL: there is no memory. */
static struct table *make_table(void)
{
  int kept = errno;
  struct table *none = NULL, *made = MAP_FAILED;
  if (address_space_for(sizeof *made, ADDRESS_SPACE_OTHERS) == sizeof *made)
    made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED)
    made = NULL;
  else if (!atomic_compare_exchange_strong(&the_table, &none, made)) {
    munmap(made, sizeof *made);
    made = none;
  }
  errno = kept;
  return made;
}

static struct table *table_to_fill(void)
{
  struct table *table = atomic_load_explicit(&the_table, memory_order_acquire);
  return table ? table : make_table();
}

static uint64_t spread(uintptr_t number)
{
  return mix_upper(number ^ number >> 20);
}

static struct life *set_of(struct table *table, uintptr_t object)
{
  return table->lives[spread(object) >> (64 - SET_BITS)];
}

static struct life *find(uintptr_t object)
{
  struct table *table = atomic_load_explicit(&the_table, memory_order_acquire);
  if (!table)
    return NULL;
  struct life *set = set_of(table, object);
  for (unsigned i = 0; i < WAYS; i++)
    if (atomic_load_explicit(&set[i].object, memory_order_acquire) == object)
      return &set[i];
  return NULL;
}

/* A place for an object; NULL: there is none, as all others are in use. */
static struct life *take(struct table *table, unsigned kind, uintptr_t object)
{
  struct life *set = set_of(table, object);
  for (unsigned i = 0; i < WAYS; i++) {
    uintptr_t none = 0;
    if (atomic_compare_exchange_strong(&set[i].object, &none, object)) {
      set[i].code = set[i].number = set[i].session = 0;
      set[i].kind = kind & RAW_PTHREAD_KIND;
      return &set[i];
    }
  }
  return NULL;
}

/* Returns the number of the next object that the place initializes, from 1 on; 0: there are too many places. */
static uint32_t next_number(struct table *table, uintptr_t code)
{
  uint64_t first = spread(code) >> (64 - CODE_BITS);
  for (unsigned i = 0; i < CODE_TRIES; i++) {
    struct code *entry = &table->codes[(first + i) & ((1u << CODE_BITS) - 1)];
    uintptr_t known = 0;
    if (atomic_compare_exchange_strong(&entry->code, &known, code) || known == code)
      return atomic_fetch_add(&entry->count, 1) + 1;
  }
  return 0;
}

void objects_init(unsigned kind, const void *object, uintptr_t code)
{
  if (atomic_load_explicit(&layer_state, memory_order_relaxed) == LAYER_OFF)
    return;
  struct table *table = table_to_fill();
  if (!table)
    return;
  objects_destroy(object);
  struct life *life = take(table, kind, (uintptr_t)object);
  uint32_t number = next_number(table, code);
  if (!life)
    return;
  life->code = code;
  life->number = number & NUMBER_MAX;
}

void objects_destroy(const void *object)
{
  struct life *life = find((uintptr_t)object);
  if (!life)
    return;
  bool recorded = layer_records() && life->session != 0 && life->session == layer_calls->session() + 1;
  unsigned kind = life->kind;
  atomic_store_explicit(&life->object, 0, memory_order_release);
  if (recorded)
    layer_calls->gone(kind, (uintptr_t)object);
}

void objects_record(unsigned kind, const void *object)
{
  uint32_t session = layer_calls->session() + 1;
  struct table *table = table_to_fill();
  struct life *life = find((uintptr_t)object);
  if (kind == RAW_PTHREAD_READ) /* one object for all threads that wait for it */
    kind = RAW_PTHREAD_WRITE;
  if (!table || (!life && !(life = take(table, kind, (uintptr_t)object))))
    return;
  if (__atomic_exchange_n(&life->session, session, __ATOMIC_RELAXED) == session)
    return;
  bool known = life->code != 0 && callers_kind(life->code) != CALLER_RUNTIME;
  layer_calls->object(life->kind, known ? life->code : 0, (uintptr_t)object, known ? life->number : 0);
}

void objects_init_once(unsigned kind, const void *object, uintptr_t code)
{
  if (!find((uintptr_t)object))
    objects_init(kind, object, code);
}
