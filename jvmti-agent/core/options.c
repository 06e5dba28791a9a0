#include "jvmti-agent/core/options.h"

#include "common/diag.h"
#include "common/session.h"
#include "common/text.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FRAMES 16u

struct agent_options options_default(void)
{
  return (struct agent_options){
      .jvm = true, .jomp = true, .stack = 1, .notes = true, .internal = true, .virtual_threads = true};
}

static bool is_word(const char *text, size_t n, const char *word)
{
  return strlen(word) == n && !memcmp(text, word, n);
}

static bool read_switch(const char *value, size_t n, bool *option)
{
  if (!is_word(value, n, "on") && !is_word(value, n, "off"))
    return false;
  *option = is_word(value, n, "on");
  return true;
}

static bool read_level(const char *value, size_t n, struct agent_options *options)
{
  if (is_word(value, n, "jvm"))
    options->jvm = true;
  else if (is_word(value, n, "jomp"))
    options->jomp = true;
  else
    return false;
  return true;
}

static bool read_stack(const char *value, size_t n, unsigned *frames)
{
  unsigned number = 0;
  for (size_t i = 0; i < n; i++) {
    if (value[i] < '0' || value[i] > '9' || number > MOST_FRAMES)
      return false;
    number = number * 10 + (unsigned)(value[i] - '0');
  }
  if (number < 1 || number > MOST_FRAMES)
    return false;
  *frames = number;
  return true;
}

static bool read_directory(const char *value, size_t n)
{
  char path[PATH_MAX];
  struct text text = TEXT_OVER(path);
  text_add_bytes(&text, value, n);
  if (text.cut || path[0] != '/')
    return false;
  session_set_directory(path);
  return true;
}

/* HEDDLE_LIVE has it otherwise. */
static bool read_live(const char *value, size_t n)
{
  bool live = false, good = read_switch(value, n, &live);
  if (live)
    session_set_live();
  return good;
}

static bool read_hold(const char *value, size_t n, char hold[sizeof((struct agent_options *)0)->hold])
{
  if (n >= sizeof((struct agent_options *)0)->hold)
    return false;
  memcpy(hold, value, n);
  hold[n] = '\0';
  return true;
}

#define LEAST_PERIOD 100000u /* ns */
#define MOST_PERIOD  1000000000u

/* A time in ns, at most 10 digits, one of them may follow a point. 0: it is none, or out of bounds. */
static uint64_t read_time(const char *value, size_t n)
{
  static const struct {
    const char *unit;
    uint64_t ns;
  } units[] = {{"", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
  uint64_t number = 0, per = 1;
  size_t i = 0;
  for (bool point = false; i < n && i < 11 && ((value[i] >= '0' && value[i] <= '9') || (value[i] == '.' && !point));
       i++) {
    if (value[i] == '.') {
      point = true;
    } else {
      number = number * 10 + (uint64_t)(value[i] - '0');
      per *= point ? 10 : 1;
    }
  }
  for (size_t k = 0; i > 0 && k < sizeof units / sizeof *units; k++)
    if (is_word(value + i, n - i, units[k].unit) && number / per <= MOST_PERIOD / units[k].ns) {
      uint64_t ns = number * units[k].ns / per;
      return ns >= LEAST_PERIOD && ns <= MOST_PERIOD ? ns : 0;
    }
  return 0;
}

static bool read_sample(const char *value, size_t n, uint64_t *period)
{
  uint64_t ns = read_time(value, n);
  bool off = is_word(value, n, "off");
  if (ns != 0 || off)
    *period = ns;
  return ns != 0 || off;
}

void options_read_period(struct agent_options *options, const char *text)
{
  if (text && *text && !read_sample(text, strlen(text), &options->sample))
    diag_say("HEDDLE_SAMPLE is no time from 100us to 1s, as 10ms: Java threads have no samples", NULL);
}

static bool read_pair(struct agent_options *options, const char *key, size_t key_size, const char *value, size_t n)
{
  static const struct {
    const char *key;
    size_t offset;
  } switches[] = {{"notes", offsetof(struct agent_options, notes)},
                  {"owner", offsetof(struct agent_options, owner)},
                  {"internal", offsetof(struct agent_options, internal)},
                  {"virtual", offsetof(struct agent_options, virtual_threads)}};
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
    if (is_word(key, key_size, switches[i].key))
      return read_switch(value, n, (bool *)((char *)options + switches[i].offset));
  if (is_word(key, key_size, "stack"))
    return read_stack(value, n, &options->stack);
  if (is_word(key, key_size, "hold"))
    return read_hold(value, n, options->hold);
  if (is_word(key, key_size, "sample"))
    return read_sample(value, n, &options->sample);
  if (is_word(key, key_size, "live"))
    return read_live(value, n);
  if (is_word(key, key_size, "dir"))
    return read_directory(value, n);
  if (!is_word(key, key_size, "level"))
    return false;
  struct agent_options none = *options;
  none.jvm = none.jomp = false;
  if (!read_level(value, n, &none))
    return false;
  *options = none;
  return true;
}

static void say_ignored(const char *word, size_t n)
{
  char copy[200];
  struct text text = TEXT_OVER(copy);
  text_add_bytes(&text, word, n);
  diag_say("the Java agent has no option ", copy,
           ", which is ignored. Its options are level, stack, notes, owner, hold, internal, sample, ",
           "virtual, live, dir and detach: see heddle-record(1)", NULL);
}

void options_read(struct agent_options *options, const char *text)
{
  bool in_level = false; /* level=jvm,jomp: the comma does not end it */
  while (text && *text) {
    bool is_directory = !strncmp(text, "dir=", 4); /* names may have spaces */
    size_t n = strcspn(text, is_directory ? "," : ", ");
    const char *equals = memchr(text, '=', n);
    if (equals) {
      size_t key = (size_t)(equals - text);
      bool good = read_pair(options, text, key, equals + 1, n - key - 1);
      in_level = good && is_word(text, key, "level");
      if (!good)
        say_ignored(text, n);
    } else if (is_word(text, n, "detach")) {
      options->detach = true;
    } else if (n && !(in_level && read_level(text, n, options))) {
      say_ignored(text, n);
    }
    text += n + (text[n] != '\0');
  }
}
