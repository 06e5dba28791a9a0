/* What a plug-in may ask of Heddle. Whatever it asks with is looked at first. */
#ifndef HEDDLE_ANALYZER_TRANSFORMS_PLUGIN_HOST_H
#define HEDDLE_ANALYZER_TRANSFORMS_PLUGIN_HOST_H

#include "analyzer/pes/pes.h"
#include "analyzer/transforms/heddle-transform.h"

struct plugin_host {
  struct heddle_transform_host face;
  const struct pes_program *program;
  struct pes_states *states;
  uint32_t *aggregates; /* those it added */
  uint32_t aggregate_count;
  char *name;   /* that it was given last */
  bool counted; /* the sequence was read once */
  bool failed;  /* `reason` says why */
  struct error reason;
};

void plugin_host_init(struct plugin_host *host, const struct pes_stream *source);
void plugin_host_free(struct plugin_host *host);

/* The sequence begins again: what was counted of an unfinished reading is forgotten. */
void plugin_host_restart(struct plugin_host *host);

#endif
