#include "otf2-convert/samples/sample_name.h"

#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *sample_name_base_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL || slash[1] == 0 ? path : slash + 1;
}

void sample_name(const char *path, const struct code_function *function, const char *construct, char *name, size_t size)
{
  if (path == NULL)
    snprintf(name, size, "%s", NAME_CODE_UNKNOWN);
  else if (function->name == NULL || function->name[0] == 0)
    snprintf(name, size, "[%s]", sample_name_base_of(path));
  else if (!function->outlined)
    snprintf(name, size, "%s", function->name);
  else if (construct != NULL)
    snprintf(name, size, "%s", construct);
  else if (function->construct != 0)
    snprintf(name, size, "%s (omp%s%s:%" PRIu32 ")", function->name, NAME_AT, sample_name_base_of(function->file),
             function->construct);
  else
    snprintf(name, size, "%s (omp)", function->name);
}
