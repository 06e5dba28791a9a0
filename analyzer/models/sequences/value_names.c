#include "analyzer/models/sequences/value_names.h"

#include "analyzer/trace/states/machine.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *construct_name(const struct trace *trace, uint64_t key)
{
  uint32_t construct = lane_key_construct(key);
  return construct < trace->region_count ? trace->regions[construct].name : "outside";
}

/* What a thread does, long and short: a state's code is one capital letter. */
static char *key_name(const struct trace *trace, enum pes_component_kind kind, uint64_t key)
{
  char *name = NULL;
  if (key < LANE_FIRST_VALUE)
    return strdup(key == LANE_UNDEF ? "Undef" : "Finis");
  if (kind == PES_OF_CONSTRUCT)
    return strdup(construct_name(trace, key));
  const char *state = state_name((enum state)lane_key_state(key));
  if (kind == PES_OF_STATE)
    return strdup(state);
  return asprintf(&name, "%s in %s", state, construct_name(trace, key)) < 0 ? NULL : name;
}

static char *key_code(const struct trace *trace, enum pes_component_kind kind, uint64_t key)
{
  char *code = NULL;
  if (key < LANE_FIRST_VALUE)
    return strdup(key == LANE_UNDEF ? "U" : "X");
  /* `!$omp for @lu.c:42` is for@lu.c:42: shorter, and without a space. */
  const char *construct = construct_name(trace, key);
  if (strncmp(construct, NAME_OMP, sizeof NAME_OMP - 1) == 0 && construct[sizeof NAME_OMP - 1] == ' ')
    construct += sizeof NAME_OMP;
  char letter = kind == PES_OF_CONSTRUCT ? '\0' : state_letter((enum state)lane_key_state(key));
  if (kind == PES_OF_STATE)
    return asprintf(&code, "%c", letter) < 0 ? NULL : code;
  if ((letter ? asprintf(&code, "%c:%s", letter, construct) : asprintf(&code, "%s", construct)) < 0)
    return NULL;
  char *to = code;
  for (const char *from = code; *from; from++)
    if (*from != ' ')
      *to++ = *from == ',' ? ';' : *from; /* commas stand between codes */
  *to = '\0';
  return code;
}

static uint64_t key_of_bit(unsigned bit)
{
  return bit < LANE_FIRST_VALUE ? bit : lane_key(bit - LANE_FIRST_VALUE, 0);
}

/* The names of all that is in a mask: RUN+IDLE, (RI); of one alone, R. */
static char *mask_text(const struct trace *trace, uint64_t mask, bool code)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  bool several = code && (mask & (mask - 1)) != 0;
  if (several)
    fputc('(', file);
  for (unsigned bit = 0; bit < VALUE_MASK_BITS; bit++) {
    if (!(mask >> bit & 1))
      continue;
    char *one = (code ? key_code : key_name)(trace, PES_OF_STATE, key_of_bit(bit));
    fprintf(file, "%s%s", !code && ftell(file) > 0 ? "+" : "", one ? one : "");
    free(one);
  }
  if (several)
    fputc(')', file);
  return fclose(file) == 0 ? text : NULL;
}

/* COUNTS: "3", and R3; of constructs 3*for@lu.c:42. Nobody in it: nothing. */
static char *count_text(const struct trace *trace, enum pes_component_kind kind, uint64_t key, uint64_t count,
                        bool code)
{
  char *text = NULL;
  if (!code)
    return asprintf(&text, "%" PRIu64, count) < 0 ? NULL : text;
  if (count == 0)
    return strdup("");
  char *of = key_code(trace, kind, key);
  if (!of)
    return NULL;
  const char *format = kind == PES_OF_STATE ? "%2$s%1$" PRIu64 : "%1$" PRIu64 "*%2$s";
  int length = asprintf(&text, format, count, of);
  free(of);
  return length < 0 ? NULL : text;
}

static char *holder_text(const struct trace *trace, uint64_t holder, bool code)
{
  char *text = NULL;
  if (holder == 0)
    return strdup(code ? "F" : "free");
  if (!code)
    return strdup(trace->locations[holder - 1].name);
  return asprintf(&text, "T%" PRIu64, holder - 1) < 0 ? NULL : text;
}

/* Values without end are its limits. */
uint64_t value_of_counter(double measured, double step)
{
  const double limit = 0x1p52;
  double steps = floor(measured / step);
  int64_t whole = isnan(steps) ? 0 : (int64_t)(steps < -limit ? -limit : steps > limit ? limit : steps);
  return 1 + (whole < 0 ? 2 * (uint64_t)-whole - 1 : 2 * (uint64_t)whole);
}

static char *counter_text(double step, uint64_t value, bool code)
{
  char *text = NULL;
  if (value == 0)
    return strdup(code ? "?" : "unknown");
  uint64_t zigzag = value - 1;
  double steps = zigzag % 2 ? -(double)(zigzag / 2 + 1) : (double)(zigzag / 2);
  return asprintf(&text, "%.15g", steps * step) < 0 ? NULL : text;
}

char *value_text(const struct trace *trace, const struct pes_trace_options *options, uint64_t key, uint64_t value,
                 bool code)
{
  if (options->component == PES_OF_LOCKS)
    return holder_text(trace, value, code);
  if (options->component == PES_OF_COUNTERS)
    return counter_text(options->step, value, code);
  if (value_is_count(options))
    return count_text(trace, options->component, key, value, code);
  if (value_is_mask(options))
    return mask_text(trace, value, code);
  return (code ? key_code : key_name)(trace, options->component, value);
}

char *value_component_name(const struct trace *trace, enum pes_component_kind kind, uint64_t key)
{
  char *name = NULL;
  if (kind == PES_OF_LOCKS)
    return asprintf(&name, "lock %" PRIu64, key - LANE_FIRST_VALUE) < 0 ? NULL : name;
  if (kind != PES_OF_COUNTERS)
    return key_name(trace, kind, key);
  const char *metric = trace->metrics[lane_counter_metric(trace, key)];
  const char *location = trace->locations[lane_counter_location(trace, key)].name;
  return asprintf(&name, "%s of %s", metric, location) < 0 ? NULL : name;
}
