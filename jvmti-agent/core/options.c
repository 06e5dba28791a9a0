#include "jvmti-agent/core/options.h"

#include "common/java/java_options.h"
#include "common/process/diag.h"
#include "common/process/text.h"

#include <string.h>

struct agent_options options_default(void)
{
  return (struct agent_options){.jvm = true,
                                .jomp = true,
                                .stack = 1,
                                .notes = true,
                                .sampled_owners = true,
                                .internal = true,
                                .virtual_threads = true};
}

static void read_level(const struct java_option_word *word, struct agent_options *options)
{
  if (!word->continues)
    options->jvm = options->jomp = false;
  if (java_option_is(word->value, word->value_size, "jvm"))
    options->jvm = true;
  else
    options->jomp = true;
}

static bool read_directory(const struct java_option_word *word, char directory[OPTIONS_PATH])
{
  struct text text = {.bytes = directory, .size = OPTIONS_PATH};
  text_add_bytes(&text, word->value, word->value_size);
  if (text.cut)
    *directory = '\0';
  return !text.cut;
}

/* hold=A,hold=B is hold=A:B; hold= takes all back. */
static bool read_hold(const struct java_option_word *word, char hold[sizeof((struct agent_options *)0)->hold])
{
  size_t before = word->value_size ? strlen(hold) : 0, colon = before > 0;
  if (before + colon + word->value_size > JAVA_OPTION_PATTERNS)
    return false;
  if (colon)
    hold[before] = ':';
  memcpy(hold + before + colon, word->value, word->value_size);
  hold[before + colon + word->value_size] = '\0';
  return true;
}

void options_read_period(struct agent_options *options, const char *text)
{
  uint64_t ns;
  if (!text || !*text)
    return;
  if (java_option_period(text, strlen(text), &ns))
    options->sample = ns;
  else
    diag_say("HEDDLE_SAMPLE: not a time from 100us to 1s, as 10ms: Java threads have no samples", NULL);
}

/* False: there is no room for the value. */
static bool take(struct agent_options *options, const struct java_option_word *word)
{
  switch (word->option) {
  case JAVA_LEVEL:
    read_level(word, options);
    return true;
  case JAVA_STACK:
    options->stack = (unsigned)word->number;
    return true;
  case JAVA_NOTES:
    options->notes = word->number;
    return true;
  case JAVA_OWNER:
    options->owner = options->sampled_owners = word->number;
    return true;
  case JAVA_INTERNAL:
    options->internal = word->number;
    return true;
  case JAVA_VIRTUAL:
    options->virtual_threads = word->number;
    return true;
  case JAVA_SAMPLE:
    options->sample = word->number;
    return true;
  case JAVA_LIVE:
    options->live = word->number; /* off: HEDDLE_LIVE has it */
    return true;
  case JAVA_DETACH:
    options->detach = true;
    return true;
  case JAVA_HOLD:
    return read_hold(word, options->hold);
  case JAVA_DIR:
    return read_directory(word, options->directory);
  case JAVA_UNKNOWN:
    break;
  }
  return false;
}

static void say_ignored(const struct java_option_word *word)
{
  char copy[200];
  struct text text = TEXT_OVER(copy);
  text_add_bytes(&text, word->text, word->size);
  if (word->takes)
    diag_say("the Java agent's option ", copy, " is ignored: it takes ", word->takes, NULL);
  else
    diag_say("the Java agent has no option ", copy, ", which is ignored. Its options are ", JAVA_OPTION_NAMES,
             ": see heddle-record(1)", NULL);
}

void options_read(struct agent_options *options, const char *text)
{
  struct java_option_word word = {0};
  while (java_options_next(&text, &word))
    if (!word.good || !take(options, &word))
      say_ignored(&word);
}
