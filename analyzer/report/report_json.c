#include "analyzer/report/report_json.h"

#include <stdio.h>
#include <stdlib.h>

char *report_json(uint64_t ticks_per_second, report_put *put, const void *context, size_t *size)
{
  char *text = NULL;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  if (!file)
    return NULL;
  struct print *print = print_open(PRINT_JSON, file, ticks_per_second);
  bool good = print && put(print, context);
  if (print && !print_close(print))
    good = false;
  if (fclose(file) == 0 && good) {
    if (size)
      *size = length;
    return text;
  }
  free(text);
  return NULL;
}
