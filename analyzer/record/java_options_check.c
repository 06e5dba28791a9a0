#include "analyzer/record/java_options_check.h"

#include "analyzer/command/command.h"
#include "common/java/java_options.h"

int java_options_check(const char *command, const char *text)
{
  struct java_option_word word = {0};
  while (java_options_next(&text, &word)) {
    if (!word.takes)
      return command_usage(command, "--java %.*s: the Java agent has no such option; its options are %s",
                           (int)word.size, word.text, JAVA_OPTION_NAMES);
    if (!word.good)
      return command_usage(command, "--java %.*s: give %s", (int)word.size, word.text, word.takes);
  }
  return -1;
}

bool java_options_have_hold(const char *text)
{
  struct java_option_word word = {0};
  bool hold = false;
  while (java_options_next(&text, &word))
    if (word.option == JAVA_HOLD && word.good)
      hold = word.value_size > 0;
  return hold;
}
