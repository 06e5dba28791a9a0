#include "otf2-convert/symbols/section_name.h"

#include "common/raw/archive_names.h"
#include "common/raw/raw_trace.h"

#include <stdio.h>
#include <string.h>

/* Compilers make variables of critical sections: .gomp_critical_user_NAME, and clang adds .var. */
#define VARIABLE     ".gomp_critical_user_"
#define VARIABLE_END ".var"

static void put_name(const char *of, int length, char *name, size_t size)
{
  if (length == 0)
    snprintf(name, size, "critical without a name");
  else
    snprintf(name, size, "%s%.*s)", NAME_SECTION_LOCK, length, of);
}

bool section_name(const char *variable, char *name, size_t size)
{
  size_t begin = sizeof VARIABLE - 1, length = strlen(variable), end = sizeof VARIABLE_END - 1;
  if (strncmp(variable, VARIABLE, begin) != 0)
    return false;
  if (length >= begin + end && strcmp(variable + length - end, VARIABLE_END) == 0)
    length -= end;
  put_name(variable + begin, (int)(length - begin), name, size);
  return true;
}

bool section_name_in_java(const struct java_names *names, uint64_t wait_id, char *name, size_t size)
{
  const char *own = NULL;
  if ((wait_id & RAW_CODE_PLACE) && (uint32_t)wait_id == 0)
    own = java_class(names, (wait_id & (RAW_CODE_PLACE - 1)) >> 32);
  if (own != NULL)
    put_name(own, (int)strlen(own), name, size);
  return own != NULL;
}
