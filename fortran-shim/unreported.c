#include "fortran-shim/unreported.h"

#include <string.h>

__thread struct unreported unreported;

bool unreported_holds(uintptr_t mutex)
{
  for (uint32_t i = unreported.held_count; i-- > 0;)
    if (unreported.held[i] == mutex)
      return true;
  return false;
}

bool unreported_release_slowly(uintptr_t mutex)
{
  for (uint32_t i = unreported.held_count; i-- > 0;) {
    if (unreported.held[i] != mutex)
      continue;
    for (unreported.held_count--; i < unreported.held_count; i++)
      unreported.held[i] = unreported.held[i + 1];
    return true;
  }
  return false;
}

void unreported_in_child(void)
{
  memset(unreported.places, 0, sizeof unreported.places);
  memset(unreported.tasks, 0, sizeof unreported.tasks);
  unreported.chunks = (struct extension_chunks){0};
}

struct extension_unreported *unreported_places(void)
{
  return unreported.places;
}

struct extension_chunks *unreported_chunks(void)
{
  return &unreported.chunks;
}
