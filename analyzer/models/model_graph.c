/* Models as graphs. */
#include "analyzer/command/print/escape.h"
#include "analyzer/models/model_show.h"

#include <inttypes.h>
#include <stdlib.h>

/* As a quoted string of DOT: escaped once for terminals, and its quotes and backslashes for DOT. */
static void put_quoted(FILE *file, const char *name)
{
  char *escaped = escape_text(name);
  fputc('"', file);
  for (const char *at = escaped ? escaped : "?"; *at; at++) {
    if (*at == '"' || *at == '\\')
      fputc('\\', file);
    fputc(*at, file);
  }
  fputc('"', file);
  free(escaped);
}

void model_put_dot(FILE *file, const struct model_view *view)
{
  static const char *const shapes[] = {[PES_BASIC] = "ellipse", [PES_FILTER] = "box", [PES_PATTERN] = "hexagon"};
  const struct markov_model *model = view->model;
  fputs("digraph ", file);
  put_quoted(file, model->program->name);
  fputs(" {\n", file);
  for (uint32_t i = 0; i < model->count; i++) {
    if (!markov_state_is_used(model, i))
      continue;
    fprintf(file, "  s%" PRIu32 " [shape=%s, label=", i, shapes[pes_state(model->states, i)->kind]);
    put_quoted(file, view->names[i]);
    fprintf(file, ", tooltip=\"long-run %.4f\"];\n", view->chain->longrun[i]);
  }
  for (uint32_t i = 0; i < model->count; i++) {
    const struct markov_state *state = &model->list[i];
    for (uint32_t k = 0; k < state->edge_count; k++)
      fprintf(file, "  s%" PRIu32 " -> s%" PRIu32 " [label=\"%.4g\"];\n", i, state->edges[k].to,
              (double)state->edges[k].count / (double)state->left);
  }
  fputs("}\n", file);
}
