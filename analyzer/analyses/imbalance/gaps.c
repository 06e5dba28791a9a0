#include "analyzer/analyses/imbalance/gaps.h"

void gaps_switch(struct gaps *gaps, bool on, uint64_t time)
{
  if (on && gaps->off)
    gaps->end = time;
  if (!on && !gaps->off) {
    gaps->begin = gaps->count > 0 && gaps->end == time ? gaps->begin : time;
    gaps->count++;
  }
  gaps->off = !on;
}

/* A piece that had ended when measurement came on again ended at some time while it was off: the gap's begin is the
 * last time that is known of it. */
void gaps_cut(const struct gaps *gaps, struct piece *piece, const struct gaps_before *before, uint64_t unmeasured)
{
  bool gap = gaps->count != before->count;
  piece->unmeasured += unmeasured - before->unmeasured;
  piece->cut |= gap;
  piece->stopped = gap && (gaps->off || gaps->end == piece->end);
  if (!piece->stopped)
    return;
  uint64_t end = gaps->begin > before->time ? gaps->begin : before->time;
  piece->unmeasured -= piece->end - end < piece->unmeasured ? piece->end - end : piece->unmeasured;
  piece->end = end;
}
