#include "otf2-convert/scan/call_trees.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool call_trees_open(struct call_trees *trees, int directory)
{
  struct stat status;
  *trees = (struct call_trees){.fd = openat(directory, RAW_CALLS_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (trees->fd < 0)
    return errno == ENOENT || errno == ELOOP;
  if (fstat(trees->fd, &status) != 0)
    return false;
  return !S_ISREG(status.st_mode) || read_heads(trees, (uint64_t)status.st_size);
}

void call_trees_close(struct call_trees *trees)
{
  vector_free(&trees->segments);
  if (trees->fd >= 0)
    close(trees->fd);
}

/* How many segments from `at` on are the whole of a thread's tree; *count becomes its number of nodes. */
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

bool call_trees_next(struct call_trees *trees, size_t *at, struct call_tree *tree, int *error)
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
