#include "analyzer/report/mixture.h"

#include <string.h>

#define LAST UINT32_MAX /* rank */

void mixture_add(struct mixture *mixture, const struct mixture_part *part)
{
  struct mixture_part *parts = mixture->parts;
  unsigned at = 0;
  while (at < mixture->count && parts[at].rank < part->rank)
    at++;
  if (at < mixture->count && parts[at].rank == part->rank) {
    parts[at].ticks += part->ticks;
    return;
  }
  /* The last place is kept for all that finds no other. */
  if (part->rank != LAST && mixture->count + 1 >= MIXTURE_PARTS) {
    mixture_add(mixture, &(struct mixture_part){CODE_ELIDED, LAST, part->ticks});
    return;
  }
  memmove(&parts[at + 1], &parts[at], (mixture->count - at) * sizeof *parts);
  parts[at] = *part;
  mixture->count++;
}

void mixture_merge(struct mixture *mixture, const struct mixture *other)
{
  for (unsigned i = 0; i < other->count; i++)
    mixture_add(mixture, &other->parts[i]);
}

unsigned mixture_shares(const struct mixture *mixture, struct mixture_share shares[MIXTURE_PARTS])
{
  uint64_t total = 0, ticks = 0;
  unsigned count = 0, before = 0;
  for (unsigned i = 0; i < mixture->count; i++)
    total += mixture->parts[i].ticks;
  for (unsigned i = 0; i < mixture->count; i++) {
    ticks += mixture->parts[i].ticks;
    unsigned end = (unsigned)((2 * MIXTURE_WHOLE * ticks + total) / (2 * total));
    if (end > before)
      shares[count++] = (struct mixture_share){mixture->parts[i].code, end - before};
    before = end;
  }
  return count;
}
