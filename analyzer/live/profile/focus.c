#include "analyzer/live/profile/focus.h"
#include "analyzer/live/profile/states.h"

#include "base/count_of.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const key_names[FOCUS_KEYS] = {"thread", "start", "member", "construct", "function",
                                                  "lock",   "event", "value",  "state"};

struct pair {
  enum profile_focus_key key;
  const char *pattern;
};

struct profile_focus {
  struct pair *pairs;
  size_t count;
  char *text;
};

static enum profile_focus_key key_of(const char *name)
{
  enum profile_focus_key key = 0;
  while (key < FOCUS_KEYS && strcmp(name, key_names[key]) != 0)
    key++;
  return key;
}

static bool take_pair(struct profile_focus *focus, char *text, struct error *error)
{
  char *pattern = strchr(text, '=');
  if (!pattern || pattern[1] == '\0')
    return error_set(error, "%s: give pairs as thread=worker*,construct=a.c:12", *text ? text : "an empty pair");
  *pattern++ = '\0';
  struct pair pair = {.key = key_of(text), .pattern = pattern};
  if (pair.key == FOCUS_KEYS)
    return error_set(
        error, "there is no %s: thread, start, member, construct, function, lock, event, value and state are known",
        text);
  focus->pairs[focus->count++] = pair;
  return true;
}

struct profile_focus *profile_focus_of(const char *text, struct error *error)
{
  struct profile_focus *focus = calloc(1, sizeof *focus);
  size_t most = 1;
  for (const char *at = text; *at; at++)
    most += *at == ',';
  if (focus) {
    focus->text = strdup(text);
    focus->pairs = calloc(most, sizeof *focus->pairs);
  }
  if (!focus || !focus->text || !focus->pairs) {
    profile_focus_free(focus);
    error_set(error, "out of memory");
    return NULL;
  }
  bool good = true;
  for (char *rest = focus->text, *part; good && (part = strsep(&rest, ",")) != NULL;)
    good = take_pair(focus, part, error);
  if (good)
    return focus;
  profile_focus_free(focus);
  return NULL;
}

void profile_focus_free(struct profile_focus *focus)
{
  if (!focus)
    return;
  free(focus->pairs);
  free(focus->text);
  free(focus);
}

unsigned profile_focus_keys(const struct profile_focus *focus)
{
  unsigned keys = 0;
  for (size_t i = 0; i < focus->count; i++)
    keys |= 1u << focus->pairs[i].key;
  return keys;
}

const char *profile_focus_begin(const char *text)
{
  for (const char *at = text; at; at = strchr(at, ',')) {
    at += *at == ',';
    for (size_t i = 0; i < FOCUS_KEYS; i++) {
      size_t size = strlen(key_names[i]);
      if (strncmp(at, key_names[i], size) == 0 && at[size] == '=')
        return at;
    }
  }
  return NULL;
}

static bool is_like(const char *pattern, const char *text)
{
  return fnmatch(pattern, text, FNM_NOESCAPE) == 0;
}

static bool number_is_like(const char *pattern, uint32_t number)
{
  char text[16];
  snprintf(text, sizeof text, "%" PRIu32, number);
  return is_like(pattern, text);
}

static bool place_is_like(const char *pattern, const struct trace_region *region)
{
  char place[4096];
  if (region->line == 0)
    return false;
  snprintf(place, sizeof place, "%s:%" PRIu32, region->file, region->line);
  const char *slash = strrchr(place, '/');
  return is_like(pattern, place) || (slash && is_like(pattern, slash + 1));
}

/* Texts that pairs are compared with. */
struct candidate {
  const struct trace *trace;
  uint32_t location;
  const char *start;   /* NULL: not known, or not asked for */
  uint32_t regions[2]; /* TRACE_NONE: none */
  uint32_t member;
  const char *lock, *event, *value, *state; /* NULL: none */
};

static bool has(const struct pair *pair, const struct candidate *at)
{
  bool found = false;
  switch (pair->key) {
  case FOCUS_THREAD:
    return is_like(pair->pattern, at->trace->locations[at->location].name) ||
           number_is_like(pair->pattern, at->location);
  case FOCUS_START:
    return at->start && is_like(pair->pattern, at->start);
  case FOCUS_MEMBER:
    return at->member != PROFILE_NO_MEMBER && number_is_like(pair->pattern, at->member);
  case FOCUS_CONSTRUCT:
  case FOCUS_FUNCTION:
    for (size_t i = 0; !found && i < COUNT_OF(at->regions); i++) {
      const struct trace_region *region = at->regions[i] == TRACE_NONE ? NULL : &at->trace->regions[at->regions[i]];
      found = region && (pair->key == FOCUS_FUNCTION
                             ? is_like(pair->pattern, region->function)
                             : is_like(pair->pattern, region->name) || place_is_like(pair->pattern, region));
    }
    return found;
  case FOCUS_LOCK:
    return at->lock && is_like(pair->pattern, at->lock);
  case FOCUS_EVENT:
    return at->event && is_like(pair->pattern, at->event);
  case FOCUS_VALUE:
    return at->value && is_like(pair->pattern, at->value);
  default:
    return at->state && is_like(pair->pattern, at->state);
  }
}

/* True if the pairs of some keys match: among the pairs with the same key, one must match. */
static bool matches(const struct profile_focus *focus, const struct candidate *at, unsigned keys)
{
  unsigned wanted = 0, found = 0;
  for (size_t i = 0; i < focus->count; i++) {
    unsigned bit = 1u << focus->pairs[i].key & keys;
    wanted |= bit;
    if (bit && has(&focus->pairs[i], at))
      found |= bit;
  }
  return found == wanted;
}

enum {
  OF_THREADS = 1u << FOCUS_THREAD | 1u << FOCUS_START,
  OF_ROWS = ((1u << FOCUS_KEYS) - 1) & ~(unsigned)OF_THREADS
};

bool profile_focus_has_thread(const struct profile_focus *focus, const struct trace *trace, uint32_t location,
                              const char *start)
{
  struct candidate at = {.trace = trace, .location = location, .start = start};
  return matches(focus, &at, OF_THREADS);
}

bool profile_focus_has_row(const struct profile_focus *focus, const struct trace *trace, const struct profiled *profile,
                           const struct profile_row *row)
{
  struct candidate at = {.trace = trace,
                         .location = row->location,
                         .regions = {row->region, TRACE_NONE},
                         .member = row->member,
                         .state = state_key(profiled_row_state(trace, profile, row))};
  return matches(focus, &at, OF_ROWS);
}

bool profile_focus_has_metric(const struct profile_focus *focus, const struct trace *trace,
                              const struct profile_metric *metric)
{
  bool lock = metric->kind == PROFILE_LOCK || metric->kind == PROFILE_WAIT;
  bool value = metric->kind == PROFILE_VALUE, event = value || metric->kind == PROFILE_EVENT;
  struct candidate at = {.trace = trace,
                         .location = metric->location,
                         .regions = {metric->region, metric->around},
                         .member = metric->member,
                         .lock = lock ? metric->object : NULL,
                         .event = event ? metric->object : NULL,
                         .value = value ? metric->attribute : NULL};
  return matches(focus, &at, OF_ROWS);
}

bool profile_focus_apply(const struct profile_focus *focus, const struct trace *trace, const bool *has,
                         struct profiled *profile)
{
  size_t kept = 0;
  bool *stays = calloc(profile->count + 1, sizeof *stays); /* a row's state may depend on others of its thread */
  if (!stays)
    return false;
  for (size_t i = 0; i < profile->count; i++)
    stays[i] = has[profile->rows[i].location] && profile_focus_has_row(focus, trace, profile, &profile->rows[i]);
  for (size_t i = 0; i < profile->count; i++)
    if (stays[i])
      profile->rows[kept++] = profile->rows[i];
  profile->count = kept;
  free(stays);
  kept = 0;
  for (size_t i = 0; i < profile->metric_count; i++)
    if (has[profile->metrics[i].location] && profile_focus_has_metric(focus, trace, &profile->metrics[i]))
      profile->metrics[kept++] = profile->metrics[i];
  profile->metric_count = kept;
  return true;
}
