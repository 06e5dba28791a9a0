#include "analyzer/models/markov/dependence.h"

#include "analyzer/models/markov/ensemble.h"
#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/statistics.h"

#include <math.h>
#include <stdlib.h>

enum { BY_TIME, BY_RECORD }; /* axes */
enum { ROTATIONS = 999, ROTATIONS_OF_MANY = 199, MANY_PAIRS = 20, VALUES = MARKOV_COMPONENT_VALUES, CLOCK = 20 };

struct dependence_finding {
  struct markov_dependence *result;
  const struct markov_model *run;
  uint8_t *values;    /* by component, then state of the run: its index among the component's values that count */
  uint8_t *courses;   /* by axis, component, then moment */
  uint32_t *meetings; /* by two components: records in which both change; by one twice: in which it changes */
  uint32_t kinds[MARKOV_COMPONENTS_MOST]; /* values that count */
  double *logs;                           /* i log i */
  double *drawn;                          /* by pair, then rotation; the first one is none: bits */
  uint64_t begin;                         /* ticks */
  uint32_t counts[2];                     /* moments, by axis; so far */
  uint64_t stride;                        /* records from one moment to the next */
  uint32_t last;                          /* the state of the last record */
};

static uint8_t *values_of(const struct dependence_finding *finding, uint32_t component)
{
  return &finding->values[(size_t)component * finding->run->count];
}

static uint8_t *course_of(const struct dependence_finding *finding, unsigned axis, uint32_t component)
{
  return &finding->courses[((size_t)axis * finding->result->components + component) * MARKOV_MOMENTS];
}

static uint32_t *meetings_of(const struct dependence_finding *finding, uint32_t first, uint32_t second)
{
  return &finding->meetings[(size_t)first * MARKOV_COMPONENTS_MOST + second];
}

struct value_time {
  uint32_t value;
  double ticks;
};

static int dependence_compare_times(const void *left, const void *right)
{
  const struct value_time *a = left, *b = right;
  if (a->ticks != b->ticks)
    return a->ticks < b->ticks ? 1 : -1;
  return (a->value > b->value) - (a->value < b->value);
}

/* Numbers a component's values by their time. */
static bool number_values(struct dependence_finding *finding, uint32_t component)
{
  const struct markov_model *run = finding->run;
  const struct pes_program *program = run->program;
  uint32_t count = program->sets[program->components[component].set].count;
  struct value_time *times = calloc((size_t)count + 1, sizeof *times);
  uint32_t *places = calloc((size_t)count + 1, sizeof *places);
  bool good = times && places;
  for (uint32_t i = 0; good && i < count; i++)
    times[i].value = i;
  for (uint32_t i = 0; good && i < run->count; i++)
    times[pes_state(run->states, i)->vector[component]].ticks += (double)run->list[i].occupancy.total;
  if (good)
    qsort(times, count, sizeof *times, dependence_compare_times);
  for (uint32_t i = 0; good && i < count; i++) {
    places[times[i].value] = i < VALUES ? i : VALUES - 1;
    finding->kinds[component] += times[i].ticks > 0 && i < VALUES;
  }
  for (uint32_t i = 0; good && i < run->count; i++)
    values_of(finding, component)[i] = (uint8_t)places[pes_state(run->states, i)->vector[component]];
  free(times);
  free(places);
  return good;
}

static void put_moment(struct dependence_finding *finding, unsigned axis, uint32_t state)
{
  for (uint32_t i = 0; i < finding->result->components; i++)
    course_of(finding, axis, i)[finding->counts[axis]] = values_of(finding, i)[state];
  finding->counts[axis]++;
}

/* Counts the components that change with this record. */
static void count_meetings(struct dependence_finding *finding, uint32_t state)
{
  uint32_t changed[MARKOV_COMPONENTS_MOST], count = 0;
  for (uint32_t i = 0; i < finding->result->components; i++) {
    if (values_of(finding, i)[state] != values_of(finding, i)[finding->last])
      changed[count++] = i;
  }
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = i; k < count; k++)
      ++*meetings_of(finding, changed[i], changed[k]);
  }
}

static void dependence_take(void *context, const struct markov_step *step)
{
  struct dependence_finding *finding = context;
  if (step->number % finding->stride == 0)
    put_moment(finding, BY_RECORD, step->state);
  if (step->number > 0)
    count_meetings(finding, step->state);
  finding->last = step->state;
  while (finding->counts[BY_TIME] < MARKOV_MOMENTS) {
    /* The middle of the moment's part of the time. */
    uint64_t since = (uint64_t)((unsigned __int128)finding->run->duration * (2 * finding->counts[BY_TIME] + 1) /
                                (2 * MARKOV_MOMENTS));
    if (since >= step->entry - finding->begin + step->ticks)
      return;
    put_moment(finding, BY_TIME, step->state);
  }
}

/* Components that change together have a common clock: as steps of one program. They are rotated by whole steps. */
static unsigned axis_of(const struct dependence_finding *finding, const struct markov_pair *pair)
{
  uint32_t one = *meetings_of(finding, pair->first, pair->first);
  uint32_t other = *meetings_of(finding, pair->second, pair->second);
  uint32_t both = *meetings_of(finding, pair->first, pair->second);
  return (double)both * CLOCK > (double)(one < other ? one : other) ? BY_RECORD : BY_TIME;
}

static double bits(double ticks, double all)
{
  return ticks > 0 ? -ticks / all * log2(ticks / all) : 0;
}

/* The exact entropies: entropy of a component, or, with another one, of both together. */
static double entropy(const struct dependence_finding *finding, uint32_t first, uint32_t second)
{
  double ticks[VALUES * VALUES] = {0}, sum = 0;
  const uint8_t *one = values_of(finding, first), *other = values_of(finding, second);
  for (uint32_t i = 0; i < finding->run->count; i++)
    ticks[one[i] * VALUES + other[i]] += (double)finding->run->list[i].occupancy.total;
  for (unsigned i = 0; i < VALUES * VALUES; i++)
    sum += bits(ticks[i], (double)finding->run->duration);
  return sum;
}

/* Mutual information of both at these moments, the second one's course shifted by a part of its length. In bits. */
static double rotated(const struct dependence_finding *finding, const struct markov_pair *pair, double shift)
{
  unsigned axis = axis_of(finding, pair);
  uint32_t counts[VALUES * VALUES] = {0}, n = finding->counts[axis], ones[VALUES] = {0}, others[VALUES] = {0};
  const uint8_t *one = course_of(finding, axis, pair->first), *other = course_of(finding, axis, pair->second);
  double sum = finding->logs[n];
  for (uint32_t i = 0, k = (uint32_t)(shift * n); i < n; i++, k = k + 1 < n ? k + 1 : 0)
    counts[one[i] * VALUES + other[k]]++;
  for (unsigned i = 0; i < finding->kinds[pair->first]; i++) {
    for (unsigned k = 0; k < finding->kinds[pair->second]; k++) {
      uint32_t count = counts[i * VALUES + k];
      sum += finding->logs[count];
      ones[i] += count;
      others[k] += count;
    }
  }
  for (unsigned i = 0; i < VALUES; i++)
    sum -= finding->logs[ones[i]] + finding->logs[others[i]];
  return sum / n;
}

static void draw_rotations(struct dependence_finding *finding, uint64_t seed)
{
  struct markov_dependence *result = finding->result;
  struct markov_random random;
  markov_random_seed(&random, seed);
  for (uint32_t turn = 0; turn <= result->rotations; turn++) {
    double shifts[MARKOV_COMPONENTS_MOST] = {0}; /* the same for all pairs that a component is in */
    for (uint32_t i = 0; turn > 0 && i < result->components; i++)
      shifts[i] = (double)(markov_random_next(&random) >> 11) * 0x1p-53;
    for (uint32_t i = 0; i < result->pair_count; i++) {
      const struct markov_pair *pair = &result->pairs[i];
      double shift = shifts[pair->second] - shifts[pair->first];
      finding->drawn[(size_t)i * (result->rotations + 1) + turn] =
          rotated(finding, pair, shift < 0 ? shift + 1 : shift);
    }
  }
}

/* Puts each pair's numbers on one scale, the same for the real course and the rotations. Constant ones become 0. */
static void standardize(double *drawn, uint32_t count)
{
  double mean = 0, squares = 0;
  for (uint32_t i = 0; i < count; i++)
    mean += drawn[i] / count;
  for (uint32_t i = 0; i < count; i++)
    squares += (drawn[i] - mean) * (drawn[i] - mean);
  double deviation = sqrt(squares / count);
  for (uint32_t i = 0; i < count; i++)
    drawn[i] = deviation > 1e-12 ? (drawn[i] - mean) / deviation : 0;
}

/* The largest of all pairs is what a pair must exceed, so that p holds for all of them together. */
static void fill_chances(struct dependence_finding *finding, double level)
{
  struct markov_dependence *result = finding->result;
  uint32_t count = result->rotations + 1;
  for (uint32_t i = 0; i < result->pair_count; i++) {
    struct markov_pair *pair = &result->pairs[i];
    double *drawn = &finding->drawn[(size_t)i * count];
    double freedom = (finding->kinds[pair->first] - 1.) * (finding->kinds[pair->second] - 1.);
    for (uint32_t turn = 1; turn < count; turn++)
      pair->chance += drawn[turn] / result->rotations;
    /* Chance has freedom / 2n nats, if n independent moments were seen: as many have l / 2n beyond that to be found. */
    pair->smallest =
        freedom > 0 ? markov_noncentrality(level / result->pair_count, freedom) * pair->chance / freedom : NAN;
    pair->p = freedom > 0 ? 0 : NAN;
    standardize(drawn, count);
  }
  for (uint32_t turn = 0; turn < count; turn++) {
    double most = -INFINITY;
    for (uint32_t i = 0; i < result->pair_count; i++)
      most = fmax(most, finding->drawn[(size_t)i * count + turn]);
    for (uint32_t i = 0; i < result->pair_count; i++)
      result->pairs[i].p += most >= finding->drawn[(size_t)i * count] - 1e-9 ? 1. / count : 0;
  }
}

static bool allocate(struct dependence_finding *finding)
{
  struct markov_dependence *result = finding->result;
  uint32_t n = result->components;
  result->pair_count = n * (n - 1) / 2;
  result->rotations = result->pair_count > MANY_PAIRS ? ROTATIONS_OF_MANY : ROTATIONS;
  result->pairs = calloc((size_t)result->pair_count + 1, sizeof *result->pairs);
  finding->values = calloc((size_t)n * finding->run->count + 1, 1);
  finding->courses = calloc((size_t)2 * n * MARKOV_MOMENTS + 1, 1);
  finding->meetings = calloc((size_t)MARKOV_COMPONENTS_MOST * MARKOV_COMPONENTS_MOST, sizeof *finding->meetings);
  finding->stride = (finding->run->records + MARKOV_MOMENTS - 1) / MARKOV_MOMENTS;
  finding->logs = calloc(MARKOV_MOMENTS + 1, sizeof *finding->logs);
  finding->drawn = calloc((size_t)result->pair_count * (result->rotations + 1) + 1, sizeof *finding->drawn);
  if (!result->pairs || !finding->values || !finding->courses || !finding->meetings || !finding->logs ||
      !finding->drawn)
    return false;
  for (uint32_t i = 1; i <= MARKOV_MOMENTS; i++)
    finding->logs[i] = i * log2(i);
  return true;
}

static bool dependence_fill(struct dependence_finding *finding, struct pes_stream *stream,
                            const struct markov_dependence_options *options, struct error *error)
{
  struct markov_dependence *result = finding->result;
  bool good = allocate(finding);
  for (uint32_t i = 0; good && i < result->components; i++)
    good = number_values(finding, i);
  if (!good)
    return error_set(error, "out of memory");
  finding->begin = stream->end.time - finding->run->duration;
  if (!markov_steps(stream, finding->run, dependence_take, finding, error))
    return false;
  struct markov_pair *pair = result->pairs;
  for (uint32_t i = 0; i < result->components; i++)
    result->entropies[i] = entropy(finding, i, i);
  for (uint32_t i = 0; i < result->components; i++) {
    for (uint32_t k = i + 1; k < result->components; k++)
      *pair++ = (struct markov_pair){.first = i,
                                     .second = k,
                                     .information =
                                         fmax(0, result->entropies[i] + result->entropies[k] - entropy(finding, i, k))};
  }
  draw_rotations(finding, options->seed);
  fill_chances(finding, options->level);
  return true;
}

static bool check(const struct markov_model *run, struct error *error)
{
  if (run->program->component_count > MARKOV_COMPONENTS_MOST)
    return error_set(error, "the sequence has %u components, more than %d; keep some: heddle transform --project",
                     run->program->component_count, MARKOV_COMPONENTS_MOST);
  for (uint32_t i = 0; i < run->count; i++) {
    if (pes_state(run->states, i)->kind != PES_BASIC)
      return error_set(error, "the sequence has aggregates, which have no components; take it as it was before");
  }
  return run->duration > 0 || error_set(error, "no time passes in the sequence");
}

struct markov_dependence *markov_dependence_of(struct pes_stream *stream,
                                               const struct markov_dependence_options *options, struct error *error)
{
  struct markov_options rules = {MARKOV_DROP, MARKOV_RESTART, false};
  struct markov_model *run = markov_model_of(stream, &rules, error);
  bool good = run && check(run, error);
  struct dependence_finding finding = {.run = run, .result = good ? calloc(1, sizeof *finding.result) : NULL};
  if (good && !finding.result)
    good = error_set(error, "out of memory");
  if (good) {
    finding.result->components = run->program->component_count;
    good = dependence_fill(&finding, stream, options, error);
  }
  free(finding.values);
  free(finding.courses);
  free(finding.meetings);
  free(finding.logs);
  free(finding.drawn);
  markov_model_free(run);
  if (good)
    return finding.result;
  markov_dependence_free(finding.result);
  return NULL;
}

void markov_dependence_free(struct markov_dependence *dependence)
{
  if (!dependence)
    return;
  free(dependence->pairs);
  free(dependence);
}

double markov_pair_excess(const struct markov_pair *pair)
{
  return fmax(0, pair->information - pair->chance);
}
