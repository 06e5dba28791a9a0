#include "analyzer/analyses/intervals/index.h"

#include <stdlib.h>
#include <string.h>

static bool has_order(const struct index *index)
{
  return index->join->order != SPEC_OP_EQ;
}

void index_open(struct index *index, const struct plan_join *join)
{
  *index = (struct index){.join = join};
}

static struct index_bucket *bucket_at(const uint64_t *value)
{
  return value ? (struct index_bucket *)(uintptr_t)*value : NULL;
}

static void free_bucket(struct index_bucket *bucket)
{
  free(bucket->end_values);
  free(bucket);
}

void index_close(struct index *index)
{
  for (size_t i = 0; i < index->buckets.room; i++) {
    if (!index->buckets.entries[i].used)
      continue;
    for (struct index_bucket *bucket = bucket_at(&index->buckets.entries[i].value), *next; bucket; bucket = next) {
      next = bucket->next;
      free_bucket(bucket);
    }
  }
  hash_free(&index->buckets);
}

/* Numbers, texts and times are in different buckets: only values of one kind can be compared. */
static uint64_t kind_of(const struct spec_value *value)
{
  return value->type == SPEC_TEXT ? 1 : value->type == SPEC_TIME ? 2 : 3;
}

/* The keys of an event. False: one of them has no value. */
static bool compute(const struct plan_join *join, bool of_start, const struct spec_value *values,
                    struct spec_value keys[PLAN_KEYS_MOST], struct spec_value *order, uint64_t *hash)
{
  struct operands operands = {.values = {[SPEC_START] = NULL}};
  operands.values[of_start ? SPEC_START : join->other] = values;
  const struct plan_terms *terms = of_start ? &join->start_keys : &join->other_keys;
  *hash = 0;
  for (uint32_t i = 0; i < terms->count; i++) {
    keys[i] = evaluate(terms->list[i], &operands);
    if (keys[i].type == SPEC_ANY)
      return false;
    *hash = value_hash(&keys[i], *hash + i + 1);
  }
  *order = (struct spec_value){.type = SPEC_ANY};
  if (join->order == SPEC_OP_EQ)
    return true;
  *order = evaluate(of_start ? join->start_order : join->other_order, &operands);
  *hash = hash_mix(*hash + kind_of(order));
  return order->type != SPEC_ANY && order->type != SPEC_BOOLEAN;
}

static bool same_keys(const struct index *index, const struct index_bucket *bucket, const struct spec_value *keys,
                      const struct spec_value *order)
{
  for (uint32_t i = 0; i < index->join->start_keys.count; i++)
    if (!value_equal(&bucket->keys[i], &keys[i]))
      return false;
  return !has_order(index) || kind_of(&bucket->keys[index->join->start_keys.count]) == kind_of(order);
}

static struct index_bucket *find_bucket(const struct index *index, uint64_t hash, const struct spec_value *keys,
                                        const struct spec_value *order)
{
  struct index_bucket *bucket = bucket_at(hash_find(&index->buckets, hash));
  while (bucket && !same_keys(index, bucket, keys, order))
    bucket = bucket->next;
  return bucket;
}

static struct index_bucket *add_bucket(struct index *index, uint64_t hash, const struct spec_value *keys,
                                       const struct spec_value *order)
{
  uint32_t count = index->join->start_keys.count;
  struct index_bucket *bucket = calloc(1, sizeof *bucket + (count + 1) * sizeof *keys);
  if (!bucket)
    return NULL;
  bucket->hash = hash;
  if (count)
    memcpy(bucket->keys, keys, count * sizeof *keys);
  bucket->keys[count] = *order;
  bucket->next = bucket_at(hash_find(&index->buckets, hash));
  if (hash_put(&index->buckets, hash, (uintptr_t)bucket))
    return bucket;
  free(bucket);
  return NULL;
}

static void remove_bucket(struct index *index, struct index_bucket *bucket)
{
  struct index_bucket *first = bucket_at(hash_find(&index->buckets, bucket->hash));
  if (first == bucket && !bucket->next) {
    hash_remove(&index->buckets, bucket->hash);
  } else if (first == bucket) {
    *hash_find(&index->buckets, bucket->hash) = (uintptr_t)bucket->next;
  } else {
    while (first->next != bucket)
      first = first->next;
    first->next = bucket->next;
  }
  free_bucket(bucket);
}

/* The tree: ordered by value and number, a heap by priority. */

static bool is_less(const struct index_node *a, const struct index_node *b)
{
  int order = 0;
  value_compare(&a->order, &b->order, &order);
  return order != 0 ? order < 0 : a->number < b->number;
}

static void update(struct index_node *node)
{
  node->oldest = node->newest = node;
  const struct index_node *below[] = {node->before, node->after};
  for (int i = 0; i < 2; i++) {
    if (below[i] && below[i]->oldest->number < node->oldest->number)
      node->oldest = below[i]->oldest;
    if (below[i] && below[i]->newest->number > node->newest->number)
      node->newest = below[i]->newest;
  }
}

/* Into those less than `at`, and the others. */
static void split(struct index_node *tree, const struct index_node *at, struct index_node **less,
                  struct index_node **others)
{
  if (!tree) {
    *less = *others = NULL;
  } else if (is_less(tree, at)) {
    split(tree->after, at, &tree->after, others);
    *less = tree;
    update(tree);
  } else {
    split(tree->before, at, less, &tree->before);
    *others = tree;
    update(tree);
  }
}

/* All of `a` are less than all of `b`. */
static struct index_node *merge(struct index_node *a, struct index_node *b)
{
  if (!a || !b)
    return a ? a : b;
  struct index_node *top = a->priority > b->priority ? a : b;
  if (top == a)
    a->after = merge(a->after, b);
  else
    b->before = merge(a, b->before);
  update(top);
  return top;
}

static struct index_node *insert(struct index_node *tree, struct index_node *node)
{
  if (!tree || node->priority > tree->priority) {
    split(tree, node, &node->before, &node->after);
    tree = node;
  } else if (is_less(node, tree)) {
    tree->before = insert(tree->before, node);
  } else {
    tree->after = insert(tree->after, node);
  }
  update(tree);
  return tree;
}

static struct index_node *drop(struct index_node *tree, const struct index_node *node)
{
  if (tree == node)
    return merge(tree->before, tree->after);
  if (is_less(node, tree))
    tree->before = drop(tree->before, node);
  else
    tree->after = drop(tree->after, node);
  update(tree);
  return tree;
}

bool index_add(struct index *index, struct index_node *node, const struct spec_value *values, bool *added)
{
  struct spec_value keys[PLAN_KEYS_MOST];
  uint64_t hash;
  node->bucket = NULL;
  *added = compute(index->join, true, values, keys, &node->order, &hash);
  if (!*added)
    return true;
  struct index_bucket *bucket = find_bucket(index, hash, keys, &node->order);
  if (!bucket && !(bucket = add_bucket(index, hash, keys, &node->order)))
    return false;
  node->bucket = bucket;
  node->before = node->after = NULL;
  bucket->count++;
  if (has_order(index)) {
    node->priority = hash_mix(node->number + 1);
    bucket->root = insert(bucket->root, node);
    return true;
  }
  node->before = bucket->last;
  if (bucket->last)
    bucket->last->after = node;
  else
    bucket->first = node;
  bucket->last = node;
  return true;
}

void index_remove(struct index *index, struct index_node *node)
{
  struct index_bucket *bucket = node->bucket;
  if (!bucket)
    return;
  node->bucket = NULL;
  if (has_order(index)) {
    bucket->root = drop(bucket->root, node);
  } else {
    *(node->before ? &node->before->after : &bucket->first) = node->after;
    *(node->after ? &node->after->before : &bucket->last) = node->before;
  }
  if (--bucket->count == 0)
    remove_bucket(index, bucket);
}

struct index_part index_find(const struct index *index, const struct spec_value *values)
{
  struct spec_value keys[PLAN_KEYS_MOST];
  struct index_part part = {.bucket = NULL};
  uint64_t hash;
  if (index->buckets.count > 0 && compute(index->join, false, values, keys, &part.order, &hash))
    part.bucket = find_bucket(index, hash, keys, &part.order);
  return part;
}

/* True if the start's term is on the right side of the other's. */
static bool is_in(const struct index *index, const struct index_part *part, const struct index_node *node)
{
  int order = 0;
  value_compare(&node->order, &part->order, &order);
  switch (index->join->order) {
  case SPEC_OP_LT:
    return order < 0;
  case SPEC_OP_LE:
    return order <= 0;
  case SPEC_OP_GT:
    return order > 0;
  default:
    return order >= 0;
  }
}

/* The part is one end of the tree: its left one, or its right one. */
static bool is_left(const struct index *index)
{
  return index->join->order == SPEC_OP_LT || index->join->order == SPEC_OP_LE;
}

static struct index_node *find_in_tree(const struct index *index, const struct index_part *part, bool oldest)
{
  struct index_node *best = NULL;
  for (struct index_node *node = part->bucket->root; node;) {
    bool in = is_in(index, part, node), left = is_left(index);
    struct index_node *whole = left ? node->before : node->after; /* if the node is in, so is all of this */
    struct index_node *found[] = {in ? node : NULL, in && whole ? (oldest ? whole->oldest : whole->newest) : NULL};
    for (int i = 0; i < 2; i++)
      if (found[i] && (!best || (oldest ? found[i]->number < best->number : found[i]->number > best->number)))
        best = found[i];
    node = in == left ? node->after : node->before;
  }
  return best;
}

struct index_node *index_oldest(const struct index *index, const struct index_part *part)
{
  if (!part->bucket)
    return NULL;
  return has_order(index) ? find_in_tree(index, part, true) : part->bucket->first;
}

struct index_node *index_newest(const struct index *index, const struct index_part *part)
{
  if (!part->bucket)
    return NULL;
  return has_order(index) ? find_in_tree(index, part, false) : part->bucket->last;
}

static bool collect_tree(const struct index *index, const struct index_part *part, struct index_node *node,
                         index_nodes *nodes)
{
  if (!node)
    return true;
  bool in = is_in(index, part, node), left = is_left(index);
  return ((!in && !left) || collect_tree(index, part, node->before, nodes)) && (!in || vector_push(nodes, node)) &&
         ((!in && left) || collect_tree(index, part, node->after, nodes));
}

static int by_number(const void *a, const void *b)
{
  const struct index_node *const *x = a, *const *y = b;
  return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

bool index_collect(const struct index *index, const struct index_part *part, index_nodes *nodes)
{
  nodes->count = 0;
  if (!part->bucket)
    return true;
  if (!has_order(index)) {
    for (struct index_node *node = part->bucket->first; node; node = node->after)
      if (!vector_push(nodes, node))
        return false;
    return true;
  }
  if (!collect_tree(index, part, part->bucket->root, nodes))
    return false;
  if (nodes->count > 1)
    qsort((void *)nodes->items, nodes->count, sizeof *nodes->items, by_number);
  return true;
}
