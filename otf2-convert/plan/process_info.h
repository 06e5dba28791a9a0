/*
 * The contents of the text file `process` of a process directory (format: common/raw/raw_trace.h). Unknown keys are
 * ignored, invalid numbers are 0, and entries beyond the limits below are left out: the file may be torn or hostile.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_PROCESS_INFO_H
#define HEDDLE_OTF2_CONVERT_PLAN_PROCESS_INFO_H

#include "base/vector.h"
#include "otf2-convert/plan/java_names.h"
#include "otf2-convert/plan/module_map.h"
#include "otf2-convert/plan/user_names.h"

#include <stdint.h>

#define PROCESS_INFO_BYTES_MAX (64u << 20) /* of the file */
#define PROCESS_INFO_LIST_MAX  65536u      /* entries of each list */

struct anchor {
  uint64_t ticks;
  uint64_t monotonic_ns;
  uint64_t realtime_ns;
  uint64_t width; /* ticks; 0: not known */
};

typedef VECTOR(char *) string_list;

struct process_info {
  uint32_t version;  /* heddle-raw; 0 when the file does not begin with it */
  char *exit_status; /* as `heddle record` got it, not from the file; NULL: unknown */
  char *runtime, *host, *boot_id, *exe, *cwd, *parent, *clock_why, *ended_how, *lost_reason, *limit, *budget, *profile,
      *counters;
  string_list tools, arguments, environment;
  uint64_t pid, ppid, start_ns, start_jiffies, threads_lost, chunks_lost, events_lost, ended_ticks;
  uint64_t counters_lost; /* threads */
  uint64_t counter_ticks; /* of a reading; 0: unknown */
  uint64_t pid_namespace; /* 0: unknown */
  uint64_t lock_inode;    /* of the file as its process had it; 0: the process has no lock */
  bool lock_local;        /* no other machine can have the file system mounted, as the recorder saw it */
  uint64_t processors;    /* that it may use; 0: unknown */
  uint64_t live;          /* 1: its events are written only while a trace is asked for */
  struct {
    uint64_t quota_us, period_us; /* 0: there is no limit */
    uint64_t first_us, last_us;   /* throttled up to the begin, and to the end */
    bool ended;                   /* the latter is known */
  } cpu_limit;
  struct {
    uint64_t first, last;       /* taken by a hypervisor up to the begin, and to the end, ... */
    uint64_t first_of, last_of; /* ... of so much processor time of the machine; the same for both: not known */
  } stolen;
  uint64_t record_ticks; /* ticks of RECORDING_COST_RECORDS records; 0 unknown */
  struct {
    bool wanted;      /* they take samples (raw_trace.h, timer-samples) */
    uint64_t missing; /* threads without one */
    uint64_t lost[RAW_SAMPLE_REASONS];
  } timers;
  bool clock_is_tsc;
  bool ended;
  bool libgomp; /* the runtime is libgomp: it reports all chunks, but its barriers have other constructs' places */
  struct anchor first, last;
  size_t anchors;
  VECTOR(struct anchor) all_anchors; /* up to PROCESS_INFO_LIST_MAX */
  struct module_list modules;
  bool cut; /* the file is longer than PROCESS_INFO_BYTES_MAX; the rest was not read */
  struct java_names java;
  struct java_calls java_calls;
  struct user_names names;
};

/* Adds a copy of a text; false when memory is short, and then nothing has changed. */
bool string_list_add(string_list *list, const char *text);
void string_list_free(string_list *list);

/* Reads `name` in the directory. False with errno; a file that is no process file gives version 0. */
bool process_info_read(struct process_info *info, int directory, const char *name);
void process_info_free(struct process_info *info);

#define TOOL_PTHREAD "pthread" /* records waits of POSIX threads */
#define TOOL_CALLS   "calls"   /* records calls of functions */

bool process_info_has_tool(const struct process_info *info, const char *tool);
/* Whether events are other than the program's own, and those of POSIX threads; true of a process without tools. */
bool process_info_has_openmp(const struct process_info *info);

#endif
