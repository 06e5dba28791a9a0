/* The contents of an elided segment: the time of each code. The times add up to the segment's length. */
#ifndef HEDDLE_ANALYZER_REPORT_MIXTURE_H
#define HEDDLE_ANALYZER_REPORT_MIXTURE_H

#include <stdint.h>

#define MIXTURE_PARTS 24 /* at most, which is more than there are states; further regions are put together */
#define MIXTURE_WHOLE 32 /* shares of a mixture; lines are about so many pixels high */

enum { CODE_NOTHING, CODE_ELIDED, CODE_FIRST }; /* codes.h gives the others */

struct mixture_part {
  uint32_t code; /* CODE_ELIDED: several codes beyond MIXTURE_PARTS */
  uint32_t rank; /* the code's order; other than its number, it does not depend on which thread needed it first */
  uint64_t ticks;
};

/* Parts are in the order of ranks. */
struct mixture {
  unsigned count;
  struct mixture_part parts[MIXTURE_PARTS];
};

/* Adds a part. */
void mixture_add(struct mixture *mixture, const struct mixture_part *part);
/* Adds all parts of the other. */
void mixture_merge(struct mixture *mixture, const struct mixture *other);

struct mixture_share {
  uint32_t code;
  unsigned share; /* of MIXTURE_WHOLE, at least 1 */
};

/* The mixture in shares that add up to MIXTURE_WHOLE. The parts' ends are rounded, so each share is off by less than
 * one. Returns the number of shares; very small parts have none. */
unsigned mixture_shares(const struct mixture *mixture, struct mixture_share shares[MIXTURE_PARTS]);

#endif
