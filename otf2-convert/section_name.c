#include "otf2-convert/section_name.h"

#include "common/archive_names.h"

#include <stdio.h>
#include <string.h>

/* Compilers make variables of critical sections: .gomp_critical_user_NAME, and clang adds .var. */
#define VARIABLE     ".gomp_critical_user_"
#define VARIABLE_END ".var"

bool section_name(const char *variable, char *name, size_t size)
{
  size_t begin = sizeof VARIABLE - 1, length = strlen(variable), end = sizeof VARIABLE_END - 1;
  if (strncmp(variable, VARIABLE, begin) != 0)
    return false;
  if (length >= begin + end && strcmp(variable + length - end, VARIABLE_END) == 0)
    length -= end;
  if (length == begin)
    snprintf(name, size, "critical without a name");
  else
    snprintf(name, size, "%s%.*s)", NAME_SECTION_LOCK, (int)(length - begin), variable + begin);
  return true;
}
