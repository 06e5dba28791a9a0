#include "analyzer/analyses/waits/paths.h"

#include "base/hash.h"

#include <stdlib.h>

enum {
  NODES_LEAST = 1024,
  SEARCHED_PARTS = 16, /* so few parts are searched one by one: most nodes have one or two */
  KEPT_ROOM = 32       /* parts or stretches, for which an unused node keeps its room */
};

struct part_sum {
  uint64_t key; /* paths_key_of() */
  uint64_t ticks;
};

struct part_sums {
  VECTOR(struct part_sum) list;
  struct hash numbers; /* of more than SEARCHED_PARTS: key -> place in the list */
};

/* A stretch of one path or of several ones. */
struct node {
  struct node *before;
  uint32_t uses;   /* by nodes, threads and moments */
  uint64_t tidied; /* the round of tidy() that shortened it and all before it */
  struct part_sums parts;
  struct path_line line;
};

struct moment {
  uint64_t time;
  struct node *node; /* NULL: none */
  struct path_part next;
};

struct thread {
  struct node *node; /* that grows, only this thread's; NULL: it has not begun */
  uint64_t born;     /* its first event */
  uint64_t reached;
  struct path_part next;
  struct moment moments[PATHS_KEPT];
  unsigned newest;
};

struct paths {
  const struct trace *trace;
  struct thread **threads; /* by location; NULL: no events yet */
  uint64_t *origins;       /* by process, the last one of threads that are in none; UINT64_MAX: not begun */
  size_t nodes, limit;
  uint64_t round;              /* tidy() counts from 1 on */
  struct node *unused;         /* by `before`; each moment takes a node */
  VECTOR(struct node *) chain; /* of shorten() */
};

static uint64_t paths_key_of(struct path_part part)
{
  return (uint64_t)part.location << 40 | (uint64_t)(part.construct + 1) << 8 | part.state;
}

static struct path_part part_of(uint64_t key)
{
  return (struct path_part){(uint32_t)(key >> 40), (uint32_t)(key >> 8) - 1, (uint32_t)(key & 0xff)};
}

static uint32_t paths_process_of(const struct paths *paths, uint32_t location)
{
  uint32_t process = paths->trace->locations[location].process;
  return process == TRACE_NONE ? paths->trace->process_count : process;
}

struct paths *paths_create(const struct trace *trace)
{
  struct paths *paths = calloc(1, sizeof *paths);
  if (!paths)
    return NULL;
  paths->trace = trace;
  paths->limit = NODES_LEAST;
  paths->threads = calloc((size_t)trace->location_count + 1, sizeof *paths->threads);
  paths->origins = malloc(((size_t)trace->process_count + 1) * sizeof *paths->origins);
  if (!paths->threads || !paths->origins) {
    paths_destroy(paths);
    return NULL;
  }
  for (uint32_t i = 0; i <= trace->process_count; i++)
    paths->origins[i] = UINT64_MAX;
  return paths;
}

static void part_sums_free(struct part_sums *parts)
{
  vector_free(&parts->list);
  hash_free(&parts->numbers);
}

static void free_node(struct node *node)
{
  part_sums_free(&node->parts);
  line_free(&node->line);
  free(node);
}

static void clear(struct node *node)
{
  hash_free(&node->parts.numbers);
  if (node->parts.list.room > KEPT_ROOM)
    part_sums_free(&node->parts);
  if (node->line.stretches.room > KEPT_ROOM)
    line_free(&node->line);
  node->parts.list.count = 0;
  node->line.stretches.count = 0;
}

static void drop(struct paths *paths, struct node *node)
{
  while (node && --node->uses == 0) {
    struct node *before = node->before;
    clear(node);
    node->before = paths->unused;
    paths->unused = node;
    paths->nodes--;
    node = before;
  }
}

void paths_destroy(struct paths *paths)
{
  if (!paths)
    return;
  for (uint32_t i = 0; paths->threads && i < paths->trace->location_count; i++) {
    struct thread *thread = paths->threads[i];
    for (unsigned k = 0; thread && k < PATHS_KEPT; k++)
      drop(paths, thread->moments[k].node);
    if (thread)
      drop(paths, thread->node);
    free(thread);
  }
  while (paths->unused) {
    struct node *node = paths->unused;
    paths->unused = node->before;
    free_node(node);
  }
  vector_free(&paths->chain);
  free(paths->threads);
  free(paths->origins);
  free(paths);
}

/* NULL: the list does not have the key. */
static struct part_sum *part_sums_find(const struct part_sums *parts, uint64_t key)
{
  if (parts->list.count > SEARCHED_PARTS) {
    const uint64_t *number = hash_find(&parts->numbers, key);
    return number ? &parts->list.items[*number] : NULL;
  }
  for (size_t i = parts->list.count; i-- > 0;)
    if (parts->list.items[i].key == key)
      return &parts->list.items[i];
  return NULL;
}

/* The list has a new last item. False: no memory. */
static bool number_last(struct part_sums *parts)
{
  size_t count = parts->list.count;
  if (count <= SEARCHED_PARTS)
    return true;
  for (size_t i = count == SEARCHED_PARTS + 1 ? 0 : count - 1; i < count; i++)
    if (!hash_put(&parts->numbers, parts->list.items[i].key, i))
      return false;
  return true;
}

static bool paths_add(struct part_sums *parts, uint64_t key, uint64_t ticks)
{
  struct part_sum *sum = ticks ? part_sums_find(parts, key) : NULL;
  if (sum)
    sum->ticks += ticks;
  if (ticks == 0 || sum)
    return true;
  return vector_push(&parts->list, ((struct part_sum){key, ticks})) && number_last(parts);
}

static bool add_all(struct part_sums *into, const struct part_sums *from)
{
  for (size_t i = 0; i < from->list.count; i++)
    if (!paths_add(into, from->list.items[i].key, from->list.items[i].ticks))
      return false;
  return true;
}

/* Takes over the use of `before`. NULL: no memory. */
static struct node *new_node(struct paths *paths, struct node *before)
{
  struct node *node = paths->unused;
  if (node)
    paths->unused = node->before;
  else if (!(node = calloc(1, sizeof *node)))
    return NULL;
  node->before = before;
  node->uses = 1;
  paths->nodes++;
  return node;
}

/* Merges the nodes of the chain, the last one first, into the first node of the chain. False: no memory. */
static bool merge_chain(struct paths *paths)
{
  struct node *node = paths->chain.items[0], *sum = paths->chain.items[paths->chain.count - 1];
  for (size_t i = paths->chain.count - 1; i-- > 0;) {
    struct node *later = paths->chain.items[i];
    if (later->parts.list.count > sum->parts.list.count) {
      struct part_sums swapped = sum->parts;
      sum->parts = later->parts;
      later->parts = swapped;
    }
    if (!add_all(&sum->parts, &later->parts) || !line_append(&sum->line, &later->line))
      return false;
  }
  struct node swapped = *node;
  node->parts = sum->parts;
  node->line = sum->line;
  sum->parts = swapped.parts;
  sum->line = swapped.line;
  node->before = sum->before;
  sum->before = NULL;
  drop(paths, swapped.before);
  return true;
}

/* Merges nodes with the only one after them; looks at so many nodes, and at none that the round has shortened (0: no
 * round). Paths share nodes, so a round that looked at all would take the square of the threads. False: no memory. */
static bool shorten(struct paths *paths, struct node *node, unsigned most, uint64_t round)
{
  while (node && node->before && most > 0 && (round == 0 || node->tidied != round)) {
    paths->chain.count = 0;
    node->tidied = round;
    bool good = vector_push(&paths->chain, node);
    for (; good && node->before && node->before->uses == 1 && most > 0; most--) {
      node = node->before;
      good = vector_push(&paths->chain, node);
    }
    if (!good)
      return false;
    if (paths->chain.count > 1 && !merge_chain(paths))
      return false;
    node = paths->chain.items[0]->before;
    most -= most > 0;
  }
  return true;
}

static bool tidy(struct paths *paths)
{
  paths->round++;
  for (uint32_t i = 0; i < paths->trace->location_count; i++) {
    struct thread *thread = paths->threads[i];
    if (thread && !shorten(paths, thread->node, UINT32_MAX, paths->round))
      return false;
    for (unsigned k = 0; thread && k < PATHS_KEPT; k++)
      if (thread->moments[k].node && !shorten(paths, thread->moments[k].node, UINT32_MAX, paths->round))
        return false;
  }
  paths->limit = 2 * paths->nodes > NODES_LEAST ? 2 * paths->nodes : NODES_LEAST;
  return true;
}

bool paths_begin(struct paths *paths, uint32_t location, uint64_t time)
{
  uint64_t *origin = &paths->origins[paths_process_of(paths, location)];
  if (paths->threads[location])
    return true;
  struct thread *thread = calloc(1, sizeof *thread);
  if (!thread)
    return false;
  paths->threads[location] = thread;
  if (*origin == UINT64_MAX)
    *origin = time;
  thread->reached = *origin;
  thread->born = time;
  thread->next = (struct path_part){location, TRACE_NONE, STATE_RUN};
  thread->node = new_node(paths, NULL);
  return thread->node && paths_extend(paths, (struct path_part){location, TRACE_NONE, PATH_BEFORE}, time);
}

bool paths_extend(struct paths *paths, struct path_part part, uint64_t time)
{
  struct thread *thread = paths->threads[part.location];
  if (!thread || time <= thread->reached)
    return true;
  struct path_stretch stretch = {part.location, thread->reached, time};
  thread->reached = time;
  return paths_add(&thread->node->parts, paths_key_of(part), time - stretch.begin) &&
         (part.state >= PATH_BEFORE || line_add(&thread->node->line, stretch));
}

void paths_turn(struct paths *paths, struct path_part next)
{
  if (paths->threads[next.location])
    paths->threads[next.location]->next = next;
}

bool paths_keep(struct paths *paths, uint32_t location)
{
  struct thread *thread = paths->threads[location];
  if (!thread)
    return true;
  struct moment *newest = &thread->moments[thread->newest];
  if (newest->node && newest->time == thread->reached && thread->node->parts.list.count == 0 &&
      thread->node->before == newest->node) {
    newest->next = thread->next;
    return true;
  }
  struct node *node = new_node(paths, thread->node);
  if (!node)
    return false;
  thread->newest = (thread->newest + 1) % PATHS_KEPT;
  newest = &thread->moments[thread->newest];
  drop(paths, newest->node);
  *newest = (struct moment){thread->reached, thread->node, thread->next};
  thread->node->uses++;
  thread->node = node;
  /* Nobody can continue from the moment that was dropped: the next one's node takes its node. */
  return shorten(paths, thread->moments[(thread->newest + 1) % PATHS_KEPT].node, 2, 0) &&
         shorten(paths, newest->node, 2, 0) && (paths->nodes < paths->limit || tidy(paths));
}

/* The latest kept moment up to a time; NULL: there is none. */
static const struct moment *moment_of(const struct thread *thread, uint64_t time)
{
  for (unsigned i = 0; i < PATHS_KEPT; i++) {
    const struct moment *moment = &thread->moments[(thread->newest + PATHS_KEPT - i) % PATHS_KEPT];
    if (!moment->node)
      return NULL;
    if (moment->time <= time)
      return moment;
  }
  return NULL;
}

bool paths_continue(struct paths *paths, uint32_t from, uint64_t from_time, struct path_part part, uint64_t time,
                    bool *taken)
{
  struct thread *thread = paths->threads[part.location], *waker = paths->threads[from];
  *taken = false;
  if (!thread || !waker || thread == waker || paths_process_of(paths, from) != paths_process_of(paths, part.location))
    return true;
  if (from_time > time || thread->reached > time || from_time < paths->origins[paths_process_of(paths, from)])
    return true;
  if (waker->reached <= from_time && !paths_keep(paths, from))
    return false;
  const struct moment *moment = moment_of(waker, from_time);
  if (!moment)
    return true;
  struct node *node = new_node(paths, moment->node);
  if (!node)
    return false;
  moment->node->uses++;
  drop(paths, thread->node);
  thread->node = node;
  struct path_part next = moment->next;
  next.location = from;
  thread->reached = time;
  *taken = true;
  uint64_t born = thread->born > from_time ? thread->born < time ? thread->born : time : from_time;
  struct path_part before = {part.location, TRACE_NONE, PATH_BEFORE};
  return line_add(&node->line, (struct path_stretch){from, moment->time, from_time}) &&
         line_add(&node->line, (struct path_stretch){part.location, born, time}) &&
         paths_add(&node->parts, paths_key_of(next), from_time - moment->time) &&
         paths_add(&node->parts, paths_key_of(before), born - from_time) &&
         paths_add(&node->parts, paths_key_of(part), time - born);
}

uint64_t paths_reached(const struct paths *paths, uint32_t location)
{
  return paths->threads[location] ? paths->threads[location]->reached : 0;
}

uint64_t paths_origin(const struct paths *paths, uint32_t location)
{
  return paths->origins[paths_process_of(paths, location)];
}

bool paths_visit(const struct paths *paths, uint32_t location, path_visitor *visit, void *context)
{
  const struct thread *thread = paths->threads[location];
  for (const struct node *node = thread ? thread->node : NULL; node; node = node->before)
    for (size_t i = 0; i < node->parts.list.count; i++)
      if (!visit(context, part_of(node->parts.list.items[i].key), node->parts.list.items[i].ticks))
        return false;
  return true;
}

static bool gather(const struct node *node, struct path_line *line)
{
  VECTOR(const struct node *) chain = {0};
  bool good = true;
  for (; good && node; node = node->before)
    good = vector_push(&chain, node);
  for (size_t i = chain.count; good && i-- > 0;)
    good = line_append(line, &chain.items[i]->line);
  vector_free(&chain);
  return good;
}

bool paths_line(const struct paths *paths, uint32_t location, struct path_line *line)
{
  const struct thread *thread = paths->threads[location];
  *line = (struct path_line){0};
  bool good = !thread || gather(thread->node, line);
  line_shorten(line);
  return good;
}

size_t paths_nodes(const struct paths *paths)
{
  return paths->nodes;
}
