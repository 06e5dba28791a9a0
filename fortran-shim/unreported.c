#include "fortran-shim/unreported.h"

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

struct extension_unreported *unreported_places(void)
{
  return unreported.places;
}

struct extension_chunks *unreported_chunks(void)
{
  return &unreported.chunks;
}
