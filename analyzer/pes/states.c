#include "analyzer/pes/states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A state with what it owns. Vectors stand in blocks, so that they stay where they are. */
struct entry {
  struct pes_state state;
  struct pes_run *runs; /* state.runs */
  uint32_t run_capacity;
  uint32_t *run_slots; /* a hash table of runs, twice their capacity: index + 1, or 0 */
  uint32_t next;       /* of the states whose hash falls into the same bucket; PES_NONE: the last */
};

struct block {
  struct block *before;
  uint32_t vectors[];
};

struct pes_states {
  uint32_t component_count;
  struct entry *entries;
  uint32_t count, capacity;
  uint32_t *buckets; /* a power of two; of basic states alone */
  uint32_t bucket_count;
  struct block *block;
  uint32_t block_used, block_size; /* vectors */
  uint32_t filters, patterns;      /* the last number in a name */
};

struct pes_states *pes_states_create(uint32_t component_count)
{
  struct pes_states *states = calloc(1, sizeof *states);
  if (states)
    states->component_count = component_count;
  return states;
}

static void free_runs(struct entry *entry)
{
  for (uint32_t i = 0; i < entry->state.run_count; i++)
    free(entry->runs[i].states);
  free(entry->runs);
  free(entry->run_slots);
}

void pes_states_free(struct pes_states *states)
{
  if (!states)
    return;
  for (uint32_t i = 0; i < states->count; i++) {
    free_runs(&states->entries[i]);
    free(states->entries[i].state.name);
  }
  for (struct block *block = states->block; block;) {
    struct block *before = block->before;
    free(block);
    block = before;
  }
  free(states->entries);
  free(states->buckets);
  free(states);
}

uint32_t pes_states_count(const struct pes_states *states)
{
  return states->count;
}

uint32_t pes_states_components(const struct pes_states *states)
{
  return states->component_count;
}

const struct pes_state *pes_state(const struct pes_states *states, uint32_t state)
{
  return &states->entries[state].state;
}

static struct entry *add_entry(struct pes_states *states)
{
  if (states->count == PES_NONE)
    return NULL;
  if (states->count == states->capacity) {
    uint32_t capacity = states->capacity < 32 ? 64 : states->capacity > PES_NONE / 2 ? PES_NONE : 2 * states->capacity;
    struct entry *more = realloc(states->entries, capacity * sizeof *more);
    if (!more)
      return NULL;
    states->entries = more;
    states->capacity = capacity;
  }
  struct entry *entry = &states->entries[states->count];
  *entry = (struct entry){.state = {.before = PES_NONE, .after = PES_NONE}, .next = PES_NONE};
  return entry;
}

static uint64_t hash_of(const uint32_t *vector, uint32_t length)
{
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (uint32_t i = 0; i < length; i++) {
    hash = (hash ^ vector[i]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

static void put_into_bucket(struct pes_states *states, uint32_t state)
{
  struct entry *entry = &states->entries[state];
  uint64_t bucket = hash_of(entry->state.vector, states->component_count) & (states->bucket_count - 1);
  entry->next = states->buckets[bucket];
  states->buckets[bucket] = state;
}

/* More buckets than states, so that a search is short. */
static bool grow_buckets(struct pes_states *states)
{
  if (states->count < states->bucket_count)
    return true;
  if (states->bucket_count >= UINT32_C(1) << 31)
    return true;
  uint32_t count = states->bucket_count ? 2 * states->bucket_count : 64;
  uint32_t *more = realloc(states->buckets, count * sizeof *more);
  if (!more)
    return false;
  memset(more, 0xff, count * sizeof *more);
  states->buckets = more;
  states->bucket_count = count;
  for (uint32_t i = 0; i < states->count; i++)
    if (states->entries[i].state.kind == PES_BASIC)
      put_into_bucket(states, i);
  return true;
}

/* Blocks grow, so that few are needed, and few vectors don't take much. */
static uint32_t *copy_vector(struct pes_states *states, const uint32_t *vector)
{
  size_t length = states->component_count;
  if (states->block_used == states->block_size) {
    uint32_t size = states->block_size ? states->block_size : 8;
    size = (uint64_t)size * length < 65536 ? 2 * size : size;
    struct block *block = malloc(sizeof *block + size * length * sizeof *vector);
    if (!block)
      return NULL;
    block->before = states->block;
    states->block = block;
    states->block_size = size;
    states->block_used = 0;
  }
  uint32_t *copy = &states->block->vectors[states->block_used++ * length];
  memcpy(copy, vector, length * sizeof *vector);
  return copy;
}

uint32_t pes_states_intern(struct pes_states *states, const uint32_t *vector)
{
  uint32_t length = states->component_count;
  if (states->bucket_count > 0) {
    uint32_t at = states->buckets[hash_of(vector, length) & (states->bucket_count - 1)];
    for (; at != PES_NONE; at = states->entries[at].next)
      if (memcmp(states->entries[at].state.vector, vector, length * sizeof *vector) == 0)
        return at;
  }
  struct entry *entry = grow_buckets(states) ? add_entry(states) : NULL;
  if (!entry)
    return PES_NONE;
  entry->state.vector = copy_vector(states, vector);
  if (!entry->state.vector)
    return PES_NONE;
  put_into_bucket(states, states->count);
  return states->count++;
}

struct pes_states *pes_states_arranged(const struct pes_states *states, uint32_t component_count, const uint32_t *from)
{
  struct pes_states *arranged = pes_states_create(component_count);
  uint32_t *vector = calloc(component_count + 1, sizeof *vector);
  bool good = arranged && vector;
  for (uint32_t state = 0; good && state < states->count; state++) {
    const uint32_t *before = states->entries[state].state.vector;
    for (uint32_t i = 0; i < component_count; i++) {
      uint32_t at = from ? from[i] : i;
      vector[i] = at < states->component_count ? before[at] : 0;
    }
    good = pes_states_intern(arranged, vector) == state;
  }
  free(vector);
  if (good)
    return arranged;
  pes_states_free(arranged);
  return NULL;
}

/* A name that was given may look like one of ours: T7. Then ours go on behind it. */
static void note_name(const char *name, char letter, uint32_t *number)
{
  char *end;
  if (name[0] != letter || name[1] < '1' || name[1] > '9')
    return;
  unsigned long given = strtoul(name + 1, &end, 10);
  if (*end == '\0' && given > *number && given < UINT32_MAX)
    *number = (uint32_t)given;
}

static char *fresh_name(char letter, uint32_t *number)
{
  char name[16];
  snprintf(name, sizeof name, "%c%u", letter, ++*number);
  return strdup(name);
}

static uint32_t add_aggregate(struct pes_states *states, enum pes_kind kind, const char *name)
{
  struct entry *entry = add_entry(states);
  if (!entry)
    return PES_NONE;
  entry->state.kind = kind;
  if (name) {
    note_name(name, 'T', &states->filters);
    note_name(name, 'P', &states->patterns);
    entry->state.name = strdup(name);
  } else {
    entry->state.name = kind == PES_FILTER ? fresh_name('T', &states->filters) : fresh_name('P', &states->patterns);
  }
  return entry->state.name ? states->count++ : PES_NONE;
}

uint32_t pes_states_add_filter(struct pes_states *states, const char *name, uint32_t before, uint32_t after)
{
  uint32_t state = add_aggregate(states, PES_FILTER, name);
  if (state != PES_NONE) {
    states->entries[state].state.before = before;
    states->entries[state].state.after = after;
  }
  return state;
}

uint32_t pes_states_add_pattern(struct pes_states *states, const char *name)
{
  return add_aggregate(states, PES_PATTERN, name);
}

/* The slot of a run, or the free one where it belongs. */
static uint32_t *slot_of(const struct entry *entry, const uint32_t *run, uint32_t length)
{
  uint32_t mask = 2 * entry->run_capacity - 1;
  uint32_t at = (uint32_t)hash_of(run, length) & mask;
  for (; entry->run_slots[at] != 0; at = (at + 1) & mask) {
    const struct pes_run *known = &entry->runs[entry->run_slots[at] - 1];
    if (known->length == length && memcmp(known->states, run, length * sizeof *run) == 0)
      break;
  }
  return &entry->run_slots[at];
}

static bool grow_runs(struct entry *entry)
{
  if (entry->state.run_count < entry->run_capacity)
    return true;
  uint32_t capacity = entry->run_capacity ? 2 * entry->run_capacity : 1;
  uint32_t *slots = calloc(2 * capacity, sizeof *slots);
  struct pes_run *more = slots ? realloc(entry->runs, capacity * sizeof *more) : NULL;
  if (!more) {
    free(slots);
    return false;
  }
  free(entry->run_slots);
  entry->run_slots = slots;
  entry->state.runs = entry->runs = more;
  entry->run_capacity = capacity;
  for (uint32_t i = 0; i < entry->state.run_count; i++)
    *slot_of(entry, more[i].states, more[i].length) = i + 1;
  return true;
}

bool pes_states_add_run(struct pes_states *states, uint32_t state, const uint32_t *run, uint32_t length, uint64_t count)
{
  struct entry *entry = &states->entries[state];
  uint32_t known = entry->run_capacity > 0 ? *slot_of(entry, run, length) : 0;
  if (known > 0) {
    entry->runs[known - 1].count += count;
    return true;
  }
  if (length > PES_RUN_LENGTH_MAX || entry->state.run_count == PES_RUNS_MAX) {
    entry->state.other_runs += count;
    return true;
  }
  uint32_t *copy = grow_runs(entry) ? malloc((length + !length) * sizeof *copy) : NULL;
  if (!copy)
    return false;
  memcpy(copy, run, length * sizeof *copy);
  *slot_of(entry, run, length) = entry->state.run_count + 1;
  entry->runs[entry->state.run_count++] = (struct pes_run){.states = copy, .length = length, .count = count};
  return true;
}

void pes_states_add_other_runs(struct pes_states *states, uint32_t state, uint64_t count)
{
  states->entries[state].state.other_runs += count;
}

void pes_states_clear_runs(struct pes_states *states, uint32_t state)
{
  struct entry *entry = &states->entries[state];
  free_runs(entry);
  entry->state.runs = entry->runs = NULL;
  entry->run_slots = NULL;
  entry->state.run_count = entry->run_capacity = 0;
  entry->state.other_runs = 0;
}
