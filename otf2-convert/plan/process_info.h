/*
 * Contents of the text file `process` of a process directory (format: common/raw/raw_trace.h). The file may be torn or
 * hostile: unknown keys and entries beyond the limits are ignored, invalid numbers are 0.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_PROCESS_INFO_H
#define HEDDLE_OTF2_CONVERT_PLAN_PROCESS_INFO_H

#include "base/vector.h"
#include "otf2-convert/plan/java_names.h"
#include "otf2-convert/plan/module_map.h"

#include <stdint.h>

/* The program's names for its own regions and events: the lines `name:`. Lines with an invalid or repeated id are
 * ignored. */
#define USER_NAMES_MAX 65536u /* further names are ignored */

struct user_names {
  VECTOR(char *) items; /* by id - 1; NULL: there is none with that id */
};

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
  uint64_t exit_ns;  /* likewise: CLOCK_MONOTONIC at its end; 0: unknown */
  char *runtime, *host, *boot_id, *exe, *cwd, *parent, *clock_why, *ended_how, *lost_reason, *limit, *budget, *profile,
      *counters;
  string_list tools, arguments, environment;
  uint64_t began_ns; /* CLOCK_MONOTONIC; 0: unknown */
  uint64_t pid, ppid, start_ns, start_jiffies, threads_lost, chunks_lost, events_lost, ended_ticks;
  uint64_t counters_lost; /* threads */
  uint64_t counter_ticks; /* of a reading; 0: unknown */
  uint64_t pid_namespace; /* 0: unknown */
  uint64_t lock_inode;    /* of the file when the process locked it; 0: the process has no lock */
  bool lock_local;        /* according to the recorder no other machine can mount the file system */
  uint64_t processors;    /* that it may use; 0: unknown */
  uint64_t live;          /* 1: events are written only while a trace is requested */
  struct {
    uint64_t quota_us, period_us; /* 0: there is no limit */
    uint64_t first_us, last_us;   /* throttled up to the begin, and to the end */
    bool ended;                   /* the latter is known */
  } cpu_limit;
  struct {
    uint64_t first, last;       /* taken by a hypervisor up to the begin, and to the end */
    uint64_t first_of, last_of; /* processor time of the machine up to then; equal: unknown */
  } stolen;
  uint64_t record_ticks; /* ticks of RECORDING_COST_RECORDS records; 0 unknown */
  struct {
    bool wanted;      /* timers take samples (raw_trace.h, timer-samples) */
    uint64_t missing; /* threads without one */
    uint64_t lost[RAW_SAMPLE_REASONS];
  } timers;
  bool clock_is_tsc;
  bool ended;
  bool libgomp; /* libgomp and our provider, which reports all chunks; its barriers have other constructs' places */
  struct anchor first, last;
  size_t anchors;
  VECTOR(struct anchor) all_anchors; /* up to PROCESS_INFO_LIST_MAX */
  struct module_list modules;
  bool cut; /* the file is longer than PROCESS_INFO_BYTES_MAX; the rest was not read */
  struct java_names java;
  struct java_calls java_calls;
  struct user_names names;
};

/* Adds a copy of a text. False: out of memory; nothing has changed. */
bool string_list_add(string_list *list, const char *text);
void string_list_free(string_list *list);

/* Reads the file `name` of the directory. False with errno. The version of another file is 0. */
bool process_info_read(struct process_info *info, int directory, const char *name);
void process_info_free(struct process_info *info);

#define TOOL_PTHREAD "pthread" /* records waits of POSIX threads */
#define TOOL_CALLS   "calls"   /* records calls of functions */

bool process_info_has_tool(const struct process_info *info, const char *tool);
/* True if there are other events than the program's own and POSIX threads' events, or the process has no tools. */
bool process_info_has_openmp(const struct process_info *info);

/* Takes the text after the line's key, which is changed. False: out of memory. */
bool user_names_add(struct user_names *names, char *value);
void user_names_free(struct user_names *names);

/* Returns the name with an id; NULL: there is none. */
const char *user_name(const struct user_names *names, uint64_t id);

/* True for the name of the event in which generated code reports its source (NAME_BUILT). */
bool user_name_is_built(const struct user_names *names, uint64_t id);

#endif
