#include "analyzer/analyses/account/running_code.h"

#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTION_DOACROSS_WAIT "__kmpc_doacross_wait"

enum {
  LOOK_MS = 1000,  /* a look stands for so much time before and after it */
  KERNEL_MS = 1000 /* the kernel works for the call that a sample has seen, at most so long after it */
};

enum code_looks { LOOKS_NOT, LOOKS_AT_FUTEX, LOOKS_AT_CALL };
enum code_does { CODE_WORKS, CODE_SPINS, CODE_ORDERED, CODE_MPI };

struct running_code {
  struct samples *samples;
  uint8_t *does;         /* by context: enum code_does */
  uint32_t *own;         /* ... the innermost context of the program's own code; TRACE_NONE: none */
  uint32_t *called;      /* ... what that code has called; TRACE_NONE: it runs itself */
  uint64_t *periods;     /* by trigger: ticks; 0: it is no sample of time */
  uint8_t *looks;        /* ... enum code_looks: samples are looks at threads that wait */
  uint64_t look, kernel; /* ticks */
};

static bool begins_with(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

/* OpenMP's runtimes wait for the program's threads, and the events say what for. */
static bool is_of_runtime(const char *module)
{
  static const char *const runtimes[] = {"libgomp", "libomp", "libiomp", "libheddle"};
  const char *slash = strrchr(module, '/');
  for (unsigned i = 0; i < COUNT_OF(runtimes); i++)
    if (begins_with(slash ? slash + 1 : module, runtimes[i]))
      return true;
  return false;
}

bool code_module_is_of_mpi(const char *module)
{
  static const char *const libraries[] = {"libmpi", "libopen-pal", "libopen-rte", "libpmix",
                                          "mca_",   "libucs",      "libuct",      "libfabric"};
  const char *slash = strrchr(module, '/');
  for (unsigned i = 0; i < COUNT_OF(libraries); i++)
    if (begins_with(slash ? slash + 1 : module, libraries[i]))
      return true;
  return false;
}

/* Code with a source line, in the program or a library of its own; the system's libraries and headers are no place to
 * look at. */
static bool is_own(const struct samples *samples, const struct samples_context *context)
{
  const char *module = samples->functions[context->function].module;
  return context->line != 0 && !is_of_runtime(module) && *context->file && !begins_with(context->file, "/usr/") &&
         !begins_with(module, "/usr/lib") && !begins_with(module, "/lib");
}

/* Code of the system's headers in the program's own module. */
static bool is_template_of(const struct samples *samples, uint32_t context, uint32_t own)
{
  const struct samples_context *is = &samples->contexts[context], *of = &samples->contexts[own];
  return begins_with(is->file, "/usr/") &&
         strcmp(samples->functions[is->function].module, samples->functions[of->function].module) == 0;
}

static void know_context(struct running_code *code, uint32_t number)
{
  const struct samples_context *context = &code->samples->contexts[number];
  uint32_t parent = context->parent;
  bool ordered = strcmp(code->samples->functions[context->function].name, FUNCTION_DOACROSS_WAIT) == 0;
  code->does[number] = context->spins ? CODE_SPINS : CODE_WORKS;
  if (ordered || (parent != TRACE_NONE && code->does[parent] == CODE_ORDERED))
    code->does[number] = CODE_ORDERED;
  if (code_module_is_of_mpi(code->samples->functions[context->function].module) ||
      (parent != TRACE_NONE && code->does[parent] == CODE_MPI))
    code->does[number] = CODE_MPI;
  bool own = is_own(code->samples, context);
  code->own[number] = own ? number : parent == TRACE_NONE ? TRACE_NONE : code->own[parent];
  uint32_t called = own || parent == TRACE_NONE ? TRACE_NONE : code->called[parent];
  bool through = called != TRACE_NONE && is_template_of(code->samples, called, code->own[number]) &&
                 !is_template_of(code->samples, number, code->own[number]);
  bool calls = !own && parent != TRACE_NONE && code->own[number] != TRACE_NONE;
  code->called[number] = calls && (called == TRACE_NONE || through) ? number : called;
}

static bool know(struct running_code *code, const struct trace *trace)
{
  const struct samples *samples = code->samples;
  double ticks_per_ns = (double)trace->ticks_per_second / 1e9;
  bool any = false;
  code->does = calloc((size_t)samples->context_count + 1, sizeof *code->does);
  code->own = calloc((size_t)samples->context_count + 1, sizeof *code->own);
  code->called = calloc((size_t)samples->context_count + 1, sizeof *code->called);
  code->periods = calloc((size_t)samples->trigger_count + 1, sizeof *code->periods);
  code->looks = calloc((size_t)samples->trigger_count + 1, sizeof *code->looks);
  if (!code->does || !code->own || !code->called || !code->periods || !code->looks)
    return false;
  code->look = (uint64_t)(LOOK_MS * 1e6 * ticks_per_ns);
  code->kernel = (uint64_t)(KERNEL_MS * 1e6 * ticks_per_ns);
  for (uint32_t i = 0; i < samples->trigger_count; i++) {
    const struct samples_trigger *trigger = &samples->triggers[i];
    code->looks[i] = strcmp(trigger->name, NAME_TRIGGER_FUTEX) == 0  ? LOOKS_AT_FUTEX
                     : strcmp(trigger->name, NAME_TRIGGER_CALL) == 0 ? LOOKS_AT_CALL
                                                                     : LOOKS_NOT;
    if (trigger->timed && !trigger->waits)
      code->periods[i] = (uint64_t)((double)trigger->period * ticks_per_ns);
    any |= code->looks[i] != LOOKS_NOT || code->periods[i] > 0;
  }
  for (uint32_t i = 0; any && i < samples->context_count; i++)
    know_context(code, i);
  return any;
}

struct running_code *running_code_open(const struct trace *trace)
{
  struct running_code *code = calloc(1, sizeof *code);
  struct error ignored;
  bool none;
  if (code && (code->samples = samples_open(trace, &none, &ignored)) != NULL && know(code, trace))
    return code;
  running_code_close(code);
  return NULL;
}

void running_code_close(struct running_code *code)
{
  if (!code)
    return;
  samples_close(code->samples);
  free(code->does);
  free(code->own);
  free(code->called);
  free(code->periods);
  free(code->looks);
  free(code);
}

bool code_spins(const struct running_code *code, uint32_t context)
{
  return code->does[context] == CODE_SPINS || code->does[context] == CODE_ORDERED;
}

bool code_is_of_mpi(const struct running_code *code, uint32_t context)
{
  return code->does[context] == CODE_MPI;
}

bool code_is_ordered(const struct running_code *code, uint32_t context)
{
  return code->does[context] == CODE_ORDERED;
}

/* Templates of the system's headers are the program's: their waits are no locks of a library. */
bool code_is_of_library(const struct running_code *code, uint32_t context)
{
  const struct samples *samples = code->samples;
  uint32_t own = code->own[context], called = code->called[context];
  if (called == TRACE_NONE)
    return false;
  const char *module = samples->functions[samples->contexts[called].function].module;
  if (is_of_runtime(module))
    return false;
  return !begins_with(samples->contexts[called].file, "/usr/") ||
         strcmp(module, samples->functions[samples->contexts[own].function].module) != 0;
}

bool code_is_at_lock_of_library(const struct running_code *code, uint32_t context)
{
  return code->samples->contexts[context].calls_futex && code_is_of_library(code, context);
}

bool code_place(const struct running_code *code, uint32_t context, struct code_place *place)
{
  const struct samples *samples = code->samples;
  uint32_t own = code->own[context], called = code->called[context];
  if (own == TRACE_NONE)
    return false;
  *place = (struct code_place){.function = samples->functions[samples->contexts[own].function].name,
                               .file = samples->contexts[own].file,
                               .line = samples->contexts[own].line,
                               .atomic = samples->contexts[context].atomic};
  if (called != TRACE_NONE)
    place->library = samples->functions[samples->contexts[called].function].name;
  return true;
}

uint32_t code_function(const struct running_code *code, uint32_t context)
{
  uint32_t own = code->own[context];
  return own == TRACE_NONE ? TRACE_NONE : code->samples->contexts[own].function;
}

static bool track_open(struct code_track *track, const struct trace *trace, const struct running_code *code,
                       uint32_t location, bool looks, struct error *error)
{
  *track = (struct code_track){.looks = looks, .context = TRACE_NONE, .kernel = TRACE_NONE};
  return !code || samples_stream_of(trace, code->samples, location, &track->stream, error);
}

bool code_reader_open(struct code_reader *reader, const struct trace *trace, const struct running_code *code,
                      uint32_t location, struct error *error)
{
  *reader = (struct code_reader){.code = code, .next = code ? 0 : UINT64_MAX};
  return track_open(&reader->ran, trace, code, location, false, error) &&
         track_open(&reader->waited, trace, code, location, true, error);
}

void code_reader_close(struct code_reader *reader)
{
  samples_stream_close(reader->ran.stream);
  samples_stream_close(reader->waited.stream);
}

static void find_next(const struct running_code *code, struct code_track *track)
{
  const struct samples_event *event;
  while (!track->found && track->stream && (event = samples_stream_peek(track->stream)) != NULL) {
    bool timed = code->periods[event->trigger] > 0, futex = code->samples->contexts[event->context].calls_futex;
    track->found = track->looks ? code->looks[event->trigger] != LOOKS_NOT || (timed && futex) : timed;
    track->next = *event;
    samples_stream_take(track->stream);
  }
}

/* When the time begins that the next one stands for. */
static uint64_t begin_of_next(const struct running_code *code, const struct code_track *track)
{
  uint64_t before = track->looks ? code->look : code->periods[track->next.trigger];
  return !track->found ? UINT64_MAX : track->next.time > before ? track->next.time - before : 0;
}

static uint64_t next_change(const struct running_code *code, struct code_track *track)
{
  find_next(code, track);
  uint64_t begin = begin_of_next(code, track);
  if (!track->inside || begin >= track->end)
    return track->inside ? track->end : begin;
  return track->next.time < track->end ? track->next.time : track->end;
}

/* Time between samples, after their periods, was spent in the kernel: it takes no samples there. */
static void change(const struct running_code *code, struct code_track *track, uint64_t at)
{
  bool goes_on = begin_of_next(code, track) <= at;
  track->inside = goes_on;
  if (!goes_on) {
    track->context = at < track->kernel_until ? track->kernel : TRACE_NONE;
    return;
  }
  track->context = track->next.context;
  track->futex = code->looks[track->next.trigger] != LOOKS_AT_CALL;
  track->end = track->next.time + (track->looks ? code->look : 0);
  track->found = false;
  if (!track->looks && code->samples->contexts[track->context].calls_kernel) {
    track->kernel = track->context;
    track->kernel_until = track->next.time + code->kernel;
  }
}

bool code_reader_next(struct code_reader *reader, uint64_t until, uint64_t *at)
{
  uint64_t ran = next_change(reader->code, &reader->ran), waited = next_change(reader->code, &reader->waited);
  uint64_t time = ran < waited ? ran : waited;
  reader->next = time;
  if (time >= until)
    return false;
  *at = time > *at ? time : *at;
  change(reader->code, ran <= waited ? &reader->ran : &reader->waited, *at);
  return true;
}

bool code_reader_failed(const struct code_reader *reader)
{
  return (reader->ran.stream && samples_stream_failed(reader->ran.stream)) ||
         (reader->waited.stream && samples_stream_failed(reader->waited.stream));
}
