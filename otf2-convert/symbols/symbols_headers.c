#include "otf2-convert/symbols/symbols_headers.h"

#include "base/count_of.h"

#include <dwarf.h>
#include <string.h>

bool symbols_is_header(const char *file)
{
  static const char *const begins[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/", "/opt/"};
  static const char *const parts[] = {"/include/c++/", "/include/bits/"};
  for (size_t i = 0; i < COUNT_OF(begins); i++)
    if (strncmp(file, begins[i], strlen(begins[i])) == 0 && strstr(file, "include") != NULL)
      return true;
  for (size_t i = 0; i < COUNT_OF(parts); i++)
    if (strstr(file, parts[i]) != NULL)
      return true;
  return false;
}

void symbols_leave_headers(struct symbols *symbols, const struct function *function, uint64_t address,
                           struct source_place *place)
{
  if (!symbols_is_header(place->file))
    return;
  place->header = true;
  if (function == NULL)
    return;
  struct inlining inlining = inlining_at(function, address);
  for (unsigned depth = inlining.depth; depth-- > 0;) {
    struct source_place outside = *place;
    if (!symbols_line_named(symbols, &inlining.functions[depth], DW_AT_call_line, DW_AT_call_file, &outside))
      return;
    if (!symbols_is_header(outside.file)) {
      *place = outside;
      place->header = false;
      return;
    }
  }
}
