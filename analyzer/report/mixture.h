/* What an elided segment holds: how long each code was shown in it. Adds up to the segment's length. */
#ifndef HEDDLE_ANALYZER_REPORT_MIXTURE_H
#define HEDDLE_ANALYZER_REPORT_MIXTURE_H

#include <stdint.h>

#define MIXTURE_PARTS 24 /* at most; more than there are states, so only of many regions some are lumped together */
#define MIXTURE_WHOLE 32 /* shares that a mixture is told in: lines are not drawn much higher than so many pixels */

enum { CODE_NOTHING, CODE_ELIDED, CODE_FIRST }; /* codes.h gives the others */

struct mixture_part {
  uint32_t code; /* CODE_ELIDED: several that found no place of their own */
  uint32_t rank; /* a code's own; which number a code has depends on which thread needed it first, its rank does not */
  uint64_t ticks;
};

/* In the order of ranks, each once. */
struct mixture {
  unsigned count;
  struct mixture_part parts[MIXTURE_PARTS];
};

/* A part joins the mixture. */
void mixture_add(struct mixture *mixture, const struct mixture_part *part);
/* All of the other joins it. */
void mixture_merge(struct mixture *mixture, const struct mixture *other);

struct mixture_share {
  uint32_t code;
  unsigned share; /* of MIXTURE_WHOLE, at least 1 */
};

/* The mixture in shares that add up to MIXTURE_WHOLE: they end where the parts end, rounded, so each is off by less
 * than one. Returns how many there are; parts that are too small for a share have none. */
unsigned mixture_shares(const struct mixture *mixture, struct mixture_share shares[MIXTURE_PARTS]);

#endif
