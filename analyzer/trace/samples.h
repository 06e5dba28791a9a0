/*
 * The samples of a run: which code its threads ran. They are an archive of their own, samples.otf2, beside the trace's,
 * with the same clock and locations. Any thread may read the definitions, once they are there.
 */
#ifndef HEDDLE_ANALYZER_TRACE_SAMPLES_H
#define HEDDLE_ANALYZER_TRACE_SAMPLES_H

#include "analyzer/trace/definitions.h"

/* Code with a name: a function, a part of one that a compiler took out for a construct, or a file without symbols. */
struct samples_function {
  const char *name, *file, *module; /* "": unknown; never NULL */
  uint32_t line;                    /* where it begins; 0: unknown */
};

/* A place with the way to it. */
struct samples_context {
  uint32_t function;
  uint32_t parent;   /* a smaller number, or TRACE_NONE: nothing called it, as far as it is known */
  const char *file;  /* of the line in the function; "": unknown */
  uint32_t line;     /* 0: unknown */
  bool calls_kernel; /* it has called the kernel ... */
  bool calls_futex;  /* ... for a futex */
  bool spins;        /* it is in a loop that another thread's write alone ends */
  bool atomic;       /* it is an atomic instruction, or follows one */
};

/* What takes samples. */
struct samples_trigger {
  const char *name; /* `cpu`, `page-faults`, ... */
  bool timed;       /* by a thread's processor time, or by its waits; else by events */
  bool waits;
  uint64_t period; /* ns, or events, between two samples of a thread; 0: unknown */
};

/* A source line. */
struct samples_line {
  const char *file; /* "": unknown */
  uint32_t line;    /* 0: unknown */
};

/* What events can have. */
struct samples_attribute {
  uint32_t ref;
  const char *name;
};

struct samples {
  char *anchor; /* path of samples.otf2 */
  struct samples_function *functions;
  struct samples_context *contexts;
  struct samples_trigger *triggers;
  struct samples_line *lines;
  struct samples_attribute *attributes;
  uint32_t function_count, context_count, trigger_count, line_count, attribute_count;
  uint32_t weight; /* reference of that attribute; OTF2_UNDEFINED_ATTRIBUTE: no event has it */
  struct ref_map context_of, trigger_of, line_of;
  struct ref_map locations; /* references of locations that have samples -> 1 */
  char **strings;
  uint32_t string_count;
};

/* NULL: an error, or *none: the run was recorded without samples. Contexts without a function, or with a parent that is
 * not defined before them, are errors. */
struct samples *samples_open(const struct trace *trace, bool *none, struct error *error);
void samples_close(struct samples *samples);
/* Likewise another archive of calling contexts beside the trace, NAME.otf2; messages call its contents NAME, too. */
struct samples *samples_open_named(const struct trace *trace, const char *name, struct error *error);

/*
 * The samples of one location of the trace, in order of time. One thread at a time; each stream has a reader. Any
 * number of streams can exist: only some of them have open files (see below).
 */
struct samples_stream;
struct samples_event {
  uint64_t time; /* ticks */
  uint32_t context, trigger;
  uint64_t weight; /* samples that it stands for, at least 1 */
};
struct samples_stream *samples_stream_open(const struct samples *samples, const struct trace_location *location,
                                           struct error *error);
/* The same by the location's number, for a pass. *stream is NULL if its samples are excluded, because it is no thread,
 * or is not in the analyzed part. False: an error. */
bool samples_stream_of(const struct trace *trace, const struct samples *samples, uint32_t location,
                       struct samples_stream **stream, struct error *error);
/* The next one, which is the first again until it is taken; NULL: there is none, or samples_stream_failed(). */
const struct samples_event *samples_stream_peek(struct samples_stream *stream);
void samples_stream_take(struct samples_stream *stream);
/* The error of samples_stream_open() is filled in then. */
bool samples_stream_failed(const struct samples_stream *stream);
void samples_stream_close(struct samples_stream *stream);

#endif
