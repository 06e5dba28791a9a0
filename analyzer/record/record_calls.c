#include "analyzer/record/record_calls.h"

#include "analyzer/command/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_CALLS_LONGEST (100u << 10) /* of HEDDLE_CALLS_ONLY; the kernel takes 128 KiB a variable */
#define NO_FUNCTION          "none+0-0"   /* of it: an empty list would be all functions */

/* Whether a list begins with that word, behind which it begins then. */
static bool begins_with_word(const char **list, const char *word)
{
  size_t size = strlen(word);
  if (strncmp(*list, word, size) != 0 || ((*list)[size] != ',' && (*list)[size] != '\0'))
    return false;
  *list += size + ((*list)[size] == ',');
  return true;
}

int record_calls_take(const struct option_given *given, struct record_calls *calls, struct environment *environment)
{
  const char *list = given->value ? given->value : "";
  calls->on = true;
  bool trace = begins_with_word(&list, "trace");
  if (!trace)
    begins_with_word(&list, "tree");
  environment_set(environment, "HEDDLE_CALLS_JAVA", *list ? list : "*");
  environment_set(environment, "HEDDLE_CALLS", trace ? "trace" : "tree");
  for (const char *end; *list; list = *end ? end + 1 : end) {
    end = strchrnul(list, ',');
    struct kept_place place = {.text = strndup(list, (size_t)(end - list))};
    if (end == list || strcmp(list, "@") == 0) {
      free(place.text);
      return command_usage("record", "--calls=%s: give names of functions and @FILEs with commas between them",
                           given->value);
    }
    if (!place.text || !vector_push(&calls->only, place)) {
      free(place.text);
      environment->failed = true;
    }
  }
  return -1;
}

int record_calls_take_depth(const struct option_given *given, struct record_calls *calls,
                            struct environment *environment)
{
  uint64_t depth;
  calls->has_depth = true;
  if (!value_number(given->value, 1, 1000000, &depth))
    return command_usage("record", "--calls-depth %s: not a number from 1 to 1000000", given->value);
  environment_set(environment, "HEDDLE_CALLS_DEPTH", given->value);
  return -1;
}

bool record_calls_check(const struct record_calls *calls, const char *other)
{
  if (calls->on && other)
    command_usage("record", "--calls records no calls with %s: leave one of them out", other);
  else if (!calls->on && calls->has_depth)
    command_usage("record", "--calls-depth is for exact calls: give --calls, too");
  else
    return true;
  return false;
}

bool record_calls_allow_sample(const struct record_calls *calls, const struct kernel_sampling *sampling,
                               const struct look *look, struct environment *environment)
{
  const char *entries = look ? look_find_entries(look) : NULL;
  if (!calls->on || sampling->triggers.count == 0 || sampling->stacks == KERNEL_STACKS_NONE)
    return true;
  environment_set(environment, "HEDDLE_CALLS_SAMPLED", "1");
  if (!entries)
    return true;
  command_error("record",
                "--calls: %s was compiled with -pg -mfentry or -fpatchable-function-entry: stacks cannot be sampled "
                "while its calls are recorded; use "
                "--stack none, or leave --sample or --calls out",
                entries);
  return false;
}

/* All ranges, with commas between them; a module's name only where it is not that of the range before. */
static char *ranges_of(const kept_places *only)
{
  char *all = strdup("");
  for (size_t i = 0; all && i < only->count; i++) {
    char *more = NULL;
    if (only->items[i].ranges && asprintf(&more, "%s%s%s", all, *all ? "," : "", only->items[i].ranges) < 0)
      more = NULL;
    if (only->items[i].ranges) {
      free(all);
      all = more;
    }
  }
  return all;
}

bool record_calls_find(struct record_calls *calls, const struct look *look, struct environment *environment)
{
  if (calls->only.count == 0)
    return true;
  if (look && look->jvm) { /* the names are those of methods, which the agent finds */
    environment_set(environment, "HEDDLE_CALLS_ONLY", NO_FUNCTION);
    return true;
  }
  if (!record_places_find(&calls->only, look, &(struct place_search){"--calls", "--find-functions"}))
    return false;
  char *ranges = ranges_of(&calls->only);
  bool good = ranges && strlen(ranges) <= RECORD_CALLS_LONGEST;
  if (!good)
    command_error("record", ranges ? "--calls: too many functions in too many places; give fewer names, or files"
                                   : "out of memory");
  else
    environment_set(environment, "HEDDLE_CALLS_ONLY", *ranges ? ranges : NO_FUNCTION);
  free(ranges);
  return good;
}

void record_calls_free(struct record_calls *calls)
{
  record_keep_free(&calls->only);
}

bool record_calls_warn(const struct record_calls *calls, const struct look *look, const char *program)
{
  size_t unknown = 0;
  if (!calls->on || !look || !look->executable || look->script || look->jvm)
    return false;
  if (!look_find_hooks(look)) {
    command_error("record",
                  "--calls: no function of %s and the libraries that it is linked with reports its calls; compile with "
                  "-finstrument-functions, -pg -mfentry or -fpatchable-function-entry=5 (the latter two: x86-64)",
                  program);
    return true;
  }
  for (size_t i = 0; i < calls->only.count; i++) {
    if (calls->only.items[i].ranges)
      continue;
    command_error("record", "--calls=%s: no function of %s and the libraries that it is linked with %s",
                  calls->only.items[i].text, program,
                  calls->only.items[i].text[0] == '@' ? "is in such a file (was it compiled with -g?)"
                                                      : "has such a name");
    unknown++;
  }
  return unknown > 0 && unknown == calls->only.count;
}
