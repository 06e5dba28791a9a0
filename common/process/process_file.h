/*
 * The `process` file of a process directory (raw_trace.h): what the converter must know about the process. Written at
 * the begin, with tools that come, and at the end; modules.h adds its own lines. Thread-safe unless said otherwise; no
 * allocation. Failures are silent: the recorder's own writes meet the same trouble and tell it.
 */
#ifndef HEDDLE_COMMON_PROCESS_PROCESS_FILE_H
#define HEDDLE_COMMON_PROCESS_PROCESS_FILE_H

#include "common/process/settings.h"
#include "common/recorder/recording.h"

struct process_facts {
  const char *tool;    /* ompt, jvmti, ... */
  const char *runtime; /* its name and version as it gave them */
  const char *host;
  const char *parent; /* name of the parent's process directory after a fork, else NULL */
  uint64_t start_ns;  /* CLOCK_REALTIME */
};

/* Tells all that is known at the begin; process_dir_open came before. Returns 0 or an errno value. */
int process_file_begin(const struct process_facts *facts, const struct settings *settings, uint32_t ring_slots);
/* A further tool in the same process. */
void process_file_add_tool(const char *tool, const char *runtime);
/* Adds the last anchor, what was lost, and how the process ended. */
void process_file_end(const char *how, const struct recording_losses *losses);

#endif
