/*
 * libFuzzer target: the tree of `heddle why` for an archive (otf2_player.h). There is an error, or a tree whose parts
 * agree with each other.
 */
#include "analyzer/findings/why_show.h"
#include "tests/fuzz/otf2_player.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static void check(const struct why *why)
{
  need(why->nodes.count > 1 && why->nodes.items[0].depth == 0, "no root");
  for (size_t i = 1; i < why->nodes.count; i++) {
    const struct why_node *node = &why->nodes.items[i];
    need(node->depth > 0 && node->depth <= node[-1].depth + 1, "a child without a parent");
    need(node->text != NULL, "a node without a text");
    need((node->aspect == WHY_KIND) == (node->depth == 1), "a kind at a wrong depth");
    need(node->aspect == WHY_KIND || node->aspect == WHY_REST || node->finding, "a place without a finding");
    need(!node->measured ||
             (node->low >= 0 && node->low <= node->percent && node->percent <= node->high && node->percent <= 100),
         "a figure outside of its interval");
  }
}

static bool analyze(const struct trace *trace, struct pool *pool, struct run_analyses *all, struct error *error)
{
  struct why why;
  bool good = why_search(trace, pool, WHY_WORTH, false, all, &why, error);
  need(!strstr(error->message, "defect"), "an account that does not add up");
  need(good || strcmp(error->message, "out of memory") != 0, "out of memory");
  if (good)
    check(&why);
  why_free(&why);
  return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct error error = {""};
  struct run_analyses all = {.memory = {NULL}};
  player_load(data, size);
  struct pool *pool = pool_create(1);
  struct trace *trace = trace_open(player_directory(), &error);
  bool good = trace && analyze(trace, pool, &all, &error);
  need(good || error.message[0], "an error without a word");
  run_analyses_free(&all);
  pool_destroy(pool);
  if (trace)
    trace_close(trace);
  return 0;
}
