#include "analyzer/findings/why/why.h"

#include "analyzer/findings/why/tree.h"

#include <stdlib.h>

bool why_find(const struct analysis_results *of, const struct windows *windows, const struct findings *findings,
              double threshold, struct why *why)
{
  struct tree tree = {.trace = of->trace, .of = of, .windows = *windows, .findings = findings, .why = why};
  *why = (struct why){.threshold = threshold};
  return tree_add_root(&tree, of->sums) && kinds_of_trace(&tree);
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
