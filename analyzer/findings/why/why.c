#include "analyzer/findings/why/why.h"

#include "analyzer/findings/why/tree.h"

#include <stdlib.h>

struct why_taker {
  struct windows_taker *windows;
};

struct why_taker *why_begin(const struct trace *trace, struct pool *pool, struct error *error)
{
  struct why_taker *taker = calloc(1, sizeof *taker);
  if (!taker) {
    error_set(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  taker->windows = windows_begin(trace, pool, error);
  if (taker->windows)
    return taker;
  free(taker);
  return NULL;
}

const struct subscriber *why_subscriber(const struct why_taker *taker)
{
  return windows_subscriber(taker->windows);
}

void why_drop(struct why_taker *taker)
{
  if (taker)
    windows_drop(taker->windows);
  free(taker);
}

bool why_end(struct why_taker *taker, const struct findings_of *of, const struct findings *findings, double threshold,
             struct why *why)
{
  struct tree tree = {.trace = of->trace, .of = of, .findings = findings, .why = why};
  *why = (struct why){.threshold = threshold};
  windows_end(taker->windows, &tree.windows);
  free(taker);
  bool good = tree_add_root(&tree, of->sums) && kinds_of_trace(&tree);
  windows_free(&tree.windows);
  return good;
}

void why_free(struct why *why)
{
  for (size_t i = 0; i < why->nodes.count; i++)
    free(why->nodes.items[i].text);
  vector_free(&why->nodes);
}

const char *why_verdict_name(enum why_verdict verdict)
{
  static const char *const names[] = {"true", "likely", "ruled out", "unknown"};
  return names[verdict];
}

const char *why_aspect_name(enum why_aspect aspect)
{
  static const char *const names[] = {"root", "kind", "where", "who", "reason", "when"};
  return names[aspect];
}
