#include "jvmti-agent/runtimes/sites.h"

#include "common/budget/mix.h"
#include "common/process/diag.h"
#include "common/recorder/measured_groups.h"
#include "jvmti-agent/core/pair_table.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/weaving.h"

#include <stdlib.h>
#include <string.h>

const struct runtime *const runtimes_known[RUNTIMES_KNOWN] = {
    &runtime_jomp,        &runtime_forkjoin, &runtime_executors,     &runtime_stages,
    &runtime_submissions, &runtime_waits,    &runtime_virtual_calls, &runtime_polls};

bool runtimes_is_worker(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  bool found = false;
  char *signature;
  jclass class = (*jni)->GetObjectClass(jni, thread);
  if (class && (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
    for (size_t i = 0; i < RUNTIMES_KNOWN; i++)
      found |= runtimes_known[i]->worker && strcmp(signature, runtimes_known[i]->worker) == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
  }
  (*jni)->DeleteLocalRef(jni, class);
  return found;
}

bool runtimes_wait_for(JNIEnv *jni, jobject monitor)
{
  bool found = false;
  for (size_t i = 0; i < RUNTIMES_KNOWN; i++)
    found |= runtimes_known[i]->waits && runtimes_known[i]->waits(jni, monitor);
  return found;
}

void runtimes_thread_end(void)
{
  for (size_t i = 0; i < RUNTIMES_KNOWN; i++)
    if (runtimes_known[i]->thread_end)
      runtimes_known[i]->thread_end();
}

#define NAME_MAX_BYTES 1024 /* name of a class, method or file; longer ones are cut */

/* A class that is redefined gets new ones each time. */
#define BLOCK        256
#define SITES_BLOCKS 4096

static struct site *_Atomic sites_blocks[SITES_BLOCKS];
static atomic_int sites_count;

static _Atomic uint8_t switches[BLOCK * SITES_BLOCKS];
static atomic_bool teams;

static struct {
  uint32_t needs;
  atomic_uint round;
  atomic_bool woven; /* classes have its hooks */
} parts[SITE_PARTS];

void sites_need(unsigned part, uint32_t needs)
{
  parts[part].needs = needs;
}

unsigned sites_round(const struct site *site)
{
  return atomic_load_explicit(&parts[site->part].round, memory_order_relaxed);
}

const uint8_t *sites_switches(void)
{
  return (const uint8_t *)switches;
}

static void set_switch(int number, uint32_t mask)
{
  const struct site *site = sites_get(number);
  bool on = site && !atomic_load(&site->over) && atomic_load(&parts[site->part].woven);
  if (site && site->row->until_over)
    on = !atomic_load(&site->over);
  else if (on && site->row->for_teams)
    on = atomic_load(&teams);
  else if (on)
    on = (mask & parts[site->part].needs) != 0 && (mask & site->row->needs) == site->row->needs;
  atomic_store_explicit(&switches[number], on, memory_order_relaxed);
}

/* Several threads may do this at once, each for another reason: who comes last sees what is true now. */
static void set_all(void)
{
  uint32_t mask;
  do {
    mask = needs_mask(needs_now());
    for (int i = 0; i < atomic_load(&sites_count); i++)
      set_switch(i, mask);
  } while (mask != needs_mask(needs_now()));
}

void sites_begin_round(unsigned part)
{
  atomic_fetch_add(&parts[part].round, 1);
  atomic_store(&parts[part].woven, true);
  set_all();
}

void sites_end_round(unsigned part)
{
  atomic_fetch_add(&parts[part].round, 1);
  atomic_store(&parts[part].woven, false);
  set_all();
}

unsigned sites_on(void)
{
  unsigned on = 0;
  for (int i = 0; i < atomic_load(&sites_count); i++)
    on += atomic_load_explicit(&switches[i], memory_order_relaxed);
  return on;
}

void sites_follow_needs(void)
{
  set_all();
}

static atomic_uint pauses;

unsigned sites_pauses(void)
{
  return atomic_load_explicit(&pauses, memory_order_relaxed);
}

void sites_follow_pauses(void)
{
  atomic_fetch_add(&pauses, 1);
  set_all();
}

void sites_expect_teams(void)
{
  if (!atomic_load_explicit(&teams, memory_order_relaxed) && !atomic_exchange(&teams, true))
    set_all();
}

void sites_switch_off(struct site *site)
{
  atomic_store(&site->over, true);
  atomic_store_explicit(&switches[site->index], 0, memory_order_relaxed);
}

static struct site *add(const struct row *row, unsigned part, int32_t *number)
{
  int next = atomic_load_explicit(&sites_count, memory_order_relaxed);
  if (next == BLOCK * SITES_BLOCKS) {
    static bool said;
    if (!said)
      diag_say(
          "classes were redefined too often: classes that are loaded from now on get no hooks; their constructs and ",
          "held monitors are not recorded", NULL);
    said = true;
    return NULL;
  }
  struct site *block = atomic_load_explicit(&sites_blocks[next / BLOCK], memory_order_relaxed);
  if (!block) {
    block = calloc(BLOCK, sizeof *block);
    if (!block)
      return NULL;
    atomic_store_explicit(&sites_blocks[next / BLOCK], block, memory_order_release);
  }
  block[next % BLOCK].row = row;
  block[next % BLOCK].index = next;
  block[next % BLOCK].part = part;
  atomic_store(&sites_count, next + 1);
  set_switch(next, needs_mask(needs_now()));
  *number = next;
  return &block[next % BLOCK];
}

static uint64_t sum_of(const struct class_file *file)
{
  uint64_t sum = file->size;
  for (size_t i = 0; i < file->size; i += 8) {
    uint64_t word = 0;
    memcpy(&word, file->bytes + i, file->size - i < 8 ? file->size - i : 8);
    sum = mix(sum ^ word);
  }
  return sum;
}

struct site *sites_at(struct weaving *class, const struct row *row, const struct weave_match *match, int32_t *number,
                      bool *is_new)
{
  static struct pair_table known; /* numbers + 1 */
  static bool open;
  if (!open)
    open = pair_table_open(&known, BLOCK * SITES_BLOCKS);
  if (class->sum == 0)
    class->sum = mix(sum_of(match->file) + loader_number(class->jni, class->loader)) | 1;
  uint64_t first = class->sum ^ (uintptr_t)row, second = (uint64_t)match->method->at << 32 | match->pc;
  uint32_t before = open ? pair_table_find(&known, first, second) : 0;
  *is_new = before == 0;
  if (before) {
    *number = (int32_t)before - 1;
    return sites_get(*number);
  }
  struct site *site = add(row, class->part, number);
  if (site && open)
    pair_table_add(&known, first, second, (uint32_t)*number + 1);
  return site;
}

struct site *sites_get(int32_t number)
{
  if (number < 0 || number >= BLOCK * SITES_BLOCKS)
    return NULL;
  struct site *block = atomic_load_explicit(&sites_blocks[number / BLOCK], memory_order_acquire);
  return block && block[number % BLOCK].row ? &block[number % BLOCK] : NULL;
}

uint64_t site_code_at(const struct weave_match *match, uint32_t pc)
{
  char class[NAME_MAX_BYTES], method[NAME_MAX_BYTES], file[NAME_MAX_BYTES];
  struct span source = class_utf8(match->file, match->file->source_file);
  return place_by_name(span_string(class_name(match->file, match->file->this_class), class, sizeof class),
                       span_string(class_utf8(match->file, match->method->name), method, sizeof method),
                       source.bytes ? span_string(source, file, sizeof file) : NULL,
                       class_line(match->file, match->method, pc));
}
