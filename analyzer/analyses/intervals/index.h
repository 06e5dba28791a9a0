/*
 * Open starts by the keys of a join; starts with equal keys are in order of time or of the join's ordering term. All
 * steps take O(log n), unless they say otherwise.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_INDEX_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_INDEX_H

#include "analyzer/analyses/intervals/evaluate.h"
#include "analyzer/analyses/intervals/plan.h"
#include "base/hash.h"
#include "base/vector.h"

struct index_bucket;

/* A start in an index. It is the caller's, and stays where it is. */
struct index_node {
  struct index_bucket *bucket; /* NULL: it is in none */
  uint64_t number;             /* of the start; larger ones are later */
  void *start;
  struct index_node *before, *after; /* in time; in a tree: left and right */
  struct spec_value order;           /* only in a tree, as are those below */
  uint64_t priority;
  struct index_node *oldest, *newest; /* of the node and all below */
};

/* Starts with equal keys. */
struct index_bucket {
  struct index_bucket *next; /* with the same hash */
  uint64_t hash;
  struct index_node *first, *last; /* without an order: in order of time */
  struct index_node *root;         /* with one: a tree */
  uint64_t count;
  /* For the matcher, where it need not look at each start: how many ends came, and the last one. */
  uint64_t ends;
  uint64_t end_number, end_time;
  uint32_t end_thread;
  struct spec_value *end_values; /* the bucket's; NULL: none */
  struct spec_value keys[];
};

struct index {
  const struct plan_join *join;
  struct hash buckets; /* hash of the keys -> struct index_bucket * */
};

void index_open(struct index *index, const struct plan_join *join);
/* Nodes that are still there are the caller's. */
void index_close(struct index *index);

/*
 * Adds a start by its values; its number is larger than those before. A start without a value for a key or the order is
 * not added; *added is then false. False: out of memory.
 */
bool index_add(struct index *index, struct index_node *node, const struct spec_value *values, bool *added);
void index_remove(struct index *index, struct index_node *node);

/* What another event asks for: the bucket, and which part of it. */
struct index_part {
  struct index_bucket *bucket; /* NULL: there is no such start */
  struct spec_value order;
};

struct index_part index_find(const struct index *index, const struct spec_value *values);

/* The one with the least or largest number. NULL: there is none. */
struct index_node *index_oldest(const struct index *index, const struct index_part *part);
struct index_node *index_newest(const struct index *index, const struct index_part *part);

/* All of the part, in order of their numbers; takes O(m log m) for m of them. False: out of memory. */
typedef VECTOR(struct index_node *) index_nodes;
bool index_collect(const struct index *index, const struct index_part *part, index_nodes *nodes);

#endif
