#include "analyzer/command/estimate_cells.h"

static struct print_cell with_margin(struct print_cell cell, bool estimate, const struct estimate *more)
{
  return estimate ? print_estimate(cell, estimate_half_width(more)) : cell;
}

struct print_cell estimate_executions(uint64_t recorded, const struct estimate *more)
{
  return with_margin(print_number(recorded + estimate_more(more)), more->variance > 0, more);
}

struct print_cell estimate_number(wide_total recorded, const struct estimate *more)
{
  return with_margin(print_number(recorded + estimate_more(more)), more->left_out > 0, more);
}

struct print_cell estimate_share(wide_total recorded, const struct estimate *more, wide_total of)
{
  return with_margin(print_share(recorded + estimate_more(more), of), more->left_out > 0, more);
}
