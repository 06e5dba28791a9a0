#include "tests/unit/analyzer/program.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

void run(struct outcome *outcome, enum keep keep, const char *format, ...)
{
  static const char *const redirections[] = {
      [KEEP_OUTPUT] = "2>/dev/null", [KEEP_ERRORS] = "2>&1 >/dev/null", [OUTPUT_FAILS] = "2>&1 >/dev/full"};
  char arguments[2048];
  va_list list;
  va_start(list, format);
  vsnprintf(arguments, sizeof arguments, format, list);
  va_end(list);
  char line[8192];
  snprintf(line, sizeof line, "exec " HEDDLE_PROGRAM " %s %s", arguments, redirections[keep]);
  FILE *pipe = popen(line, "r");
  assert_non_null(pipe);
  size_t length = fread(outcome->out, 1, sizeof outcome->out - 1, pipe);
  outcome->out[length] = '\0';
  int status = pclose(pipe);
  outcome->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void assert_one_line(const char *text)
{
  size_t length = strlen(text);
  assert_true(length > 1 && text[length - 1] == '\n');
  for (size_t i = 0; i + 1 < length; i++)
    assert_true((unsigned char)text[i] >= 0x20 && text[i] != 0x7f);
}
