#include "otf2-convert/samples/samples.h"

#include "common/raw/archive_names.h"

#include <string.h>

#define NODES_MOST  (1u << 20) /* further ones are cut off their callers' paths */
#define LEAVES_MOST (1u << 20)

void sample_archive_begin(struct samples *samples, struct archive *beside, struct definitions *definitions)
{
  *samples = (struct samples){.beside = beside};
  sample_paths_begin(&samples->paths, definitions);
}

void sample_archive_free(struct samples *samples)
{
  for (size_t i = 0; i < samples->triggers.count; i++)
    free(samples->triggers.items[i].name);
  vector_free(&samples->triggers);
  vector_free(&samples->nodes);
  vector_free(&samples->lanes);
  hash_free(&samples->by_place);
  hash_free(&samples->forked);
  hash_free(&samples->leaves);
  sample_paths_free(&samples->paths);
  if (samples->attributes != NULL)
    OTF2_AttributeList_Delete(samples->attributes);
}

bool sample_archive_open(struct samples *samples, uint32_t locations)
{
  if (samples->open)
    return true;
  samples->attributes = OTF2_AttributeList_New();
  samples->open =
      samples->attributes != NULL && archive_open_beside(&samples->archive, samples->beside, locations) == 0;
  return samples->open;
}

bool sample_archive_trigger(struct samples *samples, const char *name, bool by_time, uint64_t period, uint32_t *number)
{
  for (*number = 0; *number < samples->triggers.count; ++*number) {
    const struct sample_trigger *known = &samples->triggers.items[*number];
    if (known->by_time == by_time && known->period == period && strcmp(known->name, name) == 0)
      return true;
  }
  struct sample_trigger trigger = {.name = strdup(name), .by_time = by_time, .period = period};
  if (trigger.name != NULL && vector_push(&samples->triggers, trigger))
    return true;
  free(trigger.name);
  return false;
}

static const char *samples_name_of(const struct kernel_log *log, const struct kernel_sampler *sampler)
{
  return sampler->name == 0 ? "" : log->names.items[sampler->name - 1];
}

static bool samples_trigger_of(struct samples *samples, const struct kernel_log *log,
                               const struct kernel_sampler *sampler, uint32_t *number)
{
  return sample_archive_trigger(samples, samples_name_of(log, sampler), sampler->by_time, sampler->period, number);
}

bool sample_archive_ask(struct samples *samples, const struct kernel_log *log, uint32_t locations)
{
  uint32_t number;
  for (size_t i = 0; i < log->samplers.count; i++)
    if (!samples_trigger_of(samples, log, &log->samplers.items[i], &number))
      return false;
  return log->samplers.count == 0 || sample_archive_open(samples, locations);
}

bool sample_archive_ask_waits(struct samples *samples, const struct location *locations, uint32_t count)
{
  uint32_t first = 0;
  while (first < count && locations[first].stack_notes.count == 0)
    first++;
  return first == count || sample_archive_open(samples, count);
}

static uint64_t hash_node(const struct sample_node *node)
{
  return hash_mix(node->code + node->java + hash_mix((uint64_t)node->parent << 32 | node->process));
}

/* The number of a node; the parent's where there are too many. SAMPLES_NONE: memory is short. */
static uint32_t node_number(struct samples *samples, struct sample_node node)
{
  uint64_t key = hash_node(&node);
  const uint64_t *known = hash_find(&samples->by_place, key);
  for (; known != NULL; known = hash_find(&samples->by_place, ++key)) {
    const struct sample_node *other = &samples->nodes.items[*known];
    if (other->code == node.code && other->java == node.java && other->parent == node.parent &&
        other->process == node.process)
      return (uint32_t)*known;
  }
  if (samples->nodes.count >= NODES_MOST && node.parent != SAMPLES_NONE)
    return node.parent;
  node.depth = node.parent == SAMPLES_NONE ? 0 : samples->nodes.items[node.parent].depth + 1;
  if (!vector_push(&samples->nodes, node) || hash_add(&samples->by_place, key, samples->nodes.count - 1) == NULL)
    return SAMPLES_NONE;
  return (uint32_t)samples->nodes.count - 1;
}

/* Returns the parent of a path: the fork of its first code, or the unknown callers. */
static struct sample_node begin_path(const struct samples *samples, uint32_t process, const struct sample_path *path)
{
  struct sample_node node = {.parent = SAMPLES_NONE, .process = process};
  const uint64_t *forked = path->steps[0].outlined != 0 ? hash_find(&samples->forked, path->steps[0].outlined) : NULL;
  if (forked != NULL)
    node.parent = (uint32_t)*forked;
  else
    node.forks = path->steps[0].outlined;
  return node;
}

/* The node of the path's last place, as node_number. *joined: it depends on who forked last. */
static uint32_t leaf_of(struct samples *samples, uint32_t process, const struct sample_path *path, bool *joined)
{
  struct sample_node node = begin_path(samples, process, path);
  bool known = path->whole && node.forks == 0;
  uint32_t number = SAMPLES_NONE;
  *joined = path->steps[0].outlined != 0;
  if (!path->whole && !*joined) {
    node.parent = node_number(samples, node);
    if (node.parent == SAMPLES_NONE)
      return SAMPLES_NONE;
  }
  for (uint32_t i = 0; i < path->depth; i++) {
    const struct sample_step *step = &path->steps[i];
    if (known && i > 0 && step->outlined != 0 && !hash_put(&samples->forked, step->outlined, node.parent))
      return SAMPLES_NONE;
    node.code = step->code;
    node.java = step->java;
    number = node_number(samples, node);
    if (number == SAMPLES_NONE)
      break;
    node = (struct sample_node){.parent = number, .process = process};
  }
  return number;
}

bool sample_archive_leaf(struct samples *samples, const struct kernel_log *log, const struct process *process,
                         const struct sample *sample, uint32_t *leaf, bool *cut)
{
  uint64_t key = hash_mix((uint64_t)sample->stack << 32 | process->index) ^ hash_mix((uintptr_t)log);
  const uint64_t *known = hash_find(&samples->leaves, key);
  bool joined;
  *leaf = SAMPLES_NONE;
  if (known != NULL) {
    *leaf = (uint32_t)(*known >> 1);
    *cut = *known & 1;
    return true;
  }
  if (!sample_paths_find(&samples->paths, log, sample->stack, process, sample->ticks, &samples->path) ||
      samples->path.depth == 0)
    return true;
  *leaf = leaf_of(samples, process->index, &samples->path, &joined);
  *cut = !samples->path.whole;
  if (*leaf != SAMPLES_NONE && !joined && !process->info.modules.map.timed && samples->leaves.count < LEAVES_MOST)
    hash_add(&samples->leaves, key, (uint64_t)*leaf << 1 | *cut);
  return *leaf != SAMPLES_NONE;
}

/* As calling contexts are defined: 1, and one for each place that was entered after the last place that the previous
 * sample had, too. */
static uint32_t unwind_distance(const struct samples *samples, uint32_t before, uint32_t now)
{
  const struct sample_node *nodes = samples->nodes.items;
  uint32_t distance = 1;
  while (now != SAMPLES_NONE && now != before) {
    if (before == SAMPLES_NONE || nodes[now].depth >= nodes[before].depth) {
      now = nodes[now].parent;
      distance++;
    } else {
      before = nodes[before].parent;
    }
  }
  return distance;
}

static struct sample_lane *lane_of(struct samples *samples, uint32_t location)
{
  size_t count = samples->lanes.count;
  if (count <= location && !vector_resize(&samples->lanes, (size_t)location + 1))
    return NULL;
  for (; count < samples->lanes.count; count++)
    samples->lanes.items[count].node = SAMPLES_NONE;
  struct sample_lane *lane = &samples->lanes.items[location];
  if (lane->writer == NULL)
    lane->writer = archive_writer(&samples->archive, location);
  return lane;
}

uint32_t sample_archive_node(struct samples *samples, const struct process *process, const struct sample_path *path)
{
  bool joined;
  return leaf_of(samples, process->index, path, &joined);
}

static void write_sample(struct samples *samples, struct sample_lane *lane, struct sample_moment moment, uint32_t node)
{
  if (moment.weight != 1)
    archive_check(&samples->archive,
                  OTF2_AttributeList_AddUint64(samples->attributes, ATTRIBUTE_WEIGHT, moment.weight));
  archive_check(&samples->archive,
                OTF2_EvtWriter_CallingContextSample(lane->writer, samples->attributes, lane->last, node,
                                                    unwind_distance(samples, lane->node, node), moment.trigger));
}

bool sample_archive_add(struct samples *samples, struct sample_moment moment, uint32_t node, bool cut)
{
  struct sample_lane *lane = lane_of(samples, moment.location->number);
  if (lane == NULL)
    return false;
  lane->last = moment.time > lane->last ? moment.time : lane->last;
  if (lane->writer != NULL)
    write_sample(samples, lane, moment, node);
  lane->node = node;
  samples->nodes.items[node].ran = true;
  lane->count++;
  samples->count += moment.weight;
  samples->cut += cut;
  return true;
}

/* So many periods have passed with this wait; the rest is kept. The first one counts in any case: its length was
 * estimated when it was recorded. */
static uint64_t periods_of(struct location *location, const struct stack_note *note)
{
  double frequency = location->process->frequency;
  double ns = (double)(note->to - note->from) * (frequency > 0 ? 1e9 / frequency : 1);
  location->waited += ns < 0x1p62 ? (int64_t)ns : 0;
  int64_t period = note->period < INT64_MAX ? (int64_t)note->period : INT64_MAX;
  int64_t periods = location->waited / period > 1 ? location->waited / period : 1;
  location->waited -= periods * period;
  return (uint64_t)periods;
}

static bool take_wait(struct samples *samples, struct location *location, const struct stack_note *note)
{
  struct sample_moment moment = {.location = location, .time = note->time};
  const char *trigger = note->waits ? NAME_TRIGGER_WAIT : NAME_TRIGGER_CPU;
  if (!sample_archive_trigger(samples, trigger, true, note->period, &moment.trigger))
    return false;
  moment.weight = note->waits ? periods_of(location, note) : 1;
  sample_paths_of_wait(&samples->paths, note, location->process, &samples->path);
  if (samples->path.depth == 0) {
    samples->ignored++;
    return true;
  }
  uint32_t node = sample_archive_node(samples, location->process, &samples->path);
  return node != SAMPLES_NONE && sample_archive_add(samples, moment, node, !samples->path.whole);
}

bool sample_archive_take_waits(struct samples *samples, struct location *location, uint64_t until)
{
  bool good = true;
  while (good && location->stack_next < location->stack_notes.count &&
         location->stack_notes.items[location->stack_next]->time < until) {
    struct stack_note *note = location->stack_notes.items[location->stack_next++];
    good = take_wait(samples, location, note);
    stack_note_release(note);
  }
  if (location->stack_next == location->stack_notes.count)
    location->stack_next = location->stack_notes.count = 0;
  return good;
}

bool sample_archive_take(struct samples *samples, const struct kernel_log *log, struct sample sample)
{
  struct location *location = sample.location;
  struct sample_moment moment = {.location = location, .time = sample.time, .weight = 1};
  uint32_t node = SAMPLES_NONE;
  bool cut = false;
  if (!samples->open || location == NULL || sample.trigger >= log->samplers.count) {
    samples->ignored++;
    return true;
  }
  if (!sample_archive_take_waits(samples, location, sample.time) ||
      !samples_trigger_of(samples, log, &log->samplers.items[sample.trigger], &moment.trigger) ||
      !sample_archive_leaf(samples, log, location->process, &sample, &node, &cut))
    return false;
  samples->ignored += node == SAMPLES_NONE;
  return node == SAMPLES_NONE || sample_archive_add(samples, moment, node, cut);
}

void sample_archive_end(struct samples *samples, const struct location *locations, uint32_t count)
{
  bool none = samples->open;
  for (uint32_t i = 0; none && i < count; i++)
    none = sample_archive_of(samples, locations[i].number) == 0;
  samples->empty = UINT32_MAX;
  for (uint32_t i = 0; none && samples->empty == UINT32_MAX && i < count; i++)
    if (locations[i].facts.any) {
      samples->empty = locations[i].number;
      archive_close_writer(&samples->archive, archive_writer(&samples->archive, samples->empty));
    }
}

uint32_t sample_archive_parent(const struct samples *samples, uint32_t node)
{
  const struct sample_node *at = &samples->nodes.items[node];
  const uint64_t *forked = at->forks != 0 ? hash_find(&samples->forked, at->forks) : NULL;
  return forked != NULL ? (uint32_t)*forked : at->parent;
}

uint64_t sample_archive_of(const struct samples *samples, uint32_t location)
{
  return location < samples->lanes.count ? samples->lanes.items[location].count : 0;
}

void java_samples_path(const struct java_calls *calls, uint32_t id, struct sample_path *path)
{
  uint64_t inner[SAMPLE_DEPTH_MOST]; /* innermost first */
  uint32_t depth = 0;
  const struct java_call *call = java_call(calls, id);
  for (; call != NULL && depth < SAMPLE_DEPTH_MOST; call = java_call(calls, id = call->caller))
    inner[depth++] = call->place;
  path->whole = depth == 0 || id == 0;
  if (depth == 0)
    inner[depth++] = 0; /* the process ended before it said what the call is */
  path->depth = 0;
  while (depth > 0)
    path->steps[path->depth++] = (struct sample_step){.code = inner[--depth], .java = true};
}

static bool is_unnamed(const struct sample_path *path)
{
  uint32_t i = 0;
  while (i < path->depth && path->steps[i].code != 0)
    i++;
  return i < path->depth;
}

static bool java_samples_trigger_of(struct samples *samples, const struct java_calls *calls, uint32_t *number)
{
  return sample_archive_trigger(samples, NAME_TRIGGER_CPU, true, calls->period, number);
}

bool java_samples_open(struct samples *samples, const struct plan *plan, uint32_t locations)
{
  uint32_t number;
  bool good = true;
  for (size_t i = 0; i < plan->processes.count && good; i++) {
    const struct java_calls *calls = &plan->processes.items[i].info.java_calls;
    good = calls->period == 0 ||
           (sample_archive_open(samples, locations) && java_samples_trigger_of(samples, calls, &number));
  }
  return good;
}

/* The path of equal stacks is looked up once. */
static bool java_samples_add(struct samples *samples, struct sample_moment moment, uint32_t id)
{
  const struct process *process = moment.location->process;
  struct java_call unknown = {.leaf = 0}, *call = java_call(&process->info.java_calls, id);
  if (call == NULL)
    call = &unknown;
  if (call->leaf == 0) {
    java_samples_path(&process->info.java_calls, id, &samples->path);
    uint32_t node = sample_archive_node(samples, process, &samples->path);
    if (node == SAMPLES_NONE)
      return false;
    call->leaf = node + 1;
    call->cut = !samples->path.whole;
    call->unnamed = is_unnamed(&samples->path);
  }
  samples->unnamed += call->unnamed;
  return sample_archive_add(samples, moment, call->leaf - 1, call->cut);
}

bool java_samples_until(struct samples *samples, struct location *location, uint64_t time)
{
  const struct java_calls *calls = &location->process->info.java_calls;
  struct sample_moment moment = {.location = location, .weight = 1};
  if (calls->period == 0 || location->samples_next == location->sample_notes.count)
    return true;
  if (!java_samples_trigger_of(samples, calls, &moment.trigger))
    return false;
  for (; location->samples_next < location->sample_notes.count; location->samples_next++) {
    struct java_sample sample = location->sample_notes.items[location->samples_next];
    moment.time = sample.time;
    if (sample.time > time)
      break;
    if (!java_samples_add(samples, moment, sample.call))
      return false;
  }
  return true;
}

bool java_samples_rest(struct samples *samples, struct location *locations, uint32_t count)
{
  bool good = true;
  for (uint32_t i = 0; i < count && good; i++) {
    good = java_samples_until(samples, &locations[i], UINT64_MAX);
    locations[i].sample_notes.count = locations[i].samples_next = 0;
  }
  return good;
}

bool java_samples_cover(const struct location *location, uint64_t time)
{
  const struct thread_facts *facts = &location->facts;
  return location->process->info.java_calls.period != 0 && facts->is_java && facts->java_id != 0 &&
         time >= facts->java_since;
}
