#include "jvmti-agent/runtimes/sites.h"

#include "common/diag.h"
#include "common/needs.h"
#include "jvmti-agent/core/places.h"

#include <stdlib.h>

#define NAME_MAX_BYTES 1024 /* of a class, method or file; longer ones are cut */

/* A class that is redefined gets new ones each time. */
#define BLOCK  256
#define BLOCKS 4096

static struct site *_Atomic blocks[BLOCKS];
static atomic_int count;

static _Atomic uint8_t switches[BLOCK * BLOCKS];
static atomic_bool teams;

const uint8_t *sites_switches(void)
{
  return (const uint8_t *)switches;
}

static void set_switch(int number, uint32_t mask)
{
  const struct site *site = sites_get(number);
  bool on = site && !atomic_load(&site->over);
  if (on)
    on = site->row->for_teams ? atomic_load(&teams) : mask != 0 && (mask & site->row->needs) == site->row->needs;
  atomic_store_explicit(&switches[number], on, memory_order_relaxed);
}

/* Several threads may do this at once, each for another reason: who comes last sees what is true now. */
static void set_all(void)
{
  uint32_t mask;
  do {
    mask = needs_mask(needs_now());
    for (int i = 0; i < atomic_load(&count); i++)
      set_switch(i, mask);
  } while (mask != needs_mask(needs_now()));
}

unsigned sites_on(void)
{
  unsigned on = 0;
  for (int i = 0; i < atomic_load(&count); i++)
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

struct site *sites_add(const struct row *row, int32_t *number)
{
  int next = atomic_load_explicit(&count, memory_order_relaxed);
  if (next == BLOCK * BLOCKS) {
    static bool said;
    if (!said)
      diag_say(
          "classes were redefined too often: what is loaded from now on gets no hooks; constructs in it and monitors ",
          "that it holds are not recorded", NULL);
    said = true;
    return NULL;
  }
  struct site *block = atomic_load_explicit(&blocks[next / BLOCK], memory_order_relaxed);
  if (!block) {
    block = calloc(BLOCK, sizeof *block);
    if (!block)
      return NULL;
    atomic_store_explicit(&blocks[next / BLOCK], block, memory_order_release);
  }
  block[next % BLOCK].row = row;
  block[next % BLOCK].index = next;
  atomic_store(&count, next + 1);
  set_switch(next, needs_mask(needs_now()));
  *number = next;
  return &block[next % BLOCK];
}

struct site *sites_get(int32_t number)
{
  if (number < 0 || number >= BLOCK * BLOCKS)
    return NULL;
  struct site *block = atomic_load_explicit(&blocks[number / BLOCK], memory_order_acquire);
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
