#include "analyzer/models/spectrum/options.h"

#include "base/count_of.h"

#include <string.h>

bool spectrum_parse_signal(const char *text, struct spectrum_signal *signal)
{
  static const struct {
    const char *prefix;
    enum spectrum_kind kind;
  } kinds[] = {{"state=", SPECTRUM_STATE}, {"component=", SPECTRUM_COMPONENT}, {"threads-in=", SPECTRUM_THREADS_IN}};
  *signal = (struct spectrum_signal){SPECTRUM_STATES, NULL};
  if (strcmp(text, "states") == 0)
    return true;
  for (size_t i = 0; i < COUNT_OF(kinds); i++) {
    size_t length = strlen(kinds[i].prefix);
    if (strncmp(text, kinds[i].prefix, length) != 0 || text[length] == '\0')
      continue;
    *signal = (struct spectrum_signal){kinds[i].kind, text + length};
    return true;
  }
  return false;
}
