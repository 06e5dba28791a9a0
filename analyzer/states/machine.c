#include "analyzer/states/machine.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * A construct's own time can have one state or another, depending on whether a part follows (a loop without chunks is
 * RUN, the time before a loop's first chunk is OVERHEAD). Until that is known the time is UNDECIDED. Only the innermost
 * construct can be undecided, for what is nested decides it, except the tool's own regions.
 */
#define UNDECIDED       STATES
#define PENDING_MAX     8  /* held back while undecided: the undecided time and the tool's pauses in it */
#define UNMATCHED_DEPTH 64 /* how far down an end looks for its beginning */

enum frame_kind { FRAME_BASE, FRAME_REGION, FRAME_FORK, FRAME_TEAM };

struct frame {
  uint8_t kind;  /* enum frame_kind */
  uint8_t rule;  /* enum rule */
  uint8_t state; /* of its own time now; UNDECIDED */
  bool part;     /* of the construct in the frame below */
  uint32_t region;
  uint32_t construct; /* whose time its own time is */
};

struct segment {
  unsigned state;
  uint32_t construct;
  uint64_t start, end;
};

struct machine {
  const struct trace *trace;
  const uint8_t *rules;
  state_sink *sink;
  void *context;
  uint32_t location;

  struct frame *frames; /* frames[0] is the base */
  size_t depth, capacity;
  size_t undecided; /* frame that is undecided; SIZE_MAX: none */
  bool forks;       /* a fork is followed by ThreadTeamBegin */
  bool off;         /* measurement is switched off */
  bool started;
  bool flushing;
  uint64_t flush_stop; /* a BufferFlush lasts until then */

  uint64_t first, last;
  unsigned state; /* now */
  uint32_t construct;
  uint64_t since;
  uint64_t totals[STATES];
  uint64_t unmatched;

  struct segment pending[PENDING_MAX];
  unsigned pending_count;
};

uint8_t *machine_rules(const struct trace *trace)
{
  uint8_t *rules = malloc(trace->region_count + 1);
  for (uint32_t i = 0; rules && i < trace->region_count; i++)
    rules[i] = (uint8_t)state_rule_of(&trace->regions[i]);
  return rules;
}

struct machine *machine_create(const struct trace *trace, uint32_t location, const uint8_t *rules, state_sink *sink,
                               void *context)
{
  struct machine *machine = calloc(1, sizeof *machine);
  if (!machine)
    return NULL;
  machine->capacity = 64;
  machine->frames = malloc(machine->capacity * sizeof *machine->frames);
  if (!machine->frames) {
    free(machine);
    return NULL;
  }
  machine->trace = trace;
  machine->location = location;
  machine->rules = rules;
  machine->sink = sink;
  machine->context = context;
  machine->forks = trace->team_count > 0;

  enum trace_thread_type type = trace->locations[location].type;
  unsigned base = type == TRACE_THREAD_WORKER ? STATE_IDLE : type == TRACE_THREAD_UNKNOWN ? UNDECIDED : STATE_RUN;
  machine->frames[0] = (struct frame){FRAME_BASE, RULE_BASE, (uint8_t)base, false, TRACE_NONE, TRACE_NONE};
  machine->depth = 1;
  machine->undecided = base == UNDECIDED ? 0 : SIZE_MAX;
  machine->state = base;
  machine->construct = TRACE_NONE;
  return machine;
}

void machine_destroy(struct machine *machine)
{
  if (!machine)
    return;
  free(machine->frames);
  free(machine);
}

static void put_out(struct machine *machine, const struct segment *segment)
{
  machine->totals[segment->state] += segment->end - segment->start;
  if (machine->sink) {
    struct state_interval interval = {(enum state)segment->state, segment->construct, segment->start, segment->end};
    machine->sink(machine->context, &interval);
  }
}

/* The undecided construct turns out to have parts, or not. */
static void decide(struct machine *machine, bool parted)
{
  if (machine->undecided == SIZE_MAX)
    return;
  struct frame *frame = &machine->frames[machine->undecided];
  const struct state_rule *rule = &state_rules[frame->rule];
  unsigned own = parted ? rule->before : rule->alone;
  machine->undecided = SIZE_MAX;
  frame->state = (uint8_t)(parted ? rule->after : rule->alone);
  for (unsigned i = 0; i < machine->pending_count; i++) {
    if (machine->pending[i].state == UNDECIDED)
      machine->pending[i].state = own;
    put_out(machine, &machine->pending[i]);
  }
  machine->pending_count = 0;
  if (machine->state == UNDECIDED)
    machine->state = own;
}

static void close_segment(struct machine *machine, uint64_t time)
{
  if (time == machine->since)
    return;
  struct segment segment = {machine->state, machine->construct, machine->since, time};
  machine->since = time;
  if (machine->undecided == SIZE_MAX) {
    put_out(machine, &segment);
    return;
  }
  machine->pending[machine->pending_count++] = segment;
  if (machine->pending_count == PENDING_MAX)
    decide(machine, false);
}

static void change(struct machine *machine, uint64_t time, unsigned state, uint32_t construct)
{
  if (state == machine->state && construct == machine->construct)
    return;
  close_segment(machine, time);
  machine->state = state;
  machine->construct = construct;
}

/* The state is that of the innermost frame again. */
static void follow_top(struct machine *machine, uint64_t time)
{
  const struct frame *top = &machine->frames[machine->depth - 1];
  if (machine->off)
    change(machine, time, STATE_UNMEASURED, top->construct);
  else
    change(machine, time, top->state, top->construct);
}

static bool push(struct machine *machine, struct frame frame, struct trace_error *error)
{
  if (machine->depth == machine->capacity) {
    if (machine->depth >= MACHINE_DEPTH_LIMIT)
      return trace_fail(error, "%s: more than %d nested regions on %s: the archive is damaged", machine->trace->anchor,
                        MACHINE_DEPTH_LIMIT, machine->trace->locations[machine->location].name);
    size_t capacity = 2 * machine->capacity;
    struct frame *frames = reallocarray(machine->frames, capacity, sizeof *frames);
    if (!frames)
      return trace_fail(error, "%s: out of memory", machine->trace->anchor);
    machine->frames = frames;
    machine->capacity = capacity;
  }
  machine->frames[machine->depth++] = frame;
  return true;
}

static void pop_to(struct machine *machine, size_t depth)
{
  if (machine->undecided != SIZE_MAX && machine->undecided >= depth)
    decide(machine, false);
  machine->depth = depth;
}

static bool is_tool_rule(unsigned rule)
{
  return rule == RULE_TRACEFLUSH || rule == RULE_BUFFER_FLUSH || rule == RULE_MEASUREMENT_OFF;
}

static bool enter(struct machine *machine, const struct trace_event *event, struct trace_error *error)
{
  unsigned rule = event->index == TRACE_NONE ? RULE_INHERIT : machine->rules[event->index];
  struct frame *outer = &machine->frames[machine->depth - 1];
  struct frame frame = {FRAME_REGION, (uint8_t)rule, 0, false, event->index, event->index};
  frame.part = rule != RULE_INHERIT && outer->kind == FRAME_REGION && !outer->part &&
               state_rules[outer->rule].part == (enum rule)rule;
  if (frame.part)
    frame.construct = outer->construct;
  if (!is_tool_rule(rule)) {
    decide(machine, frame.part);
    if (frame.part)
      outer->state = (uint8_t)state_rules[outer->rule].after;
  }

  const struct state_rule *row = &state_rules[rule];
  bool parted = row->part != RULE_INHERIT && !frame.part;
  if (rule == RULE_INHERIT)
    frame.state = outer->state;
  else if (parted && row->alone != row->before)
    frame.state = UNDECIDED;
  else
    frame.state = (uint8_t)row->alone;
  if (!push(machine, frame, error))
    return false;
  follow_top(machine, event->time);
  if (frame.state == UNDECIDED)
    machine->undecided = machine->depth - 1;
  return true;
}

/* The innermost frame that such an end can belong to, or 0. A region's end does not leave the team it is in. */
static size_t find_frame(const struct machine *machine, unsigned kind, uint32_t region)
{
  size_t lowest = machine->depth > UNMATCHED_DEPTH ? machine->depth - UNMATCHED_DEPTH : 1;
  for (size_t i = machine->depth; i-- > lowest;) {
    const struct frame *frame = &machine->frames[i];
    if (frame->kind == kind && (kind != FRAME_REGION || frame->region == region))
      return i;
    if (kind == FRAME_REGION && frame->kind == FRAME_TEAM)
      return 0;
  }
  return 0;
}

static void leave(struct machine *machine, uint64_t time, unsigned kind, uint32_t region)
{
  size_t at = find_frame(machine, kind, region);
  if (at == 0) {
    machine->unmatched++;
    return;
  }
  machine->unmatched += machine->depth - 1 - at;
  pop_to(machine, at);
  follow_top(machine, time);
}

static bool open_frame(struct machine *machine, uint64_t time, unsigned kind, unsigned state, struct trace_error *error)
{
  decide(machine, kind == FRAME_TEAM && machine->depth == 1);
  uint32_t construct = machine->frames[machine->depth - 1].construct;
  struct frame frame = {(uint8_t)kind, RULE_PARALLEL, (uint8_t)state, false, TRACE_NONE, construct};
  if (!push(machine, frame, error))
    return false;
  follow_top(machine, time);
  return true;
}

static void acquire(struct machine *machine, uint64_t time)
{
  struct frame *top = &machine->frames[machine->depth - 1];
  if (top->kind != FRAME_REGION || top->rule != RULE_ATOMIC)
    return;
  top->state = (uint8_t)state_rules[top->rule].acquired;
  follow_top(machine, time);
}

static void start(struct machine *machine, uint64_t time)
{
  machine->started = true;
  machine->first = machine->since = time;
}

static void end_flush(struct machine *machine, uint64_t time)
{
  machine->flushing = false;
  follow_top(machine, machine->flush_stop < time ? machine->flush_stop : time);
}

bool machine_event(struct machine *machine, const struct trace_event *event, struct trace_error *error)
{
  uint64_t time = event->time;
  if (!machine->started)
    start(machine, time);
  machine->last = time;
  if (machine->flushing)
    end_flush(machine, time);
  switch (event->kind) {
  case TRACE_Enter:
    return enter(machine, event, error);
  case TRACE_Leave:
    leave(machine, time, FRAME_REGION, event->index);
    return true;
  case TRACE_ThreadFork:
  case TRACE_OmpFork:
    return open_frame(machine, time, FRAME_FORK, machine->forks ? STATE_OVERHEAD : STATE_RUN, error);
  case TRACE_ThreadJoin:
  case TRACE_OmpJoin:
    leave(machine, time, FRAME_FORK, TRACE_NONE);
    return true;
  case TRACE_ThreadTeamBegin:
    return open_frame(machine, time, FRAME_TEAM, STATE_RUN, error);
  case TRACE_ThreadTeamEnd:
    leave(machine, time, FRAME_TEAM, TRACE_NONE);
    return true;
  case TRACE_ThreadAcquireLock:
  case TRACE_OmpAcquireLock:
    acquire(machine, time);
    return true;
  case TRACE_MeasurementOnOff:
    machine->off = !event->on;
    follow_top(machine, time);
    return true;
  case TRACE_BufferFlush:
    change(machine, time, STATE_TRACEFLUSH, machine->construct);
    machine->flushing = true;
    machine->flush_stop = event->stop;
    return true;
  case TRACE_ThreadBegin:
    return true;
  default: /* says nothing about states, but a thread that does anything before it joins a team is no worker */
    if (machine->undecided == 0)
      decide(machine, false);
    return true;
  }
}

bool machine_end(struct machine *machine, struct trace_error *error)
{
  if (machine->flushing)
    end_flush(machine, machine->last);
  decide(machine, false);
  close_segment(machine, machine->last);
  uint64_t sum = 0;
  for (unsigned i = 0; i < STATES; i++)
    sum += machine->totals[i];
  if (sum == machine->last - machine->first)
    return true;
  return trace_fail(error, "%s: internal error: the states of %s add up to %" PRIu64 " ticks, its lifetime is %" PRIu64,
                    machine->trace->anchor, machine->trace->locations[machine->location].name, sum,
                    machine->last - machine->first);
}

uint64_t machine_total(const struct machine *machine, enum state state)
{
  return machine->totals[state] + (machine->state == state ? machine->last - machine->since : 0);
}

uint64_t machine_first(const struct machine *machine)
{
  return machine->first;
}

uint64_t machine_last(const struct machine *machine)
{
  return machine->last;
}

uint64_t machine_unmatched(const struct machine *machine)
{
  return machine->unmatched;
}

size_t machine_depth(const struct machine *machine)
{
  return machine->depth;
}

bool machine_in_part(const struct machine *machine)
{
  return machine->frames[machine->depth - 1].part;
}
