#include "analyzer/models/markov/rule_cases.h"

#include "base/hash.h"

#include <ctype.h>
#include <stdlib.h>

enum { VALUES_MOST = 1024, ROWS_MOST = 16384 }; /* of a component, and of all */

struct rule_cases_reading {
  struct markov_rule_cases *cases;
  struct pes_stream *stream;
  struct hash places; /* state << 32 | what came next -> its cell */
  uint32_t target;
  uint64_t records, number; /* of the run; of the present record */
  struct error *error;
};

static bool rule_cases_out_of_memory(struct rule_cases_reading *reading)
{
  return error_set(reading->error, "out of memory");
}

/* Reads once, with `take` for each record and the state of the next one. */
static bool rule_cases_walk(struct rule_cases_reading *reading,
                            bool (*take)(struct rule_cases_reading *reading, uint32_t state, uint32_t next))
{
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  uint32_t last = PES_NONE;
  size_t count = 1;
  bool good = records ? pes_rewind(reading->stream, reading->error) : rule_cases_out_of_memory(reading);
  reading->number = 0;
  while (good && count > 0) {
    good = pes_next(reading->stream, records, &count, reading->error);
    for (size_t i = 0; good && i < count; i++) {
      if (last != PES_NONE)
        good = take(reading, last, records[i].state);
      last = records[i].state;
      reading->number++;
    }
  }
  free(records);
  return good;
}

static bool count_only(struct rule_cases_reading *reading, uint32_t state, uint32_t next)
{
  (void)reading, (void)state, (void)next;
  return true;
}

static bool add_case(struct rule_cases_reading *reading, uint32_t state, uint32_t next)
{
  struct markov_rule_cases *cases = reading->cases;
  uint32_t what = next;
  if (reading->target != PES_NONE) {
    const uint32_t *from = cases->vectors[state], *to = cases->vectors[next];
    if (!from || !to || from[reading->target] == to[reading->target])
      return true;
    what = to[reading->target];
  }
  uint64_t key = (uint64_t)state << 32 | what;
  uint64_t *place = hash_find(&reading->places, key);
  if (!place) {
    place = hash_add(&reading->places, key, cases->cells.count);
    struct markov_rule_cell cell = {.state = state, .class = what};
    if (!place || !vector_push(&cases->cells, cell))
      return rule_cases_out_of_memory(reading);
  }
  struct markov_rule_cell *cell = &cases->cells.items[*place];
  uint64_t part = (reading->number - 1) * MARKOV_RULE_PARTS / reading->records;
  cell->counts[part]++;
  cell->all++;
  cases->parts[part]++;
  cases->all++;
  return true;
}

static int compare_places(const void *left, const void *right)
{
  const struct markov_rule_cell *a = left, *b = right;
  if (a->state != b->state)
    return a->state < b->state ? -1 : 1;
  return (a->class > b->class) - (a->class < b->class);
}

struct rule_cases_ranked {
  uint32_t what;
  uint64_t count;
};

static int compare_whats(const void *left, const void *right)
{
  const struct markov_rule_cell *a = left, *b = right;
  return a->class != b->class ? (a->class > b->class) - (a->class < b->class)
                              : (a->state > b->state) - (a->state < b->state);
}

static int rule_cases_compare_ranked(const void *left, const void *right)
{
  const struct rule_cases_ranked *a = left, *b = right;
  if (a->count != b->count)
    return a->count > b->count ? -1 : 1;
  return (a->what > b->what) - (a->what < b->what);
}

/* What came next becomes a class: 0 is the most frequent one. */
static bool make_classes(struct markov_rule_cases *cases)
{
  VECTOR(struct rule_cases_ranked) ranked = {0};
  struct hash classes = {0};
  bool good = true;
  if (cases->cells.count > 0)
    qsort(cases->cells.items, cases->cells.count, sizeof *cases->cells.items, compare_whats);
  for (size_t i = 0; good && i < cases->cells.count; i++) {
    const struct markov_rule_cell *cell = &cases->cells.items[i];
    if (ranked.count == 0 || ranked.items[ranked.count - 1].what != cell->class)
      good = vector_push(&ranked, ((struct rule_cases_ranked){cell->class, 0}));
    if (good)
      ranked.items[ranked.count - 1].count += cell->all;
  }
  if (ranked.count > 0)
    qsort(ranked.items, ranked.count, sizeof *ranked.items, rule_cases_compare_ranked);
  for (size_t i = 0; good && i < ranked.count; i++) {
    uint32_t class = i < MARKOV_RULE_CLASSES ? (uint32_t)i : MARKOV_RULE_CLASSES - 1;
    bool others = class == MARKOV_RULE_CLASSES - 1 && ranked.count > MARKOV_RULE_CLASSES;
    cases->names[class] = others ? PES_NONE : ranked.items[i].what;
    cases->classes = class + 1;
    good = hash_add(&classes, ranked.items[i].what, class);
  }
  for (size_t i = 0; good && i < cases->cells.count; i++)
    cases->cells.items[i].class = (uint32_t)*hash_find(&classes, cases->cells.items[i].class);
  if (good && cases->cells.count > 0)
    qsort(cases->cells.items, cases->cells.count, sizeof *cases->cells.items, compare_places);
  vector_free(&ranked);
  hash_free(&classes);
  return good;
}

static bool are_numbers(const struct pes_set *set)
{
  bool numbers = set->count > 2;
  for (uint32_t i = 0; numbers && i < set->count; i++)
    numbers = isdigit((unsigned char)set->values[i].name[0]);
  return numbers;
}

/* Rows for the values of the components; those that can't decide anything have none. */
static bool make_rows(struct markov_rule_cases *cases)
{
  const struct pes_program *program = cases->program;
  cases->offsets = calloc((size_t)program->component_count + 1, sizeof *cases->offsets);
  cases->ordered = calloc((size_t)program->component_count + 1, sizeof *cases->ordered);
  if (!cases->offsets || !cases->ordered)
    return false;
  for (uint32_t i = 0; i < program->component_count; i++) {
    const struct pes_set *set = &program->sets[program->components[i].set];
    cases->offsets[i] = PES_NONE;
    if (set->count > VALUES_MOST || cases->values + set->count > ROWS_MOST) {
      cases->left_out++;
      continue;
    }
    cases->offsets[i] = cases->values;
    cases->ordered[i] = are_numbers(set);
    cases->values += set->count;
  }
  return true;
}

static bool find_vectors(struct markov_rule_cases *cases, const struct pes_states *states)
{
  cases->states = pes_states_count(states);
  cases->vectors = calloc((size_t)cases->states + 1, sizeof *cases->vectors);
  for (uint32_t i = 0; cases->vectors && i < cases->states; i++)
    cases->vectors[i] = pes_state(states, i)->kind == PES_BASIC ? pes_state(states, i)->vector : NULL;
  return cases->vectors;
}

bool markov_rule_cases_read(struct markov_rule_cases *cases, struct pes_stream *stream, uint32_t target,
                            struct error *error)
{
  struct rule_cases_reading reading = {.cases = cases, .stream = stream, .target = target, .error = error};
  *cases = (struct markov_rule_cases){.program = stream->program};
  bool good = rule_cases_walk(&reading, count_only);
  reading.records = reading.number;
  good = good && ((find_vectors(cases, stream->states) && make_rows(cases)) || rule_cases_out_of_memory(&reading));
  good = good && rule_cases_walk(&reading, add_case) && (make_classes(cases) || rule_cases_out_of_memory(&reading));
  hash_free(&reading.places);
  return good;
}

void markov_rule_cases_free(struct markov_rule_cases *cases)
{
  free(cases->vectors);
  vector_free(&cases->cells);
  free(cases->offsets);
  free(cases->ordered);
}
