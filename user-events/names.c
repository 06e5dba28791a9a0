#include "user-events/names.h"

#include "common/budget/keep.h"
#include "common/process/diag.h"
#include "common/process/reserved.h"
#include "common/process/session.h"
#include "common/process/text.h"
#include "common/recorder/interruption.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

static const char further[] = "(further names)";

/* Held while a name is added: the session's number; 0: by nobody. A lock of a parent's session holds nobody up in its
 * child.
 */
static _Atomic uint32_t lock;

_Atomic(struct names *) names_known;

static struct {
  uint32_t count;
  uint32_t used;                      /* bytes */
  char line[4 * NAME_BYTES_MAX + 64]; /* while a name is added; an escaped byte takes four */
} all;

static struct names *tables(void)
{
  return atomic_load_explicit(&names_known, memory_order_acquire);
}

/* The session whose names the thread is adding to. */
static __thread uint32_t adding __attribute__((tls_model("initial-exec")));

static uint64_t hash_bytes(uint64_t hash, uint64_t bytes)
{
  hash = (hash ^ bytes) * 0xd6e8feb86659fd93ull;
  return hash ^ hash >> 32;
}

static uint32_t hash_of(const char *text, size_t length)
{
  uint64_t hash = hash_bytes(0, length);
  if (length <= 8)
    return (uint32_t)hash_bytes(hash, names_few(text, length));
  for (size_t at = 0; at < length - 8; at += 8)
    hash = hash_bytes(hash, names_word(text + at));
  return (uint32_t)hash_bytes(hash, names_word(text + length - 8));
}

size_t names_cut(const char *text, size_t length)
{
  if (length <= NAME_BYTES_MAX)
    return length;
  for (length = NAME_BYTES_MAX; length > NAME_BYTES_MAX - 4; length--)
    if (((unsigned char)text[length] & 0xc0) != 0x80)
      return length;
  return NAME_BYTES_MAX;
}

/* The number of a name, described or not; 0: it is not there, and *free is its place. */
static inline uint32_t look_up(const struct names *names, const char *text, size_t length, uint32_t hash,
                               uint32_t *free)
{
  for (uint32_t at = hash % NAMES_TABLE;; at = (at + 1) % NAMES_TABLE) {
    uint64_t entry = atomic_load_explicit(&names->table[at], memory_order_acquire);
    *free = at;
    if (entry == 0)
      return 0;
    if (entry >> 32 == hash && names_is((uint32_t)entry, text, length))
      return (uint32_t)entry;
  }
}

static bool is_described(uint32_t number)
{
  return atomic_load_explicit(&tables()->names[number].session, memory_order_acquire) == session_number();
}

uint32_t names_find(const char *text, size_t length)
{
  uint32_t free;
  if (!tables())
    return 0;
  length = names_cut(text, length);
  uint32_t number = look_up(tables(), text, length, hash_of(text, length), &free);
  return number != 0 && is_described(number) ? number : 0;
}

static bool describe(uint32_t number)
{
  struct text line = TEXT_OVER(all.line);
  text_add(&line, "name: ");
  text_add_number(&line, number);
  text_add(&line, " ");
  const struct name *name = &tables()->names[number];
  text_add_escaped(&line, tables()->bytes + name->offset, name->length);
  text_add(&line, "\n");
  if (!session_describe(line.bytes, line.used))
    return false;
  atomic_store_explicit(&tables()->names[number].session, session_number(), memory_order_release);
  return true;
}

/* False: there is no memory. */
static bool keep(uint32_t number, const char *text, size_t length)
{
  struct name *name = &tables()->names[number];
  char *bytes = tables()->bytes + all.used;
  if (!reserved_use(name, sizeof *name) || !reserved_use(bytes, length))
    return false;
  memcpy(bytes, text, length);
  name->offset = all.used;
  name->length = (uint32_t)length;
  all.used += (uint32_t)length;
  return true;
}

/* The number of all names that there is no room for. */
static uint32_t further_names(void)
{
  if (tables()->names[NAMES_MAX].length == 0) {
    if (!keep(NAMES_MAX, further, sizeof further - 1))
      return 0;
    diag_say("the program has too many names of regions and events: further ones are shown as ", further, NULL);
  }
  return NAMES_MAX;
}

/* With the lock. False: there is no memory. */
static bool make_tables(void)
{
  if (!tables())
    atomic_store_explicit(&names_known, reserved_make(sizeof(struct names)), memory_order_release);
  return tables();
}

/* With the lock. */
static uint32_t add(const char *text, size_t length)
{
  if (!make_tables())
    return 0;
  uint32_t hash = hash_of(text, length), free, number = look_up(tables(), text, length, hash, &free);
  if (number == 0 && (all.count + 1 >= NAMES_MAX || all.used + length > NAMES_BYTES - sizeof further)) {
    number = further_names();
  } else if (number == 0) {
    number = all.count + 1;
    _Atomic uint64_t *entry = &tables()->table[free];
    if (!reserved_use(entry, sizeof *entry) || !keep(number, text, length))
      return 0;
    all.count++;
    if (keep_has_name(text, length))
      keep_add_number(number);
    atomic_store_explicit(entry, (uint64_t)hash << 32 | number, memory_order_release);
  }
  return number != 0 && (is_described(number) || describe(number)) ? number : 0;
}

static void take_lock(void)
{
  uint32_t session = session_number(), holder = atomic_load(&lock);
  while (holder == session || !atomic_compare_exchange_weak(&lock, &holder, session)) {
    sched_yield();
    holder = atomic_load(&lock);
  }
}

uint32_t names_add(const char *text, size_t length)
{
  if (adding == session_number())
    return 0;
  int kept = errno;
  interruption_hold(); /* not in the middle of our write */
  adding = session_number();
  atomic_signal_fence(memory_order_seq_cst);
  take_lock();
  uint32_t number = add(text, names_cut(text, length));
  atomic_store(&lock, 0);
  atomic_signal_fence(memory_order_seq_cst);
  adding = 0;
  interruption_release();
  errno = kept;
  return number;
}

/* NULL: everything is recorded. */
static struct budget_row *row_of(const char *name, uint32_t number, unsigned kind, unsigned records)
{
  if (!budget_is_on() || number == 0)
    return NULL;
  struct budget_row *row = budget_row(number, BUDGET_USER, kind, records);
  if (row && name)
    atomic_store_explicit(&budget_self->hints[names_hint_place(name, kind)],
                          (uint32_t)(row - budget_self->rows) << 16 | number, memory_order_relaxed);
  return row;
}

uint32_t names_weigh_region(const char *name, uint32_t number)
{
  struct budget_row *row = row_of(name, number, RAW_USER_ENTER, 2);
  if (!row)
    return 1;
  uint32_t weight = budget_take(row);
  struct budget *self = budget_self;
  if (self->depth >= BUDGET_REGIONS) {
    self->depth++;
    return weight > 0 ? weight : budget_force(row);
  }
  self->regions[self->depth++] = (struct budget_region){name, number, weight == 0};
  return weight;
}

uint32_t names_weigh_event(const char *name, uint32_t number)
{
  struct budget_row *row = row_of(name, number, RAW_USER_EVENT, 1);
  return row ? budget_take(row) : 1;
}

/* The outermost one of the regions from a depth on that is recorded; 0: none. Leaving it leaves those inside it. */
static uint32_t recorded_from(const struct budget *self, uint32_t depth)
{
  for (; depth < self->depth; depth++)
    if (!self->regions[depth].omitted)
      return self->regions[depth].number;
  return 0;
}

uint32_t names_leave_region(uint32_t number)
{
  struct budget *self = budget_self;
  if (!self || self->depth == 0)
    return number;
  if (self->depth > BUDGET_REGIONS) {
    self->depth--;
    return number;
  }
  uint32_t depth = self->depth;
  while (depth-- > 0)
    if (self->regions[depth].number == number) {
      number = recorded_from(self, depth);
      self->depth = depth;
      return number;
    }
  return number;
}
