/* The questions that a plug-in may ask Heddle. All arguments are checked. */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_PLUGIN_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_PLUGIN_H

#include "analyzer/models/sequences/pes.h"
#include "analyzer/models/transforms/heddle-transform.h"
#include "base/vector.h"

struct plugin_host {
  struct heddle_transform_host face;
  const struct pes_program *program;
  struct pes_states *states;
  VECTOR(uint32_t) aggregates; /* that the plug-in has added */
  char *name;                  /* the last one that the plug-in got */
  bool counted;                /* the sequence was read once */
  bool failed;                 /* `reason` says why */
  struct error reason;
};

void plugin_host_init(struct plugin_host *host, const struct pes_stream *source);
void plugin_host_free(struct plugin_host *host);

/* The sequence begins again: what was counted of an unfinished reading is forgotten. */
void plugin_host_restart(struct plugin_host *host);

#endif
