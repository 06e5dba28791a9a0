#include "analyzer/exchange/export/paraver_labels.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/trace/definitions.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>

const uint32_t prv_types[PRV_TYPES] = {
    [PRV_PARALLEL] = 60000001,
    [PRV_WORKSHARING] = 60000002,
    [PRV_BARRIER] = 60000005,
    [PRV_NAMED_LOCK] = 60000006,
    [PRV_UNNAMED_LOCK] = 60000007,
    [PRV_DISPATCHER] = 60000011,
    [PRV_JOIN] = 60000016,
    [PRV_FUNCTION] = 60000018,
    [PRV_FUNCTION_LINE] = 60000118,
    [PRV_TASK_FUNCTION] = 60000023,
    [PRV_TASK_FUNCTION_LINE] = 60000123,
    [PRV_TASKWAIT] = 60000022,
    [PRV_TASKGROUP] = 60000025,
    [PRV_IN_TASKGROUP] = 60000026,
    [PRV_TASK] = 60000028,
    [PRV_TASKLOOP] = 60000029,
    [PRV_ORDERED] = 60000033,
    [PRV_USER_FUNCTION] = 60000019,
    [PRV_USER_FUNCTION_LINE] = 60000119,
    [PRV_GC] = 48000001, /* the next ones are Heddle's own */
    [PRV_MONITOR] = 48000011,
    [PRV_NOTIFY] = 48000012,
    [PRV_YIELD] = 48000013,
};

/* Labels as configurations look for them, then the values, a line each; of functions they follow from the regions. */
static const struct {
  const char *label, *values;
} labels[PRV_TYPES] = {
    [PRV_PARALLEL] = {"Parallel (OMP)", "0 close\n1 DO (open)\n2 SECTIONS (open)\n3 REGION (open)\n"},
    [PRV_WORKSHARING] = {"Worksharing (OMP)", "0 End\n4 DO\n5 SECTIONS\n6 SINGLE\n"},
    [PRV_BARRIER] = {"OpenMP barrier", "0 End\n1 Begin\n"},
    [PRV_NAMED_LOCK] = {"OpenMP named-Lock", "0 Unlocked status\n3 Lock\n5 Unlock\n6 Locked status\n"},
    [PRV_UNNAMED_LOCK] = {"OpenMP unnamed-Lock", "0 Unlocked status\n3 Lock\n5 Unlock\n6 Locked status\n"},
    [PRV_DISPATCHER] = {"OpenMP Worksharing work dispatcher", "0 End\n1 Begin\n"},
    [PRV_JOIN] = {"OpenMP Worksharing join", "0 End\n1 Join (w wait)\n2 Join (w/o wait)\n"},
    [PRV_FUNCTION] = {"Executed OpenMP parallel function", NULL},
    [PRV_FUNCTION_LINE] = {"Executed OpenMP parallel function line and file", NULL},
    [PRV_TASK_FUNCTION] = {"Executed OpenMP task function", NULL},
    [PRV_TASK_FUNCTION_LINE] = {"Executed OpenMP task function line and file", NULL},
    [PRV_TASKWAIT] = {"OMP taskwait", "0 End\n1 Begin\n"},
    [PRV_TASKGROUP] = {"Taskgroup calls", "0 Outside\n1 Start\n2 End\n"},
    [PRV_IN_TASKGROUP] = {"Within Taskgroup region", "0 End\n1 Begin\n"},
    [PRV_TASK] = {"Task Identifier", ""},
    [PRV_TASKLOOP] = {"taskloop", "0 End\n1 Begin\n"},
    [PRV_ORDERED] = {"OpenMP ordered section", "0 Outside\n3 Waiting\n5 Signaling\n6 Inside\n"},
    [PRV_USER_FUNCTION] = {"User function", NULL},
    [PRV_USER_FUNCTION_LINE] = {"User function line", NULL},
    [PRV_GC] = {"Java Garbage collector", "0 End\n1 Begin\n"},
    [PRV_MONITOR] = {"Java wait", "0 End\n1 monitor enter\n2 lock\n3 Object.wait\n4 park\n5 Thread.sleep\n"
                                  "6 Thread.join\n7 other\n"},
    [PRV_NOTIFY] = {"Java notify", "0 End\n1 notify\n2 notifyAll\n"},
    [PRV_YIELD] = {"Java Thread.yield", "0 End\n1 Begin\n"},
};

unsigned prv_state(enum state state)
{
  switch (state) {
  case STATE_IDLE:
  case STATE_OFF:
    return 0;
  case STATE_RUN:
    return 1;
  case STATE_OVERHEAD:
  case STATE_INIT:
  case STATE_READY:
    return 7;
  case STATE_TRACEFLUSH:
    return 12;
  case STATE_UNMEASURED:
    return PRV_TRACING_DISABLED;
  case STATE_GC:
    return 15;
  case STATE_BLOCKED_MUTEX:
    return PRV_BLOCKED_IN_MUTEX;
  case STATE_BLOCKED_CONDVAR:
    return PRV_BLOCKED_IN_CONDVAR;
  default: /* all SYNCH, SPIN */
    return 5;
  }
}

static const char states[] = "STATES\n"
                             "0    Idle\n"
                             "1    Running\n"
                             "2    Not created\n"
                             "5    Synchronization\n"
                             "7    Scheduling and Fork/Join\n"
                             "12    I/O\n"
                             "14    Tracing Disabled\n"
                             "15    Others\n"
                             "21    Blocked in mutex\n"
                             "22    Blocked in condvar\n"
                             "\n\n"
                             "STATES_COLOR\n"
                             "0    {117,195,255}\n"
                             "1    {0,0,255}\n"
                             "2    {255,255,255}\n"
                             "5    {255,0,0}\n"
                             "7    {255,255,0}\n"
                             "12    {255,144,26}\n"
                             "14    {240,240,240}\n"
                             "15    {192,224,0}\n"
                             "21    {139,0,0}\n"
                             "22    {255,105,180}\n"
                             "\n\n";

/* Value of a wait of Java's. */
static uint32_t wait_of(const struct trace_region *region)
{
  static const char *const names[] = {REGION_MONITOR_ENTER, REGION_JAVA_LOCK, REGION_OBJECT_WAIT,
                                      REGION_PARK,          REGION_SLEEP,     REGION_JOIN};
  uint32_t i = 0;
  while (i < COUNT_OF(names) && !trace_region_begins(region, names[i]))
    i++;
  return i + 1;
}

/* Notes take no time. */
static struct prv_event note_of(const struct trace_region *region)
{
  uint32_t value = trace_region_begins(region, REGION_NOTIFY_ALL) ? 2 : trace_region_begins(region, REGION_NOTIFY);
  return (struct prv_event){value ? PRV_NOTIFY : PRV_TYPES, value, false};
}

struct prv_event prv_event_of(const struct trace_region *region, enum rule rule, uint32_t number)
{
  switch (rule) {
  case RULE_PARALLEL:
    return (struct prv_event){PRV_FUNCTION, number, false};
  case RULE_LOOP:
    if (trace_region_is_directive(region, REGION_TASKLOOP))
      return (struct prv_event){PRV_TASKLOOP, 1, false};
    return (struct prv_event){PRV_WORKSHARING, 4, !trace_region_says(region, FACT_SCHEDULE, VALUE_SCHEDULE_STATIC)};
  case RULE_SECTIONS:
    return (struct prv_event){PRV_WORKSHARING, 5, false};
  case RULE_SINGLE:
    return (struct prv_event){PRV_WORKSHARING, 6, false};
  case RULE_BARRIER:
    return (struct prv_event){PRV_BARRIER, 1, false};
  case RULE_IMPLICIT_BARRIER:
    return (struct prv_event){PRV_JOIN, 1, false};
  case RULE_CRITICAL:
  case RULE_ATOMIC:
    return (struct prv_event){PRV_UNNAMED_LOCK, PRV_LOCK, false};
  case RULE_SET_LOCK:
  case RULE_SET_NEST_LOCK:
    return (struct prv_event){PRV_NAMED_LOCK, PRV_LOCK, false};
  case RULE_ORDERED:
    return (struct prv_event){PRV_ORDERED, PRV_LOCK, false};
  case RULE_TASK:
  case RULE_TASK_UNTIED:
    return (struct prv_event){PRV_TASK_FUNCTION, number, false};
  case RULE_TASK_WAIT:
    return trace_region_is_directive(region, REGION_TASKGROUP) ? (struct prv_event){PRV_TASKGROUP, 2, false}
                                                               : (struct prv_event){PRV_TASKWAIT, 1, false};
  case RULE_USER:
    return (struct prv_event){PRV_USER_FUNCTION, number, false};
  case RULE_STATE_GC:
    return (struct prv_event){PRV_GC, 1, false};
  case RULE_STATE_BLOCKED_MUTEX:
  case RULE_STATE_BLOCKED_CONDVAR:
    return (struct prv_event){PRV_MONITOR, wait_of(region), false};
  case RULE_STATE_SPIN:
    return (struct prv_event){PRV_YIELD, 1, false};
  case RULE_NOTE:
    return note_of(region);
  default:
    return trace_region_is_directive(region, REGION_TASKGROUP) ? (struct prv_event){PRV_IN_TASKGROUP, 1, false}
                                                               : (struct prv_event){PRV_TYPES, 0, false};
  }
}

static void paraver_labels_put_type(struct sink *sink, enum prv_type type)
{
  sink_text(sink, "0    ");
  sink_number(sink, prv_types[type]);
  sink_text(sink, "    ");
  sink_text(sink, labels[type].label);
  sink_char(sink, '\n');
}

/* Readers take the rest of a line without spaces as a name, which must not be empty. */
static const char *or_dash(const char *name)
{
  return name[strspn(name, " ")] ? name : "-";
}

static bool put_function(struct sink *sink, const struct trace_region *region, bool line)
{
  char *name = escape_text(line ? region->file : region->name), *function = escape_text(region->function);
  if (name && function && line) {
    sink_number(sink, region->line);
    sink_text(sink, " (");
    sink_text(sink, *name ? name : "unknown file");
    sink_char(sink, ')');
  } else if (name && function) {
    sink_text(sink, function);
    sink_text(sink, *function ? ": " : "");
    sink_text(sink, *function ? name : or_dash(name));
  }
  sink_char(sink, '\n');
  bool good = name && function;
  free(name);
  free(function);
  return good;
}

static bool put_functions(struct sink *sink, const struct trace *trace, const uint8_t *rules, enum prv_type type)
{
  for (int line = 0; line < 2; line++) {
    sink_text(sink, "EVENT_TYPE\n");
    paraver_labels_put_type(sink, type + (enum prv_type)line);
    sink_text(sink, "VALUES\n0 End\n");
    for (uint32_t i = 0; i < trace->region_count; i++) {
      if (prv_event_of(&trace->regions[i], rules[i], i + 1).type != type)
        continue;
      sink_number(sink, (uint64_t)i + 1);
      sink_char(sink, ' ');
      if (!put_function(sink, &trace->regions[i], line == 1))
        return false;
    }
    sink_text(sink, "\n\n");
  }
  return true;
}

static bool put_attribute(struct sink *sink, uint32_t type, const char *name, const char *unit)
{
  char *escaped = escape_text(name);
  if (!escaped)
    return false;
  sink_text(sink, "EVENT_TYPE\n0    ");
  sink_number(sink, type);
  sink_text(sink, "    ");
  sink_text(sink, or_dash(escaped));
  sink_text(sink, unit);
  sink_text(sink, "\n\n\n");
  free(escaped);
  return true;
}

static bool put_attributes(struct sink *sink, const struct trace *trace, const uint8_t *attributes)
{
  bool good = true;
  for (uint32_t i = 0; good && i < trace->attribute_count; i++) {
    if (attributes[i] & PRV_HAS_INTEGERS)
      good = put_attribute(sink, PRV_ATTRIBUTE + i, trace->attributes[i].name, "");
    if (good && attributes[i] & PRV_HAS_REALS)
      good = put_attribute(sink, PRV_MILLIONTHS + i, trace->attributes[i].name, " (millionths)");
  }
  return good;
}

bool prv_write_pcf(struct sink *sink, const struct trace *trace, const uint8_t *rules, const bool used[PRV_TYPES],
                   const uint8_t *attributes)
{
  sink_text(sink, "DEFAULT_OPTIONS\n\n"
                  "LEVEL               THREAD\nUNITS               NANOSEC\nLOOK_BACK           100\n"
                  "SPEED               1\nFLAG_ICONS          ENABLED\nNUM_OF_STATE_COLORS 1000\n"
                  "YMAX_SCALE          37\n\n\n"
                  "DEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\n\n");
  sink_text(sink, states);
  for (enum prv_type type = 0; type < PRV_TYPES; type++) {
    if (!used[type])
      continue;
    if (!labels[type].values) { /* and the type of its lines, which comes next */
      if (!put_functions(sink, trace, rules, type++))
        return false;
      continue;
    }
    sink_text(sink, "EVENT_TYPE\n");
    paraver_labels_put_type(sink, type);
    if (*labels[type].values)
      sink_text(sink, "VALUES\n");
    sink_text(sink, labels[type].values);
    sink_text(sink, "\n\n");
  }
  return put_attributes(sink, trace, attributes);
}

static void put_level(struct sink *sink, const char *level, uint32_t count)
{
  sink_text(sink, "LEVEL ");
  sink_text(sink, level);
  sink_text(sink, " SIZE ");
  sink_number(sink, count);
  sink_char(sink, '\n');
}

static bool paraver_labels_put_name(struct sink *sink, const char *name)
{
  char *escaped = escape_text(name);
  if (!escaped)
    return false;
  sink_text(sink, or_dash(escaped));
  sink_char(sink, '\n');
  free(escaped);
  return true;
}

bool prv_write_row(struct sink *sink, const struct trace *trace, const uint32_t *order, uint32_t threads,
                   const char *const *tasks, uint32_t task_count)
{
  const char *machine = trace->machine ? trace->machine : "";
  bool good = true;
  put_level(sink, "CPU", threads);
  for (uint32_t i = 0; good && i < threads; i++) {
    sink_number(sink, (uint64_t)i + 1);
    sink_char(sink, '.');
    good = paraver_labels_put_name(sink, machine);
  }
  sink_char(sink, '\n');
  put_level(sink, "NODE", 1);
  good = good && paraver_labels_put_name(sink, machine);
  sink_char(sink, '\n');
  put_level(sink, "TASK", task_count);
  for (uint32_t i = 0; good && i < task_count; i++)
    good = paraver_labels_put_name(sink, tasks[i]);
  sink_char(sink, '\n');
  put_level(sink, "THREAD", threads);
  for (uint32_t i = 0; good && i < threads; i++)
    good = paraver_labels_put_name(sink, trace->locations[order[i]].name);
  return good;
}
