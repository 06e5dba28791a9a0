#include "analyzer/analyses/calls/tree.h"

#include <stdlib.h>
#include <string.h>

/* While the tree is made. */
struct maker {
  struct calls_tree *tree;
  VECTOR(struct calls_code) codes;
  VECTOR(struct calls_node) nodes;
  struct hash lines;    /* of function, file and line: number of a code */
  struct hash children; /* parent and code: number of a node */
};

static bool is_same(const struct calls_code *code, const struct samples_context *context)
{
  return code->function == context->function && code->line == context->line && strcmp(code->file, context->file) == 0;
}

/* Different lines may have one hash: then the next hash is tried. */
static bool find_line(struct maker *maker, const struct samples_context *context, uint32_t *code)
{
  uint64_t hash = hash_text(hash_mix((uint64_t)context->function << 32 | context->line), context->file);
  for (;; hash = hash_mix(hash + 1)) {
    const uint64_t *at = hash_find(&maker->lines, hash);
    if (at && !is_same(&maker->codes.items[*at], context))
      continue;
    *code = at ? (uint32_t)*at : (uint32_t)maker->codes.count;
    struct calls_code fresh = {context->function, context->file, context->line};
    return at || (vector_push(&maker->codes, fresh) && hash_add(&maker->lines, hash, *code));
  }
}

static bool find_node(struct maker *maker, uint32_t parent, uint32_t code, uint32_t *node)
{
  uint64_t key = (uint64_t)parent << 32 | code;
  const uint64_t *at = hash_find(&maker->children, key);
  *node = at ? (uint32_t)*at : (uint32_t)maker->nodes.count;
  if (at)
    return true;
  struct calls_node fresh = {.code = code,
                             .parent = parent,
                             .first_child = TRACE_NONE,
                             .next_sibling = maker->nodes.items[parent].first_child,
                             .depth = maker->nodes.items[parent].depth + 1};
  maker->nodes.items[parent].first_child = *node;
  return vector_push(&maker->nodes, fresh) && hash_add(&maker->children, key, *node);
}

static bool make(struct maker *maker, const struct samples *samples, enum calls_unit unit)
{
  struct calls_node top = {TRACE_NONE, TRACE_NONE, TRACE_NONE, TRACE_NONE, 0};
  bool good = vector_push(&maker->nodes, top);
  for (uint32_t i = 0; good && unit == CALLS_FUNCTIONS && i < samples->function_count; i++) {
    struct calls_code code = {i, samples->functions[i].file, samples->functions[i].line};
    good = vector_push(&maker->codes, code);
  }
  for (uint32_t i = 0; good && i < samples->context_count; i++) {
    const struct samples_context *context = &samples->contexts[i];
    uint32_t code = context->function,
             parent = context->parent == TRACE_NONE ? 0 : maker->tree->node_of[context->parent];
    good = (unit == CALLS_FUNCTIONS || find_line(maker, context, &code)) &&
           find_node(maker, parent, code, &maker->tree->node_of[i]);
  }
  return good;
}

bool calls_tree_make(const struct samples *samples, enum calls_unit unit, struct calls_tree *tree)
{
  *tree = (struct calls_tree){.samples = samples};
  struct maker maker = {.tree = tree};
  tree->node_of = calloc((size_t)samples->context_count + 1, sizeof *tree->node_of);
  bool good = tree->node_of && make(&maker, samples, unit);
  tree->codes = maker.codes.items;
  tree->nodes = maker.nodes.items;
  tree->code_count = (uint32_t)maker.codes.count;
  tree->node_count = (uint32_t)maker.nodes.count;
  hash_free(&maker.lines);
  hash_free(&maker.children);
  return good;
}

void calls_tree_free(struct calls_tree *tree)
{
  free(tree->codes);
  free(tree->nodes);
  free(tree->node_of);
  *tree = (struct calls_tree){0};
}

/* The next node after all below this one; calls `leave` for those that are left. TRACE_NONE: there is none. */
static uint32_t next_after(const struct calls_tree *tree, uint32_t node, calls_visit *leave, void *context,
                           const uint32_t *path)
{
  for (; node != 0; node = tree->nodes[node].parent) {
    if (leave)
      leave(context, node, path);
    if (tree->nodes[node].next_sibling != TRACE_NONE)
      return tree->nodes[node].next_sibling;
  }
  return TRACE_NONE;
}

bool calls_tree_walk(const struct calls_tree *tree, calls_visit *enter, calls_visit *leave, void *context)
{
  uint32_t deepest = 0;
  for (uint32_t i = 0; i < tree->node_count; i++)
    deepest = tree->nodes[i].depth > deepest ? tree->nodes[i].depth : deepest;
  uint32_t *path = calloc((size_t)deepest + 1, sizeof *path);
  if (!path)
    return false;
  for (uint32_t node = tree->nodes[0].first_child; node != TRACE_NONE;) {
    path[tree->nodes[node].depth] = node;
    enter(context, node, path);
    uint32_t below = tree->nodes[node].first_child;
    node = below != TRACE_NONE ? below : next_after(tree, node, leave, context, path);
  }
  free(path);
  return true;
}
