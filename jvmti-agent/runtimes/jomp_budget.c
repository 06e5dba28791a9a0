#include "jvmti-agent/runtimes/jomp_budget.h"

#include "common/budget/budget.h"
#include "common/budget/mix.h"
#include "common/process/reserved.h"
#include "common/recorder/recording.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/runtimes/batch.h"

#include <assert.h>
#include <stddef.h>
#include <sys/mman.h>

#define WORDS           6u /* of RAW_OMITTED */
#define REGION_RECORDS  6u /* records of an instance, on a thread; with its barrier */
#define WORK_RECORDS    4u
#define SECTION_RECORDS 6u /* three, and three calls */

static_assert(offsetof(struct jomp_budget, site) == GUARD_SITES_AT &&
                  offsetof(struct jomp_budget, forks) == GUARD_FORKS_AT &&
                  sizeof(struct jomp_budget_site) == 1u << GUARD_SITE_SHIFT,
              "woven code knows where a site is");

__thread struct jomp_budget *jomp_budget_self;

/* Threads' tables, for the end. Further threads have none, and leave nothing out. */
#define THREADS 1024u
static _Atomic(struct jomp_budget *) tables[THREADS];

static struct guard_slot slots[GUARD_SLOTS];

const struct guard_slot *jomp_budget_slots(void)
{
  return slots;
}

/*
 * Choices that the threads of a team share. A choice has the size of a block of instances (less 1, 20 bits), and the
 * number of its recorded instance (from 0, 20 bits). It also has a hash of the block's identity. It is overwritten
 * after so many further blocks; a thread that is so far behind chooses for itself. A power of two.
 */
#define JOMP_BUDGET_BLOCKS 65536u
#define SIZE_BITS          20u
static atomic_uint_fast64_t *jomp_budget_blocks;
static bool omits;

/* Gives what another thread has chosen for a block of a team's instances, or makes this choice the team's. */
static void agree(uint64_t team, int32_t site, uint64_t first, uint32_t *size, uint32_t *at)
{
  uint64_t hash = mix(mix(mix(team) + (uint64_t)site) + first), tag = hash >> 2 * SIZE_BITS << 2 * SIZE_BITS;
  atomic_uint_fast64_t *place = &jomp_budget_blocks[hash % JOMP_BUDGET_BLOCKS];
  uint_fast64_t there = atomic_load_explicit(place, memory_order_relaxed),
                own = (tag | 1ull << 63) | (uint64_t)(*size - 1) << SIZE_BITS | (*at - 1);
  uint64_t mask = ~(uint64_t)0 << 2 * SIZE_BITS;
  if ((there & mask) != (own & mask) &&
      (atomic_compare_exchange_strong(place, &there, own) || (there & mask) != (own & mask)))
    return;
  *size = (uint32_t)(there >> SIZE_BITS & ((1u << SIZE_BITS) - 1)) + 1;
  *at = (uint32_t)(there & ((1u << SIZE_BITS) - 1)) + 1;
}

bool jomp_budget_begin(void)
{
  if (!jomp_budget_blocks)
    jomp_budget_blocks = reserved_make(JOMP_BUDGET_BLOCKS * sizeof *jomp_budget_blocks);
  omits = budget_is_on() && jomp_budget_blocks &&
          reserved_use(jomp_budget_blocks, JOMP_BUDGET_BLOCKS * sizeof *jomp_budget_blocks);
  return omits;
}

bool jomp_budget_omits(void)
{
  return omits;
}

/* False: there are too many. */
static bool enter_table(struct jomp_budget *table)
{
  for (unsigned i = 0; i < THREADS; i++) {
    struct jomp_budget *free = NULL;
    if (atomic_compare_exchange_strong(&tables[i], &free, table))
      return true;
  }
  return false;
}

/* False: the thread that ends the process has it. */
static bool remove_table(struct jomp_budget *table)
{
  for (unsigned i = 0; i < THREADS; i++) {
    struct jomp_budget *there = table;
    if (atomic_compare_exchange_strong(&tables[i], &there, NULL))
      return true;
  }
  return false;
}

static struct jomp_budget *make(JNIEnv *jni)
{
  static _Thread_local bool tried;
  jthread thread;
  if (tried || thread_self.mounted || (*agent.jvmti)->GetCurrentThread(agent.jvmti, &thread) != JVMTI_ERROR_NONE)
    return NULL;
  tried = true;
  int64_t tid = (int64_t)thread_id_of(jni, thread);
  (*jni)->DeleteLocalRef(jni, thread);
  struct jomp_budget *table =
      mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED)
    return NULL;
  table->reported = clock_ticks();
  table->tid = (uint64_t)tid;
  if (!enter_table(table)) {
    munmap(table, sizeof *table);
    return NULL;
  }
  struct guard_slot *slot = &slots[(uint64_t)tid % GUARD_SLOTS];
  uint64_t free = 0;
  /* Where another thread has the slot, this one's woven code counts nothing, and calls each hook. */
  if (__atomic_compare_exchange_n(&slot->table, &free, (uintptr_t)table, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    __atomic_store_n(&slot->tid, tid, __ATOMIC_SEQ_CST);
  table->has_slot = slot->table == (uintptr_t)table;
  return jomp_budget_self = table;
}

struct jomp_budget *jomp_budget_of_thread(JNIEnv *jni)
{
  return jomp_budget_self ? jomp_budget_self : make(jni);
}

static struct jomp_budget_site *entry_of(const struct site *site)
{
  return jomp_budget_self && site && site->index < (int32_t)GUARD_SITES ? &jomp_budget_self->site[site->index] : NULL;
}

/* Returns the number of instances omitted since the last record of them, and an estimate of their ticks up to now. */
static uint32_t omitted(const struct jomp_budget_site *entry)
{
  return entry->lent - entry->count.left;
}

static uint64_t time_of(const struct jomp_budget_site *entry, uint64_t begin, uint64_t now)
{
  uint64_t most = now > begin ? now - begin : 0, about = (uint64_t)omitted(entry) * entry->usual;
  return about < most ? about : most;
}

static void put(struct recorder *recorder, unsigned detail, uint64_t code, const uint64_t times[2], uint64_t instances,
                uint64_t ticks)
{
  uint64_t *record = recorder->cursor;
  record[1] = times[1];
  record[2] = times[0];
  record[3] = instances;
  record[4] = ticks;
  record[5] = 0;
  recorder_put(recorder, WORDS, raw_head(RAW_OMITTED, detail, code));
}

/* Critical sections, or tasks, behind the last recorded one. */
static void put_counted(struct batch *batch, const struct jomp_budget *of, const struct site *site,
                        const struct jomp_budget_site *entry)
{
  uint64_t instances = (uint64_t)omitted(entry) + entry->count.inside;
  bool section = site->kind == JOMP_BUDGET_SECTION;
  if (of != jomp_budget_self)
    batch_emit(batch, RAW_COUNTED_OF, 0, of->tid);
  batch_emit3(batch, RAW_COUNTED, section ? RAW_MUTEX_ACQUIRE : RAW_TASK_CREATE, site->code,
              (uint64_t)(section ? MUTEX_CRITICAL : 0) << RAW_VALUE_BITS | instances);
}

/* Adds the record of a site's omitted instances up to now. of: the thread's table. */
static void put_site(struct batch *batch, const struct jomp_budget *of, const struct site *site,
                     const struct jomp_budget_site *entry)
{
  uint32_t count = omitted(entry);
  unsigned inside = (site->kind != JOMP_BUDGET_REGION && of->worker ? RAW_OMITTED_MEMBER : 0u) | RAW_OMITTED_INSIDE;
  bool own = of == jomp_budget_self;
  if (site->kind >= JOMP_BUDGET_SECTION) {
    if (site->locks || site->kind == JOMP_BUDGET_COMPUTE) /* else woven code counted what is no section */
      put_counted(batch, of, site, entry);
    return;
  }
  if (count > 0) {
    uint64_t begin = !own ? batch->now : entry->since > of->reported ? entry->since : of->reported;
    put(batch->recorder, site->kind | (entry->member ? RAW_OMITTED_MEMBER : 0u), site->code,
        (uint64_t[2]){begin, batch->now}, count, time_of(entry, begin, batch->now));
    if (own)
      jomp_budget_self->reported = batch->now;
  }
  if (entry->count.inside > 0)
    put(batch->recorder, site->kind | inside, site->code, (uint64_t[2]){batch->now, batch->now}, entry->count.inside,
        0);
}

/* Records a site's omitted instances up to now, unless recording is paused. */
static void report_omitted(struct batch *batch, const struct site *site, struct jomp_budget_site *entry,
                           struct budget_row *row)
{
  uint32_t count = omitted(entry);
  if ((count == 0 && entry->count.inside == 0) || !batch_begin(batch))
    return;
  put_site(batch, jomp_budget_self, site, entry);
  if (row && count > 0)
    budget_count(row, 0, count);
  entry->lent = entry->count.left;
  entry->count.inside = 0;
  entry->since = batch->now;
}

/* The next block begins after the rest of this one: which of its instances is recorded. */
static void begin_block(struct jomp_budget_site *entry, const struct site *site, const struct budget_row *row,
                        bool shared, bool first)
{
  uint32_t size = first ? 1 : budget_every(row), at = budget_choose(size);
  if (shared)
    agree(entry->team, site->index, entry->next, &size, &at);
  entry->count.left = entry->lent = entry->rest + at - 1;
  entry->rest = size - at;
  entry->next += size;
}

static struct budget_row *row_of(const struct site *site)
{
  if (site->kind == JOMP_BUDGET_SECTION)
    return budget_row(site->code & (RAW_CODE_PLACE - 1), BUDGET_MUTEXES, MUTEX_CRITICAL, SECTION_RECORDS);
  return budget_row(site->code & (RAW_CODE_PLACE - 1), BUDGET_CONSTRUCTS, site->kind,
                    site->kind == JOMP_BUDGET_REGION ? REGION_RECORDS : WORK_RECORDS);
}

static void begin_recorded(struct batch *batch, struct jomp_budget_site *entry)
{
  if (entry->lasted > 0)
    entry->usual = entry->usual > 0 ? (uint32_t)(((uint64_t)entry->usual * 3 + entry->lasted) / 4) : entry->lasted;
  entry->begin = batch_begin(batch) ? batch->now : 0;
  entry->lasted = 0;
}

bool jomp_budget_takes(struct batch *batch, const struct site *site, uint64_t team, bool shared, bool member)
{
  struct jomp_budget_site *entry = entry_of(site);
  struct budget_row *row = entry && omits && recording_state() != RECORDING_PAUSED ? row_of(site) : NULL;
  jomp_budget_interrupt();
  if (!row)
    return true;
  if (entry->team != team) {
    bool first = entry->team == 0; /* of all; it is recorded */
    report_omitted(batch, site, entry, row);
    entry->member = member;
    entry->team = team;
    entry->next = entry->rest = 0;
    begin_block(entry, site, row, shared, first);
  }
  if (entry->count.left > 0) {
    entry->count.left--;
    return false;
  }
  report_omitted(batch, site, entry, row);
  budget_count(row, 1, 0);
  begin_recorded(batch, entry);
  begin_block(entry, site, row, shared, false);
  return true;
}

uint32_t jomp_budget_weigh(const struct site *site)
{
  struct jomp_budget_site *entry = entry_of(site);
  struct budget_row *row = entry && omits ? row_of(site) : NULL;
  if (!row)
    return 1;
  if (jomp_budget_is_inside()) {
    entry->count.inside++;
    return 0;
  }
  if (entry->count.left > 0) {
    entry->count.left--;
    return 0;
  }
  uint32_t others = omitted(entry) + entry->count.inside;
  budget_count(row, 1, others);
  begin_block(entry, site, row, false, entry->next == 0);
  entry->count.inside = 0;
  return 1 + others;
}

void jomp_budget_weigh_alone(const struct site *site, uint32_t weight)
{
  struct jomp_budget_site *entry = entry_of(site);
  if (entry)
    entry->lent += weight - 1;
}

const struct site *jomp_budget_asks(void)
{
  return jomp_budget_self->guard.asks > 0 ? sites_get((int32_t)jomp_budget_self->guard.asks - 1) : NULL;
}

bool jomp_budget_take_back(const struct site *site)
{
  struct jomp_budget_site *entry = entry_of(site);
  if (!entry || entry->count.held != 1 || jomp_budget_is_inside())
    return false;
  struct budget_row *row = row_of(site);
  if (row)
    budget_count(row, 1, 0);
  entry->count.held = 0;
  entry->lent--;
  jomp_budget_self->guard.asks = 0;
  return true;
}

void jomp_budget_joins(struct batch *batch, const struct site *site, bool recorded)
{
  struct jomp_budget_site *entry = entry_of(site);
  jomp_budget_interrupt();
  if (!entry || !omits)
    return;
  jomp_budget_self->worker = true;
  entry->member = true;
  if (!recorded) {
    entry->lent++;
    return;
  }
  struct budget_row *row = row_of(site);
  report_omitted(batch, site, entry, row);
  if (row)
    budget_count(row, 1, 0);
  begin_recorded(batch, entry);
}

void jomp_budget_omit_inside(const struct site *site)
{
  struct jomp_budget_site *entry = entry_of(site);
  if (entry)
    entry->count.inside++;
}

void jomp_budget_ended(const struct site *site, uint64_t now)
{
  struct jomp_budget_site *entry = entry_of(site);
  if (!entry || entry->begin == 0 || now <= entry->begin)
    return;
  uint64_t lasted = now - entry->begin;
  entry->lasted = lasted < UINT32_MAX ? (uint32_t)lasted : UINT32_MAX;
  entry->since = now;
}

static void report_forks(const struct jomp_budget *of)
{
  for (unsigned i = 0; i < GUARD_FORKS; i++) {
    uint32_t instances = of->forks[i].lent - of->forks[i].left;
    if (instances == 0)
      continue;
    if (of != jomp_budget_self) {
      threads_record_end();
      recorder_emit(RAW_COUNTED_OF, 0, of->tid);
    }
    recorder_emit3(RAW_COUNTED, RAW_TASK_CREATE, of->forks[i].code, instances);
  }
}

static void report_all_omitted(const struct jomp_budget *of)
{
  const struct site *site;
  for (int32_t i = 0; i < (int32_t)GUARD_SITES && (site = sites_get(i)); i++) {
    struct batch batch = {0};
    if (omitted(&of->site[i]) == 0 && of->site[i].count.inside == 0)
      continue;
    if (of != jomp_budget_self)
      threads_record_end();
    if (batch_begin(&batch))
      put_site(&batch, of, site, &of->site[i]);
    batch_end(&batch);
  }
  report_forks(of);
}

void jomp_budget_thread_end(void)
{
  struct jomp_budget *self = jomp_budget_self;
  if (!self)
    return;
  bool own = remove_table(self);
  if (own)
    report_all_omitted(self);
  for (unsigned i = 0; i < GUARD_SLOTS; i++)
    if (slots[i].table == (uintptr_t)self) {
      __atomic_store_n(&slots[i].tid, 0, __ATOMIC_SEQ_CST);
      __atomic_store_n(&slots[i].table, 0, __ATOMIC_SEQ_CST);
    }
  jomp_budget_self = NULL;
  if (own)
    munmap(self, sizeof *self);
}

void jomp_budget_end(void)
{
  for (unsigned i = 0; i < THREADS; i++) {
    const struct jomp_budget *of = atomic_exchange(&tables[i], NULL);
    if (of)
      report_all_omitted(of);
  }
}
