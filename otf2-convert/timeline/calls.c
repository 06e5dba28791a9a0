#include "otf2-convert/timeline/calls.h"

#include "common/raw/raw_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A part of a thread's tree. */
struct call_segment {
  uint64_t offset; /* of its nodes in the file */
  uint32_t thread, first, used;
  struct raw_calls_segment head;
};

struct call_trees {
  int fd;
  VECTOR(struct call_segment) segments; /* by thread, then by first node */
  uint32_t damaged;                     /* invalid segments so far */
};

/* The tree of a thread. Parents have smaller numbers; node 0 is the thread. The caller frees `nodes`. */
struct call_tree {
  uint32_t thread, count;
  const struct raw_calls_segment *head;
  struct raw_calls_node *nodes;
};

/* Reads n bytes; bytes behind the file's end are zero. False: errno says why. */
static bool call_trees_read_at(int fd, void *into, size_t n, uint64_t offset)
{
  char *at = into;
  while (n > 0) {
    ssize_t done = pread(fd, at, n, (off_t)offset);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return false;
    if (done == 0) {
      memset(at, 0, n);
      return true;
    }
    at += done;
    offset += (uint64_t)done;
    n -= (size_t)done;
  }
  return true;
}

static bool is_segment(const struct raw_calls_segment *head)
{
  return head->magic == RAW_CALLS_MAGIC && head->version == RAW_CALLS_VERSION && head->size >= RAW_CALLS_UNIT &&
         head->size <= RAW_CALLS_LARGEST && head->size % RAW_CALLS_UNIT == 0 && head->first < RAW_CALLS_MOST &&
         head->used <= (head->size - sizeof *head) / sizeof(struct raw_calls_node);
}

static int call_trees_compare(const void *a, const void *b)
{
  const struct call_segment *x = a, *y = b;
  if (x->thread != y->thread)
    return x->thread < y->thread ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first);
}

static bool read_heads(struct call_trees *trees, uint64_t size)
{
  for (uint64_t offset = 0; offset + RAW_CALLS_UNIT <= size;) {
    struct raw_calls_segment head;
    if (!call_trees_read_at(trees->fd, &head, sizeof head, offset))
      return false;
    bool good = is_segment(&head);
    if (good && !vector_push(&trees->segments,
                             ((struct call_segment){offset + sizeof head, head.thread, head.first, head.used, head}))) {
      errno = ENOMEM;
      return false;
    }
    trees->damaged += !good && head.magic != 0;
    offset += good ? head.size : RAW_CALLS_UNIT;
  }
  if (trees->segments.count > 0)
    qsort(trees->segments.items, trees->segments.count, sizeof *trees->segments.items, call_trees_compare);
  return true;
}

/* Opens the file in a process' directory. A process without it has no segments. False: errno says why. */
static bool call_trees_open(struct call_trees *trees, int directory)
{
  struct stat status;
  *trees = (struct call_trees){.fd = openat(directory, RAW_CALLS_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (trees->fd < 0)
    return errno == ENOENT || errno == ELOOP;
  if (fstat(trees->fd, &status) != 0)
    return false;
  return !S_ISREG(status.st_mode) || read_heads(trees, (uint64_t)status.st_size);
}

static void call_trees_close(struct call_trees *trees)
{
  vector_free(&trees->segments);
  if (trees->fd >= 0)
    close(trees->fd);
}

/* Returns the number of segments from `at` on that make a thread's tree; *count becomes its number of nodes. */
static size_t whole_part(struct call_trees *trees, size_t at, size_t end, uint32_t *count)
{
  *count = 0;
  for (size_t i = at; i < end; i++) {
    const struct call_segment *segment = &trees->segments.items[i];
    if (segment->first != *count || segment->used > RAW_CALLS_MOST - *count) {
      trees->damaged += (uint32_t)(end - i);
      return i;
    }
    *count += segment->used;
  }
  return end;
}

/* Cuts what is behind a node that can't be. */
static void check(struct call_trees *trees, struct call_tree *tree)
{
  for (uint32_t i = 0; i < tree->count; i++) {
    const struct raw_calls_node *node = &tree->nodes[i];
    if ((node->function == 0) != (i == 0) || (i > 0 && node->parent >= i)) {
      trees->damaged++;
      tree->count = i;
    }
  }
}

/* Reads the next thread's tree; *at is 0 at first. False: there is none, or *error is an errno value. An impossible
 * value ends the tree. */
static bool call_trees_next(struct call_trees *trees, size_t *at, struct call_tree *tree, int *error)
{
  size_t begin = *at, end = begin;
  *error = 0;
  if (begin >= trees->segments.count)
    return false;
  const struct call_segment *first = &trees->segments.items[begin];
  while (end < trees->segments.count && trees->segments.items[end].thread == first->thread)
    end++;
  *at = end;
  *tree = (struct call_tree){.thread = first->thread, .head = &first->head};
  end = whole_part(trees, begin, end, &tree->count);
  tree->nodes = malloc(((size_t)tree->count + 1) * sizeof *tree->nodes);
  *error = tree->nodes == NULL ? ENOMEM : 0;
  for (size_t i = begin, n = 0; *error == 0 && i < end; i++) {
    const struct call_segment *segment = &trees->segments.items[i];
    if (!call_trees_read_at(trees->fd, &tree->nodes[n], segment->used * sizeof *tree->nodes, segment->offset))
      *error = errno;
    n += segment->used;
  }
  if (*error == 0) {
    check(trees, tree);
    return true;
  }
  free(tree->nodes);
  return false;
}

#define CONTEXTS_MOST (1u << 22) /* the time of further ones is their callers' */

/* Sums of a node, in archive time. */
struct sums {
  uint32_t context; /* CALLS_NONE: it has none */
  bool runs;
  uint64_t calls, inclusive, children, blocked;
};

/* One thread's tree, and what becomes of it. */
struct conversion_of_tree {
  struct calls *calls;
  const struct location *location;
  const struct process *process;
  const struct call_tree *tree;
  struct sums *sums;
  uint64_t end; /* archive time: functions that run have run up to it */
  OTF2_AttributeList *attributes;
};

void calls_archive_begin(struct calls *calls, struct archive *beside)
{
  *calls = (struct calls){.beside = beside};
}

void calls_archive_free(struct calls *calls)
{
  vector_free(&calls->contexts);
  vector_free(&calls->sites);
  vector_free(&calls->events);
  hash_free(&calls->by_path);
  hash_free(&calls->by_site);
}

uint64_t calls_archive_of(const struct calls *calls, uint32_t location)
{
  return location < calls->events.count ? calls->events.items[location] : 0;
}

/* The number of a context; CALLS_NONE: there are too many, or memory is short (*error). */
static uint32_t context_number(struct calls *calls, struct call_context context, int *error)
{
  uint64_t key =
      hash_mix(context.function + hash_mix((uint64_t)context.parent << 32 | context.process) + hash_mix(~context.site));
  const uint64_t *known = hash_find(&calls->by_path, key);
  for (; known != NULL; known = hash_find(&calls->by_path, ++key)) {
    const struct call_context *other = &calls->contexts.items[*known];
    if (other->function == context.function && other->parent == context.parent && other->process == context.process &&
        other->site == context.site)
      return (uint32_t)*known;
  }
  if (calls->contexts.count >= CONTEXTS_MOST)
    return CALLS_NONE;
  if (vector_push(&calls->contexts, context) && hash_add(&calls->by_path, key, calls->contexts.count - 1) != NULL)
    return (uint32_t)calls->contexts.count - 1;
  *error = ENOMEM;
  return CALLS_NONE;
}

static uint32_t site_number(struct calls *calls, struct call_site site, int *error)
{
  uint64_t key = hash_mix(site.code + hash_mix(site.process));
  const uint64_t *known = hash_find(&calls->by_site, key);
  for (; known != NULL; known = hash_find(&calls->by_site, ++key)) {
    const struct call_site *other = &calls->sites.items[*known];
    if (other->code == site.code && other->process == site.process)
      return (uint32_t)*known;
  }
  if (vector_push(&calls->sites, site) && hash_add(&calls->by_site, key, calls->sites.count - 1) != NULL)
    return (uint32_t)calls->sites.count - 1;
  *error = ENOMEM;
  return OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
}

static uint32_t context_of(struct conversion_of_tree *on, const struct raw_calls_node *node, int *error)
{
  uint32_t above = on->sums[node->parent].context;
  if (node->parent != 0 && above == CALLS_NONE)
    return CALLS_NONE;
  const struct module_map *map = &on->process->info.modules.map;
  bool java = (node->function & RAW_CODE_PLACE) != 0,
       has_site = !java && (node->depth_and_flags & RAW_CALLS_ANY_SITE) == 0;
  struct call_context context = {.parent = node->parent == 0 ? CALLS_NONE : above,
                                 .process = on->process->index,
                                 .depth = node->parent == 0 ? 1 : on->calls->contexts.items[above].depth + 1,
                                 .function =
                                     (java ? node->function : module_map_code(map, node->first, node->function)) + 1,
                                 .site = has_site ? module_map_code(map, node->first, node->site) : 0};
  return context_number(on->calls, context, error);
}

/* Returns the duration of a call that has not returned. */
static uint64_t unfinished(const struct conversion_of_tree *on, uint64_t begin)
{
  uint64_t from = process_time(on->process, begin);
  return on->end > from ? on->end - from : 0;
}

static void calls_sum_up(struct conversion_of_tree *on, const struct raw_calls_node *node, struct sums *sums)
{
  sums->runs = node->begin != 0;
  sums->calls = sums->runs;
  for (unsigned i = 0; i < RAW_CALLS_DURATIONS; i++)
    sums->calls += node->durations[i];
  sums->inclusive = process_duration(on->process, on->process->info.first.ticks, node->inclusive) +
                    (sums->runs ? unfinished(on, node->begin) : 0);
  sums->blocked = process_duration(on->process, on->process->info.first.ticks, node->blocked);
}

/* A wait that had not ended when the thread did. What children had meanwhile is theirs. */
static void add_unfinished_wait(const struct conversion_of_tree *on, const struct raw_calls_node *node,
                                struct sums *sums)
{
  if (!sums->runs || node->wait_begin == 0 || node->wait_begin < node->begin)
    return;
  uint64_t wait = unfinished(on, node->wait_begin),
           before = process_duration(on->process, on->process->info.first.ticks, node->wait_children);
  uint64_t meanwhile = sums->children > before ? sums->children - before : 0;
  sums->blocked += wait > meanwhile ? wait - meanwhile : 0;
}

static void calls_add_number(struct conversion_of_tree *on, uint32_t attribute, uint64_t number)
{
  archive_check(&on->calls->archive, OTF2_AttributeList_AddUint64(on->attributes, attribute, number));
}

static void add_attributes(struct conversion_of_tree *on, const struct raw_calls_node *node, const struct sums *sums,
                           int *error)
{
  uint64_t others = sums->children + sums->blocked;
  calls_add_number(on, CALL_CALLS, sums->calls);
  calls_add_number(on, CALL_INCLUSIVE, sums->inclusive);
  calls_add_number(on, CALL_SELF, sums->inclusive > others ? sums->inclusive - others : 0);
  if (sums->blocked > 0)
    calls_add_number(on, CALL_BLOCKED, sums->blocked);
  if (sums->runs)
    calls_add_number(on, CALL_RUNNING, 1);
  if (sums->calls > sums->runs) {
    calls_add_number(on, CALL_SHORTEST, process_duration(on->process, on->process->info.first.ticks, node->shortest));
    calls_add_number(on, CALL_LONGEST, process_duration(on->process, on->process->info.first.ticks, node->longest));
  }
  const struct call_context *context = &on->calls->contexts.items[sums->context];
  uint32_t site =
      context->site == 0
          ? OTF2_UNDEFINED_SOURCE_CODE_LOCATION
          : site_number(on->calls, (struct call_site){.process = context->process, .code = context->site}, error);
  if (site != OTF2_UNDEFINED_SOURCE_CODE_LOCATION)
    archive_check(&on->calls->archive, OTF2_AttributeList_AddSourceCodeLocationRef(on->attributes, CALL_SITE, site));
  for (unsigned i = 0; i < RAW_CALLS_DURATIONS; i++)
    if (node->durations[i] > 0)
      calls_add_number(on, CALL_ATTRIBUTE_COUNT + i, node->durations[i]);
}

/* Ticks of a call are at least its parts' ticks; this must stay so where each is rounded to ns. */
static void hold_parts(struct sums *sums, uint64_t parts)
{
  uint64_t others = sums->children + sums->blocked;
  if (sums->inclusive < others && others - sums->inclusive <= parts)
    sums->inclusive = others;
}

/* Parents come before their children: the children's time is added up from behind. */
static int write_tree(struct conversion_of_tree *on)
{
  const struct call_tree *tree = on->tree;
  int error = 0;
  OTF2_EvtWriter *writer = archive_writer(&on->calls->archive, on->location->number);
  for (uint32_t i = 0; i < tree->count && error == 0; i++) {
    on->sums[i].context = i == 0 ? CALLS_NONE : context_of(on, &tree->nodes[i], &error);
    calls_sum_up(on, &tree->nodes[i], &on->sums[i]);
  }
  for (uint32_t i = tree->count; i-- > 1 && error == 0;) {
    hold_parts(&on->sums[i], tree->count);
    if (on->sums[i].context != CALLS_NONE)
      on->sums[tree->nodes[i].parent].children += on->sums[i].inclusive;
  }
  for (uint32_t i = 1; i < tree->count && error == 0 && writer != NULL; i++) {
    struct sums *sums = &on->sums[i];
    if (sums->context == CALLS_NONE || sums->calls == 0)
      continue;
    add_unfinished_wait(on, &tree->nodes[i], sums);
    add_attributes(on, &tree->nodes[i], sums, &error);
    archive_check(&on->calls->archive,
                  OTF2_EvtWriter_CallingContextSample(writer, on->attributes, on->end, sums->context,
                                                      on->calls->contexts.items[sums->context].depth, 0));
    on->calls->events.items[on->location->number]++;
  }
  archive_close_writer(&on->calls->archive, writer);
  return error;
}

/* When the thread ended, or was seen last, if it was killed. */
static uint64_t calls_end_of(const struct location *location, const struct call_tree *tree)
{
  uint64_t ticks = tree->head->ended != 0 ? tree->head->ended : tree->head->newest;
  for (uint32_t i = 0; i < tree->count; i++)
    if (tree->nodes[i].begin > ticks)
      ticks = tree->nodes[i].begin;
  uint64_t end = process_time(location->process, ticks);
  if (tree->head->ended == 0 && location->facts.last_time > end)
    end = location->facts.last_time;
  return end;
}

static void calls_add_counts(struct calls *calls, const struct raw_calls_segment *head)
{
  calls->full += head->full;
  calls->deep += head->deep;
  calls->not_measured += head->not_measured;
  calls->left += head->left;
  calls->unmatched += head->unmatched;
  calls->on_virtual += head->on_virtual;
}

static int convert_tree(struct calls *calls, const struct location *location, const struct call_tree *tree,
                        struct calls_span *span)
{
  struct conversion_of_tree on = {.calls = calls,
                                  .location = location,
                                  .process = location->process,
                                  .tree = tree,
                                  .end = calls_end_of(location, tree),
                                  .sums = calloc((size_t)tree->count + 1, sizeof *on.sums),
                                  .attributes = OTF2_AttributeList_New()};
  if (on.end < span->first) /* a damaged file says so */
    on.end = span->first;
  if (on.end > span->last)
    span->last = on.end;
  int error = on.sums == NULL || on.attributes == NULL ? ENOMEM : write_tree(&on);
  free(on.sums);
  if (on.attributes != NULL)
    OTF2_AttributeList_Delete(on.attributes);
  return error;
}

/* The location of a process' thread; NULL: it was not recorded. */
static const struct location *location_of(const struct process *process, const struct location *locations,
                                          uint32_t count, uint32_t thread)
{
  for (uint32_t i = process->first_location; i < count && locations[i].process == process; i++)
    if (locations[i].log->thread == thread)
      return &locations[i];
  return NULL;
}

static int convert_process(struct calls *calls, const struct process *process, const struct location *locations,
                           uint32_t count, struct calls_span *span)
{
  struct call_trees trees;
  struct call_tree tree;
  size_t at = 0;
  int error = call_trees_open(&trees, process->raw.fd) ? 0 : errno;
  if (error == 0 && trees.segments.count > 0 && !calls->open) {
    error = vector_resize(&calls->events, count) ? archive_open_calls(&calls->archive, calls->beside, count) : ENOMEM;
    calls->open = error == 0;
  }
  while (error == 0 && call_trees_next(&trees, &at, &tree, &error)) {
    const struct location *location = location_of(process, locations, count, tree.thread);
    if (location != NULL)
      error = convert_tree(calls, location, &tree, span);
    else
      trees.damaged++;
    calls_add_counts(calls, tree.head);
    free(tree.nodes);
  }
  calls->damaged += trees.damaged;
  call_trees_close(&trees);
  return error;
}

/* Readers want a file of events for each location, also for threads that called no function. */
static void write_empty(struct calls *calls)
{
  for (uint32_t i = 0; i < calls->events.count; i++)
    if (calls->events.items[i] == 0)
      archive_close_writer(&calls->archive, archive_writer(&calls->archive, i));
}

int calls_archive_convert(struct calls *calls, const struct plan *plan, const struct location *locations,
                          uint32_t count, struct calls_span *span)
{
  int error = 0;
  for (uint32_t i = 0; i < plan->processes.count && error == 0; i++)
    error = convert_process(calls, &plan->processes.items[i], locations, count, span);
  if (error == 0 && calls->open)
    write_empty(calls);
  return error;
}
