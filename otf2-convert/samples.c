#include "otf2-convert/samples.h"

#define NODES_MOST (1u << 20) /* further ones are cut off their callers' paths */

void samples_begin(struct samples *samples, struct archive *beside)
{
  *samples = (struct samples){.beside = beside};
}

bool samples_ask(struct samples *samples, uint64_t period, uint32_t locations)
{
  if (samples->open || period == 0)
    return true;
  samples->period = period;
  samples->open = archive_open_beside(&samples->archive, samples->beside, locations) == 0;
  return samples->open;
}

void samples_free(struct samples *samples)
{
  vector_free(&samples->nodes);
  vector_free(&samples->lanes);
  hash_free(&samples->by_place);
}

static uint64_t hash_node(const struct sample_node *node)
{
  return hash_mix(node->code + hash_mix((uint64_t)node->parent << 32 | node->process));
}

/* The number of a node; the parent's where there are too many. SAMPLES_NONE: memory is short. */
static uint32_t node_number(struct samples *samples, struct sample_node node)
{
  uint64_t key = hash_node(&node);
  const uint64_t *known = hash_find(&samples->by_place, key);
  for (; known != NULL; known = hash_find(&samples->by_place, ++key)) {
    const struct sample_node *other = &samples->nodes.items[*known];
    if (other->code == node.code && other->parent == node.parent && other->process == node.process)
      return (uint32_t)*known;
  }
  if (samples->nodes.count >= NODES_MOST && node.parent != SAMPLES_NONE)
    return node.parent;
  if (!vector_push(&samples->nodes, node) || hash_add(&samples->by_place, key, samples->nodes.count - 1) == NULL)
    return SAMPLES_NONE;
  return (uint32_t)samples->nodes.count - 1;
}

/* How many of a stack's addresses can be callers: frame pointers of code that has none lead astray. */
static uint32_t depth_of(const struct module_map *map, const uint64_t *addresses, uint32_t count, uint64_t ticks)
{
  uint32_t depth = 1;
  uint64_t offset;
  while (depth < count &&
         module_map_find(map, module_map_code(map, ticks, addresses[depth]), &offset) != MODULE_MAP_NONE)
    depth++;
  return depth;
}

/* The node of a stack's innermost place, as node_number. */
static uint32_t leaf_of(struct samples *samples, const struct process *process, const uint64_t *addresses,
                        uint32_t count, uint64_t ticks)
{
  const struct module_map *map = &process->info.modules.map;
  struct sample_node node = {.parent = SAMPLES_NONE, .process = process->index};
  uint32_t number = SAMPLES_NONE;
  for (uint32_t i = depth_of(map, addresses, count, ticks); i-- > 0; node.parent = number) {
    uint64_t code = module_map_code(map, ticks, addresses[i]);
    node.code = i == 0 ? code + 1 : code; /* what runs has not returned */
    number = node_number(samples, node);
    if (number == SAMPLES_NONE)
      break;
    node.depth = samples->nodes.items[number].depth + 1;
  }
  return number;
}

/* As the definition of calling contexts has it: 1, and one for each place that the thread went into since the one that
 * it was in before, too. */
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
  if (samples->lanes.count <= location && !vector_resize(&samples->lanes, (size_t)location + 1))
    return NULL;
  struct sample_lane *lane = &samples->lanes.items[location];
  if (lane->writer == NULL) {
    lane->writer = archive_writer(&samples->archive, location);
    lane->node = SAMPLES_NONE;
  }
  return lane;
}

/* Writes a sample of a location whose innermost place is known. False: memory is short. */
static bool write_sample(struct samples *samples, const struct location *location, uint64_t time, uint32_t node)
{
  struct sample_lane *lane = node == SAMPLES_NONE ? NULL : lane_of(samples, location->number);
  if (lane == NULL)
    return false;
  lane->last = time > lane->last ? time : lane->last;
  if (lane->writer != NULL)
    archive_check(&samples->archive,
                  OTF2_EvtWriter_CallingContextSample(lane->writer, NULL, lane->last, node,
                                                      unwind_distance(samples, lane->node, node), 0));
  lane->node = node;
  lane->count++;
  samples->count++;
  return true;
}

bool samples_add(struct samples *samples, const struct location *location, uint64_t time, const uint64_t *path,
                 uint32_t depth)
{
  struct sample_node node = {.parent = SAMPLES_NONE, .process = location->process->index};
  uint32_t number = SAMPLES_NONE;
  for (uint32_t i = 0; i < depth; i++, node.parent = number) {
    node.code = path[i];
    number = node_number(samples, node);
    if (number == SAMPLES_NONE)
      return false;
    node.depth = samples->nodes.items[number].depth + 1;
  }
  samples->cut += depth > 0 && path[0] == SAMPLE_CALLERS_UNKNOWN;
  return depth == 0 || write_sample(samples, location, time, number);
}

bool samples_take(struct samples *samples, const struct kernel_log *log, struct sample sample)
{
  const struct location *location = sample.location;
  if (!samples->open || location == NULL || sample.stack == 0 || sample.stack > log->stacks.count) {
    samples->left_out++;
    return true;
  }
  struct kernel_stack stack = log->stacks.items[sample.stack - 1];
  uint32_t node = leaf_of(samples, location->process, &log->addresses.items[stack.first], stack.count, sample.ticks);
  return write_sample(samples, location, sample.time, node);
}

uint64_t samples_of(const struct samples *samples, uint32_t location)
{
  return location < samples->lanes.count ? samples->lanes.items[location].count : 0;
}

void samples_end_location(struct samples *samples, uint32_t location)
{
  if (samples_of(samples, location) == 0)
    archive_write_none(&samples->archive, location);
}
