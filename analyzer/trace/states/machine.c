#include "analyzer/trace/states/machine.h"

#include "base/apart.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * The state of a construct's own time can depend on a later part. A loop without chunks is RUN; the time before a
 * loop's first chunk is OVERHEAD. The time is UNDECIDED until then. Only the innermost construct can be undecided,
 * because nested regions decide it (unless rule_is_aside()).
 */
#define UNDECIDED       STATES
#define PENDING_MAX     8 /* segments kept back while undecided: the undecided time, and regions aside in it */
#define DECIDED         SIZE_MAX
#define UNMATCHED_DEPTH 64 /* how many frames down an end searches its begin */

enum frame_kind { FRAME_BASE, FRAME_REGION, FRAME_FORK, FRAME_TEAM };

struct frame {
  uint8_t kind;  /* enum frame_kind */
  uint8_t rule;  /* enum rule */
  uint8_t state; /* state of its own time now, or UNDECIDED */
  uint8_t parts; /* rule of its parts; RULE_INHERIT: it can have none */
  uint32_t region;
  uint32_t construct; /* to which its own time belongs */
};

struct segment {
  unsigned state;
  uint32_t construct;
  uint64_t start, end, off;
};

struct machine {
  struct machine_view view; /* view.depth is the number of frames */
  const struct trace *trace;
  const uint8_t *rules;
  state_sink *sink;
  void *context;
  uint32_t location;

  VECTOR(struct frame) frames; /* view.depth of them; the first is the base */
  size_t undecided;            /* the undecided frame; DECIDED: none */
  bool forks;                  /* ThreadTeamBegin follows a fork */
  bool off;                    /* measurement is switched off */
  bool threads;                /* states are states of threads */
  bool runs;                   /* ... and the model's ones are RUN */
  bool flushing;
  uint64_t flush_stop;   /* the end of a BufferFlush */
  size_t omitted_depth;  /* depth of a stretch with omitted instances, while the time is theirs; 0: none */
  uint64_t omitted_stop; /* the end of their time */
  size_t off_depth;      /* depth of a region without a processor, while its time is another state's; 0: none */
  uint64_t off_since;    /* its begin, or the segment's if that came later */
  uint64_t off_ticks;    /* ticks of the segment in such regions that have ended */

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

/* The state outside any team and region. */
static unsigned base_state(enum trace_thread_type type)
{
  switch (type) {
  case TRACE_THREAD_UNKNOWN:
    return UNDECIDED;
  case TRACE_THREAD_WORKER:
    return STATE_IDLE;
  case TRACE_THREAD_JVM: /* it mostly waits for work, and no event reports this */
    return STATE_UNMEASURED;
  default:
    return STATE_RUN;
  }
}

struct machine *machine_create(const struct trace *trace, uint32_t location, const uint8_t *rules, state_sink *sink,
                               void *context)
{
  struct machine *machine = apart_calloc(1, sizeof *machine);
  if (!machine)
    return NULL;
  if (!vector_make_room(&machine->frames, 64)) {
    free(machine);
    return NULL;
  }
  machine->trace = trace;
  machine->location = location;
  machine->rules = rules;
  machine->sink = sink;
  machine->context = context;
  machine->forks = trace->team_count > 0;
  machine->threads = trace->threads_level;
  machine->runs = machine->threads && (states_know_processors(trace) ||
                                       trace_property(trace, TRACE_OF_LOCATION, location, LOCATION_JAVA_ID));

  unsigned base = base_state(trace->locations[location].type);
  machine->frames.items[0] = (struct frame){FRAME_BASE, RULE_BASE, (uint8_t)base, RULE_INHERIT, TRACE_NONE, TRACE_NONE};
  machine->view.depth = 1;
  machine->undecided = base == UNDECIDED ? 0 : DECIDED;
  machine->view.state = base;
  machine->view.construct = TRACE_NONE;
  return machine;
}

void machine_destroy(struct machine *machine)
{
  if (!machine)
    return;
  vector_free(&machine->frames);
  free(machine);
}

/* True if a programming model is the reason why the thread does not run the program. */
static bool is_model_state(unsigned state)
{
  return state == STATE_IDLE || state == STATE_OVERHEAD || (state != UNDECIDED && state_is_synch((enum state)state));
}

/* What a state is at the machine's level. */
static inline enum state state_at_level(const struct machine *machine, unsigned state)
{
  if (!machine->threads)
    return (enum state)state;
  enum state own = state_of_thread((enum state)state);
  return machine->runs && is_model_state(own) ? STATE_RUN : own;
}

static inline void put_out(struct machine *machine, const struct segment *segment)
{
  enum state state = state_at_level(machine, segment->state);
  machine->view.totals[state] += segment->end - segment->start;
  if (machine->sink) {
    bool has_none = state == STATE_READY || state == STATE_OFF; /* the interval itself is without a processor */
    struct state_interval interval = {state, segment->construct, segment->start, segment->end,
                                      has_none ? 0 : segment->off};
    machine->sink(machine->context, &interval);
  }
}

/* The undecided construct has parts, or has none. */
static void decide(struct machine *machine, bool parted)
{
  if (machine->undecided == DECIDED)
    return;
  struct frame *frame = &machine->frames.items[machine->undecided];
  const struct state_rule *rule = &state_rules[frame->rule];
  unsigned own = parted ? rule->before : rule->alone;
  machine->undecided = DECIDED;
  frame->state = (uint8_t)(parted ? rule->after : rule->alone);
  for (unsigned i = 0; i < machine->pending_count; i++) {
    if (machine->pending[i].state == UNDECIDED)
      machine->pending[i].state = own;
    put_out(machine, &machine->pending[i]);
  }
  machine->pending_count = 0;
  if (machine->off_depth > 0 && machine->frames.items[machine->off_depth - 1].state == UNDECIDED)
    machine->frames.items[machine->off_depth - 1].state = (uint8_t)own;
  if (machine->view.state == UNDECIDED)
    machine->view.state = own;
}

/* The time without a processor up to now counts to the segment. */
static void count_off(struct machine *machine, uint64_t time)
{
  if (machine->off_depth > 0)
    machine->off_ticks += time - machine->off_since;
  machine->off_since = time;
}

static inline void close_segment(struct machine *machine, uint64_t time)
{
  if (time == machine->view.since)
    return;
  if (machine->off_depth > 0)
    count_off(machine, time);
  struct segment segment = {machine->view.state, machine->view.construct, machine->view.since, time,
                            machine->off_ticks};
  machine->off_ticks = 0;
  machine->view.since = time;
  if (machine->undecided == DECIDED) {
    put_out(machine, &segment);
    return;
  }
  machine->pending[machine->pending_count++] = segment;
  if (machine->pending_count == PENDING_MAX)
    decide(machine, false);
}

static inline void change(struct machine *machine, uint64_t time, unsigned state, uint32_t construct)
{
  if (state == machine->view.state && construct == machine->view.construct)
    return;
  close_segment(machine, time); /* may decide the state that is to come */
  machine->view.state = state == UNDECIDED ? machine->frames.items[machine->view.depth - 1].state : state;
  machine->view.construct = construct;
}

/* Returns to the state of the innermost frame. */
static inline void follow_top(struct machine *machine, uint64_t time)
{
  const struct frame *top = &machine->frames.items[machine->view.depth - 1];
  change(machine, time, machine->off ? STATE_UNMEASURED : top->state, top->construct);
}

static bool grow(struct machine *machine, struct error *error)
{
  if (machine->view.depth >= MACHINE_DEPTH_LIMIT)
    return error_set(error, "%s: more than %d nested regions on %s: the archive is damaged", machine->trace->anchor,
                     MACHINE_DEPTH_LIMIT, machine->trace->locations[machine->location].name);
  return vector_make_room(&machine->frames, machine->view.depth + 1) ||
         error_set(error, "%s: out of memory", machine->trace->anchor);
}

/* The place of the next frame, for the caller to fill; the frame before it is the outer one. NULL: an error. */
static inline struct frame *next_frame(struct machine *machine, struct error *error)
{
  if (machine->view.depth == machine->frames.room && !grow(machine, error))
    return NULL;
  return &machine->frames.items[machine->view.depth];
}

/* True if the model's state around a wait, or a time without a processor, is the better reason for it. */
static bool keeps_state(const struct machine *machine, enum rule rule, const struct frame *outer)
{
  if (machine->threads && is_model_state(outer->state) && state_of_thread((enum state)outer->state) == outer->state)
    return false;
  if (rule_is_off(rule))
    return outer->state != STATE_RUN &&
           (outer->state != UNDECIDED || (!machine->threads && state_rules[outer->rule].alone != STATE_RUN));
  return rule_yields(rule) && is_model_state(outer->state);
}

/* The state of a region's own time at its begin. */
static unsigned first_state(enum rule rule, const struct frame *outer, bool keeps, bool undecided)
{
  if (rule_is_off(rule))
    return keeps ? outer->state : state_rules[rule].alone;
  bool around = rule == RULE_INHERIT || (rule == RULE_NOTE && outer->state != UNDECIDED) || keeps;
  return around ? outer->state : undecided ? UNDECIDED : state_rules[rule].alone;
}

/*
 * A stretch of time with omitted instances begins. The event has the sum of their times, but not their places. This
 * time therefore comes first, and the rest of the stretch has the state around it. On a worker outside all teams there
 * is no rest: its waits at the ends of the regions are unknown.
 */
static void enter_omitted(struct machine *machine, const struct trace_event *event, const struct frame *outer)
{
  if (outer->rule == RULE_OMITTED || outer->state == STATE_IDLE ||
      (outer->rule == RULE_BASE && outer->state == UNDECIDED))
    return;
  uint64_t lasted = trace_attribute(event, machine->trace->time, UINT64_MAX);
  machine->omitted_depth = machine->view.depth;
  machine->omitted_stop = lasted > UINT64_MAX - event->time ? UINT64_MAX : event->time + lasted;
}

/* The time of the omitted instances ends before their stretch. */
static void end_omitted(struct machine *machine)
{
  struct frame *frame = &machine->frames.items[machine->omitted_depth - 1];
  frame->state = frame[-1].state;
  frame->construct = frame[-1].construct;
  machine->omitted_depth = 0;
  follow_top(machine, machine->omitted_stop);
}

static bool enter(struct machine *machine, const struct trace_event *event, struct error *error)
{
  struct frame *frame = next_frame(machine, error);
  if (!frame)
    return false;
  struct frame *outer = frame - 1;
  unsigned rule = event->index == TRACE_NONE ? RULE_INHERIT : machine->rules[event->index];
  const struct state_rule *row = &state_rules[rule];
  bool part = rule != RULE_INHERIT && rule == outer->parts;
  /* Before its first team a worker has only regions of the tool. */
  bool aside = rule_is_aside((enum rule)rule) && (machine->undecided != 0 || rule_is_tool((enum rule)rule));
  if (!aside) {
    decide(machine, part);
    if (part)
      outer->state = (uint8_t)state_rules[outer->rule].after;
  }
  bool undecided = !part && row->part != RULE_INHERIT && row->alone != row->before;
  frame->kind = FRAME_REGION;
  frame->rule = (uint8_t)rule;
  frame->parts = (uint8_t)(part ? RULE_INHERIT : row->part);
  frame->region = event->index;
  bool off = rule_is_off((enum rule)rule);
  bool keeps = keeps_state(machine, (enum rule)rule, outer);
  frame->construct = part || off || keeps ? outer->construct : event->index;
  frame->state = (uint8_t)first_state((enum rule)rule, outer, keeps, undecided);
  machine->view.depth++;
  machine->view.in_part = part || off;
  follow_top(machine, event->time);
  if (undecided)
    machine->undecided = machine->view.depth - 1;
  if (rule == RULE_OMITTED)
    enter_omitted(machine, event, outer);
  if (off && frame->state == outer->state && machine->off_depth == 0) {
    machine->off_depth = machine->view.depth;
    machine->off_since = event->time;
  }
  return true;
}

static inline bool begins(const struct frame *frame, unsigned kind, uint32_t region)
{
  return frame->kind == kind && frame->region == region;
}

/* The innermost frame that an end can belong to, or 0. A region's end does not end the team around it. */
static size_t find_frame(const struct machine *machine, unsigned kind, uint32_t region)
{
  size_t depth = machine->view.depth;
  size_t lowest = depth > UNMATCHED_DEPTH ? depth - UNMATCHED_DEPTH : 1;
  for (size_t i = depth; i-- > lowest;) {
    const struct frame *frame = &machine->frames.items[i];
    if (begins(frame, kind, region))
      return i;
    if (kind == FRAME_REGION && frame->kind == FRAME_TEAM)
      return 0;
  }
  return 0;
}

/* `region`: TRACE_NONE unless kind is FRAME_REGION. */
static inline void leave(struct machine *machine, uint64_t time, unsigned kind, uint32_t region)
{
  size_t top = machine->view.depth - 1;
  size_t at = begins(&machine->frames.items[top], kind, region) ? top : find_frame(machine, kind, region);
  if (at == 0) {
    machine->view.unmatched++;
    return;
  }
  machine->view.unmatched += top - at;
  if (machine->undecided != DECIDED && machine->undecided >= at)
    decide(machine, false);
  machine->view.depth = at;
  if (machine->omitted_depth > at)
    machine->omitted_depth = 0;
  if (machine->off_depth > at) {
    count_off(machine, time);
    machine->off_depth = 0;
  }
  follow_top(machine, time);
}

static bool open_frame(struct machine *machine, uint64_t time, unsigned kind, unsigned state, struct error *error)
{
  decide(machine, kind == FRAME_TEAM && machine->view.depth == 1);
  struct frame *frame = next_frame(machine, error);
  if (!frame)
    return false;
  uint32_t construct = frame[-1].construct;
  *frame = (struct frame){(uint8_t)kind, RULE_PARALLEL, (uint8_t)state, RULE_INHERIT, TRACE_NONE, construct};
  machine->view.depth++;
  follow_top(machine, time);
  return true;
}

static void acquire(struct machine *machine, uint64_t time)
{
  struct frame *top = &machine->frames.items[machine->view.depth - 1];
  if (top->kind != FRAME_REGION || top->rule != RULE_ATOMIC)
    return;
  top->state = (uint8_t)state_rules[top->rule].acquired;
  follow_top(machine, time);
}

static void start(struct machine *machine, uint64_t time)
{
  machine->view.any = true;
  machine->view.first = machine->view.since = time;
}

static void end_flush(struct machine *machine, uint64_t time)
{
  machine->flushing = false;
  follow_top(machine, machine->flush_stop < time ? machine->flush_stop : time);
}

/* Events other than Enter and Leave. */
static bool other_event(struct machine *machine, const struct trace_event *event, struct error *error)
{
  uint64_t time = event->time;
  switch (event->kind) {
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
    change(machine, time, STATE_TRACEFLUSH, machine->view.construct);
    machine->flushing = true;
    machine->flush_stop = event->stop;
    return true;
  case TRACE_ThreadBegin:
    return true;
  default: /* has no state, but a thread with other events before its first team is not a worker */
    if (machine->undecided == 0)
      decide(machine, false);
    return true;
  }
}

bool machine_event(struct machine *machine, const struct trace_event *event, struct error *error)
{
  uint64_t time = event->time;
  if (!machine->view.any)
    start(machine, time);
  machine->view.last = time;
  if (machine->flushing)
    end_flush(machine, time);
  if (machine->omitted_depth > 0 && time > machine->omitted_stop)
    end_omitted(machine);
  if (event->kind == TRACE_Enter)
    return enter(machine, event, error);
  if (event->kind != TRACE_Leave)
    return other_event(machine, event, error);
  leave(machine, time, FRAME_REGION, event->index);
  return true;
}

bool machine_end(struct machine *machine, struct error *error)
{
  if (machine->flushing)
    end_flush(machine, machine->view.last);
  decide(machine, false);
  close_segment(machine, machine->view.last);
  uint64_t sum = 0;
  for (unsigned i = 0; i < STATES; i++)
    sum += machine->view.totals[i];
  if (sum == machine->view.last - machine->view.first)
    return true;
  return error_set(error,
                   "%s: internal error: the states of %s add up to %" PRIu64 " ticks, but its lifetime is %" PRIu64,
                   machine->trace->anchor, machine->trace->locations[machine->location].name, sum,
                   machine->view.last - machine->view.first);
}

const struct machine_view *machine_view(const struct machine *machine)
{
  return &machine->view;
}

bool machine_is_decided(const struct machine *machine)
{
  return machine->undecided == DECIDED;
}

bool machine_visit_entered(struct machine *machine, machine_visitor *visit, void *context)
{
  size_t depth = machine->view.depth;
  bool good = true;
  for (size_t i = 1; good && i < depth; i++) {
    const struct frame *frame = &machine->frames.items[i];
    machine->view.depth = i + 1;
    machine->view.in_part = frame->construct != frame->region;
    if (frame->kind == FRAME_REGION)
      good = visit(context, frame->region);
  }
  machine->view.depth = depth;
  return good;
}

bool machine_visit_leaving(struct machine *machine, machine_visitor *visit, void *context)
{
  size_t depth = machine->view.depth;
  bool good = true;
  for (size_t i = depth; good && i-- > 1;) {
    machine->view.depth = i;
    if (machine->frames.items[i].kind == FRAME_REGION)
      good = visit(context, machine->frames.items[i].region);
  }
  machine->view.depth = depth;
  return good;
}

bool readings_exist(const struct trace *trace)
{
  return trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_READINGS) != NULL;
}

/* A part of an interval that lies in the time of a reading. */
struct candidate {
  uint64_t length;
  const struct readings_piece *piece;
};

static bool is_work(const struct candidate *candidate)
{
  return candidate->piece->state == STATE_RUN;
}

static int compare(const void *a, const void *b)
{
  const struct candidate *left = a, *right = b;
  if (is_work(left) != is_work(right))
    return is_work(left) ? 1 : -1;
  if (left->length != right->length)
    return left->length > right->length ? -1 : 1;
  return (left->piece > right->piece) - (left->piece < right->piece);
}

static size_t find_candidates(const struct readings *readings, struct candidate *found)
{
  size_t count = 0;
  for (size_t i = 0; i < readings->pieces.count; i++) {
    const struct readings_piece *piece = &readings->pieces.items[i];
    uint64_t start = piece->start > readings->since ? piece->start : readings->since;
    uint64_t end = piece->end < readings->time ? piece->end : readings->time;
    if (start < end)
      found[count++] = (struct candidate){end - start, piece};
  }
  qsort(found, count, sizeof *found, compare);
  return count;
}

static uint64_t ticks_of(const struct readings *readings, uint64_t ns)
{
  wide_total ticks = (wide_total)ns * readings->trace->ticks_per_second / 1000000000u;
  return ticks < UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

/* The part of `ready` for `off` of `all`. */
static uint64_t part_of(uint64_t ready, uint64_t off, uint64_t all)
{
  return (uint64_t)((wide_total)ready * off / all);
}

/* Later readings are of later intervals. */
static void forget(struct readings *readings)
{
  size_t kept = 0;
  for (size_t i = 0; i < readings->pieces.count; i++)
    if (readings->pieces.items[i].end > readings->time)
      readings->pieces.items[kept++] = readings->pieces.items[i];
  readings->pieces.count = kept;
}

static void share_out(struct readings *readings)
{
  struct candidate candidates[READINGS_PIECES];
  size_t count = find_candidates(readings, candidates);
  uint64_t off = ticks_of(readings, readings->off_ns), ready = ticks_of(readings, readings->ready_ns);
  for (size_t i = 0; i < count && off > 0; i++) {
    const struct readings_piece *piece = candidates[i].piece;
    struct readings_share share = {piece->state, piece->construct, piece->around, 0, 0};
    share.off = candidates[i].length < off ? candidates[i].length : off;
    share.ready = part_of(ready < off ? ready : off, share.off, off);
    off -= share.off;
    ready -= share.ready;
    readings->failed |= !readings->take(readings->context, &share);
  }
  readings->waits = false;
  forget(readings);
}

void readings_interval(struct readings *readings, const struct state_interval *interval, uint32_t around)
{
  struct readings_piece piece = {interval->start, interval->end, interval->construct, around, interval->state};
  size_t count = readings->pieces.count;
  struct readings_piece *last = count > 0 ? &readings->pieces.items[count - 1] : NULL;
  if (last && last->state == piece.state && last->construct == piece.construct && last->around == around &&
      last->end == piece.start) {
    last->end = piece.end;
  } else {
    if (count == READINGS_PIECES) {
      readings->pieces.count = READINGS_PIECES / 2;
      memmove(readings->pieces.items, &readings->pieces.items[READINGS_PIECES / 2], READINGS_PIECES / 2 * sizeof piece);
    }
    readings->failed |= !vector_push(&readings->pieces, piece);
  }
  if (readings->waits && interval->end >= readings->time)
    share_out(readings);
}

void readings_event(struct readings *readings, const struct trace_event *event)
{
  if (event->kind != TRACE_Metric || event->index == TRACE_NONE || event->value_count < 3)
    return;
  const struct trace_metric_class *class = &readings->trace->metric_classes[event->index];
  if (class->count < 3 || class->metrics[0] == TRACE_NONE ||
      strcmp(readings->trace->metrics[class->metrics[0]], NAME_METRIC_OFF) != 0)
    return;
  for (unsigned i = 0; i < 3; i++)
    if (event->types[i] != OTF2_TYPE_UINT64)
      return;
  if (readings->waits)
    share_out(readings);
  uint64_t since = event->values[2].unsigned_int;
  readings->waits = true;
  readings->time = event->time;
  readings->since = since < event->time ? event->time - since : 0;
  readings->off_ns = event->values[0].unsigned_int;
  readings->ready_ns = event->values[1].unsigned_int;
}

bool readings_end(struct readings *readings)
{
  if (readings->waits)
    share_out(readings);
  return !readings->failed;
}

void readings_free(struct readings *readings)
{
  vector_free(&readings->pieces);
}
