/* On its own: the header of terminal descriptions makes macros of common words. */
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "analyzer/live/screen/terminal_suits.h"

bool terminal_suits(void)
{
  const char *name = getenv("TERM");
  int result;
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !name || !*name || strcmp(name, "dumb") == 0)
    return false;
  return setupterm(NULL, STDOUT_FILENO, &result) == OK && tigetstr("cup") && tigetstr("clear");
}
