#include "analyzer/models/sequences/states.h"

#include "base/hash.h"
#include "base/vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCHED_RUNS = 8 }; /* so few runs are searched one by one: most aggregates have one or two */

/* Sequences that an aggregate stands for. */
struct runs {
  VECTOR(struct pes_run) list; /* the state's runs */
  struct hash numbers;         /* of more than SEARCHED_RUNS: key_of() a run -> its number */
};

/* A state with what it owns. Vectors stand in blocks, so that they stay where they are. */
struct entry {
  struct pes_state state;
  struct runs *runs; /* NULL: a basic state */
};

struct states_block {
  struct states_block *before;
  uint32_t vectors[];
};

struct pes_states {
  uint32_t component_count;
  VECTOR(struct entry) entries;
  struct hash numbers; /* of basic states alone: key_of() a vector -> state */
  struct states_block *block;
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

static void clear_runs(struct runs *runs)
{
  for (size_t i = 0; i < runs->list.count; i++)
    free(runs->list.items[i].states);
  vector_free(&runs->list);
  hash_free(&runs->numbers);
}

void pes_states_free(struct pes_states *states)
{
  if (!states)
    return;
  for (uint32_t i = 0; i < states->entries.count; i++) {
    struct entry *entry = &states->entries.items[i];
    if (entry->runs)
      clear_runs(entry->runs);
    free(entry->runs);
    free(entry->state.name);
  }
  for (struct states_block *block = states->block; block;) {
    struct states_block *before = block->before;
    free(block);
    block = before;
  }
  vector_free(&states->entries);
  hash_free(&states->numbers);
  free(states);
}

uint32_t pes_states_count(const struct pes_states *states)
{
  return (uint32_t)states->entries.count;
}

uint32_t pes_states_components(const struct pes_states *states)
{
  return states->component_count;
}

const struct pes_state *pes_state(const struct pes_states *states, uint32_t state)
{
  return &states->entries.items[state].state;
}

/* A number for what hash tables are searched for. Different ones may have the same. */
static uint64_t key_of(const uint32_t *numbers, uint32_t length)
{
  uint64_t key = hash_upper(length + 1);
  for (uint32_t i = 0; i < length; i++) {
    key = (key ^ numbers[i]) * 0xff51afd7ed558ccdu;
    key ^= key >> 32;
  }
  return key;
}

/* The number that the next state gets, with its place. PES_NONE: out of memory, or there are too many. */
static uint32_t add_entry(struct pes_states *states)
{
  size_t number = states->entries.count;
  struct entry entry = {.state = {.before = PES_NONE, .after = PES_NONE}};
  return number < PES_NONE && vector_push(&states->entries, entry) ? (uint32_t)number : PES_NONE;
}

/* Blocks grow, so that few are needed, and few vectors don't take much. */
static uint32_t *copy_vector(struct pes_states *states, const uint32_t *vector)
{
  size_t length = states->component_count;
  if (states->block_used == states->block_size) {
    uint32_t size = states->block_size ? states->block_size : 8;
    size = (uint64_t)size * length < 65536 ? 2 * size : size;
    struct states_block *block = malloc(sizeof *block + size * length * sizeof *vector);
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

/* Vectors of the same key have keys that follow each other. */
uint32_t pes_states_intern(struct pes_states *states, const uint32_t *vector)
{
  uint32_t length = states->component_count;
  uint64_t key = key_of(vector, length);
  const uint64_t *known;
  for (; (known = hash_find(&states->numbers, key)); key++)
    if (memcmp(states->entries.items[*known].state.vector, vector, length * sizeof *vector) == 0)
      return (uint32_t)*known;
  uint32_t *copy = copy_vector(states, vector);
  uint32_t state = copy ? add_entry(states) : PES_NONE;
  if (state == PES_NONE)
    return PES_NONE;
  states->entries.items[state].state.vector = copy;
  if (hash_add(&states->numbers, key, state))
    return state;
  states->entries.count--;
  return PES_NONE;
}

struct pes_states *pes_states_arranged(const struct pes_states *states, uint32_t component_count, const uint32_t *from)
{
  struct pes_states *arranged = pes_states_create(component_count);
  uint32_t *vector = calloc(component_count + 1, sizeof *vector);
  bool good = arranged && vector;
  for (uint32_t state = 0; good && state < states->entries.count; state++) {
    const uint32_t *before = states->entries.items[state].state.vector;
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
  char *own;
  if (name) {
    note_name(name, 'T', &states->filters);
    note_name(name, 'P', &states->patterns);
    own = strdup(name);
  } else {
    own = kind == PES_FILTER ? fresh_name('T', &states->filters) : fresh_name('P', &states->patterns);
  }
  struct runs *runs = calloc(1, sizeof *runs);
  uint32_t number = own && runs ? add_entry(states) : PES_NONE;
  if (number == PES_NONE) {
    free(own);
    free(runs);
    return PES_NONE;
  }
  struct entry *entry = &states->entries.items[number];
  entry->state.kind = kind;
  entry->state.name = own;
  entry->runs = runs;
  return number;
}

uint32_t pes_states_add_filter(struct pes_states *states, const char *name, uint32_t before, uint32_t after)
{
  uint32_t state = add_aggregate(states, PES_FILTER, name);
  if (state != PES_NONE) {
    states->entries.items[state].state.before = before;
    states->entries.items[state].state.after = after;
  }
  return state;
}

uint32_t pes_states_add_pattern(struct pes_states *states, const char *name)
{
  return add_aggregate(states, PES_PATTERN, name);
}

static bool is_run(const struct pes_run *run, const uint32_t *states, uint32_t length)
{
  return run->length == length && memcmp(run->states, states, length * sizeof *states) == 0;
}

/* NULL: it is new. Runs of the same key have keys that follow each other, as vectors do. */
static struct pes_run *find_run(const struct runs *runs, const uint32_t *states, uint32_t length)
{
  struct pes_run *list = runs->list.items;
  const uint64_t *known;
  if (runs->list.count <= SEARCHED_RUNS) {
    for (size_t i = 0; i < runs->list.count; i++)
      if (is_run(&list[i], states, length))
        return &list[i];
    return NULL;
  }
  for (uint64_t key = key_of(states, length); (known = hash_find(&runs->numbers, key)); key++)
    if (is_run(&list[*known], states, length))
      return &list[*known];
  return NULL;
}

/* Puts those runs into the table that are not there yet. */
static bool number_runs(struct runs *runs)
{
  for (size_t i = runs->numbers.count; i < runs->list.count; i++) {
    uint64_t key = key_of(runs->list.items[i].states, runs->list.items[i].length);
    while (hash_find(&runs->numbers, key))
      key++;
    if (!hash_add(&runs->numbers, key, i))
      return false;
  }
  return true;
}

bool pes_states_add_run(struct pes_states *states, uint32_t state, const uint32_t *run, uint32_t length, uint64_t count)
{
  struct entry *entry = &states->entries.items[state];
  struct runs *runs = entry->runs;
  struct pes_run *known = find_run(runs, run, length);
  if (known) {
    known->count += count;
    return true;
  }
  if (length > PES_RUN_LENGTH_MAX || runs->list.count == PES_RUNS_MAX) {
    entry->state.other_runs += count;
    return true;
  }
  uint32_t *copy = malloc((length + !length) * sizeof *copy);
  if (!copy)
    return false;
  memcpy(copy, run, length * sizeof *copy);
  if (!vector_push(&runs->list, ((struct pes_run){.states = copy, .length = length, .count = count}))) {
    free(copy);
    return false;
  }
  entry->state.runs = runs->list.items;
  entry->state.run_count = (uint32_t)runs->list.count;
  return runs->list.count <= SEARCHED_RUNS || number_runs(runs);
}

void pes_states_add_other_runs(struct pes_states *states, uint32_t state, uint64_t count)
{
  states->entries.items[state].state.other_runs += count;
}

void pes_states_clear_runs(struct pes_states *states, uint32_t state)
{
  struct entry *entry = &states->entries.items[state];
  clear_runs(entry->runs);
  entry->state.runs = NULL;
  entry->state.run_count = 0;
  entry->state.other_runs = 0;
}

/* The names of program states, and which state a name means. */

static char *join_codes(const struct pes_program *program, const uint32_t *vector, bool commas)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  for (uint32_t i = 0; i < program->component_count; i++) {
    const char *code = program->sets[program->components[i].set].values[vector[i]].code;
    if (*code && commas && ftell(file) > 0)
      fputc(',', file);
    fputs(code, file);
  }
  if (ftell(file) == 0)
    fputc('-', file);
  bool good = !ferror(file);
  if (fclose(file) != 0 || !good) {
    free(text);
    return NULL;
  }
  return text;
}

char *pes_state_name(const struct pes_program *program, const struct pes_states *states, uint32_t state)
{
  const struct pes_state *of = pes_state(states, state);
  if (of->name)
    return strdup(of->name);
  return join_codes(program, of->vector, program->has_open_codes);
}

static uint32_t by_number(const struct pes_states *states, const char *digits, uint32_t *count)
{
  char *end;
  unsigned long long number = strtoull(digits, &end, 10);
  bool good = *digits >= '0' && *digits <= '9' && *end == '\0' && number < pes_states_count(states);
  *count = good;
  return good ? (uint32_t)number : PES_NONE;
}

uint32_t pes_states_find(const struct pes_program *program, const struct pes_states *states, const char *name,
                         uint32_t *count)
{
  if (name[0] == '#')
    return by_number(states, name + 1, count);
  uint32_t found = PES_NONE;
  bool commas = program->has_open_codes;
  *count = 0;
  for (uint32_t i = 0; i < pes_states_count(states); i++) {
    const struct pes_state *state = pes_state(states, i);
    char *own = state->name ? strdup(state->name) : join_codes(program, state->vector, commas);
    if (own && strcmp(own, name) == 0) {
      found = i;
      ++*count;
    }
    free(own);
  }
  return *count == 1 ? found : PES_NONE;
}
