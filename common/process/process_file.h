/*
 * File `process` of a process directory (raw_trace.h): facts about the process for the converter. Written at the begin,
 * when a tool joins, and at the end; modules.h adds lines of its own. Thread-safe unless said otherwise; no allocation.
 * Failures are silent: the recorder's own writes meet and report the same failure.
 */
#ifndef HEDDLE_COMMON_PROCESS_PROCESS_FILE_H
#define HEDDLE_COMMON_PROCESS_PROCESS_FILE_H

#include "common/process/settings.h"
#include "common/recorder/recording.h"

struct process_facts {
  const char *tool;    /* ompt, jvmti, ... */
  const char *runtime; /* its own name and version */
  const char *host;
  const char *parent; /* name of the parent's process directory after a fork, else NULL */
  uint64_t start_ns;  /* CLOCK_REALTIME */
};

/* Writes what is known at the begin. After process_dir_open. Returns 0 or an errno value. */
int process_file_begin(const struct process_facts *facts, const struct settings *settings, uint32_t ring_slots);
/* Adds a further tool of the process. */
void process_file_add_tool(const char *tool, const char *runtime);
/* Adds the last anchor, the losses, and how the process ended. */
void process_file_end(const char *how, const struct recording_losses *losses);

#endif
