#include "jvmti-agent/parts.h"

#include "common/raw/live_control.h"
#include "jvmti-agent/calls.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/holds.h"
#include "jvmti-agent/runtimes/runtimes.h"
#include "jvmti-agent/runtimes/sites.h"

#include <assert.h>

static_assert(PARTS <= SITE_PARTS, "sites know the parts");
static_assert(PARTS_ALL < PLACES_CODE_CHANGES, "places know which there are");

uint32_t parts_needs(unsigned part)
{
  if (part < RUNTIMES_KNOWN)
    return runtimes_known[part]->needs;
  return part == PART_HOLDS ? LIVE_NEED_LOCKS : LIVE_NEED_CALLS;
}

void parts_begin(void)
{
  for (unsigned part = 0; part < PARTS; part++)
    sites_need(part, parts_needs(part));
}

uint32_t parts_of_use(uint32_t needs)
{
  uint32_t of_use = 0;
  for (unsigned part = 0; part < PARTS; part++)
    of_use |= (uint32_t)((parts_needs(part) & needs) != 0) << part;
  return of_use;
}

void parts_gone(unsigned part)
{
  if (part < RUNTIMES_KNOWN && runtimes_known[part]->hooks_gone)
    runtimes_known[part]->hooks_gone();
}

struct buffer parts_weave(struct weaving *class, const uint8_t *bytes, size_t size)
{
  class->sum = 0;
  if (class->part < RUNTIMES_KNOWN)
    return runtimes_weave(runtimes_known[class->part], class, bytes, size);
  return class->part == PART_HOLDS ? holds_weave(class, bytes, size) : method_calls_weave(class, bytes, size);
}
