#include "analyzer/analyses/calls/calls_rows.h"

#include "analyzer/analyses/calls/share.h"

#include <stdlib.h>

static double calls_rows_ticks_of(const struct calls_view *view, const struct calls_row *row)
{
  if (row->code == TRACE_NONE)
    return row->kernel;
  const struct samples_trigger *trigger = view->trigger == TRACE_NONE ? NULL : &view->samples->triggers[view->trigger];
  if (!trigger || !trigger->timed)
    return (double)row->flat.self;
  return (double)calls_ticks(view->run->trace, trigger, row->flat.self);
}

static int calls_rows_compare(const void *of_a, const void *of_b, void *context)
{
  const struct calls_row *a = of_a, *b = of_b;
  double self_a = calls_rows_ticks_of(context, a), self_b = calls_rows_ticks_of(context, b);
  if (a->blame.self != b->blame.self)
    return a->blame.self < b->blame.self ? 1 : -1;
  if (self_a != self_b)
    return self_a < self_b ? 1 : -1;
  if (a->flat.inclusive != b->flat.inclusive)
    return a->flat.inclusive < b->flat.inclusive ? 1 : -1;
  return (a->code > b->code) - (a->code < b->code);
}

/* The kernel's time in what is selected; states have none. */
static struct calls_row kernel_row(const struct calls_view *view, const struct calls_selection *selection)
{
  struct calls_row row = {.code = TRACE_NONE};
  double variance = 0;
  for (size_t i = 0; selection->state == CALLS_ANY && i < view->kernel.count; i++) {
    const struct calls_kernel_time *time = &view->kernel.list[i];
    if ((selection->location != CALLS_ANY && selection->location != time->location) ||
        (selection->construct != CALLS_ANY && selection->construct != time->construct))
      continue;
    row.kernel += time->ticks;
    variance += time->deviation * time->deviation;
  }
  row.deviation = sqrt(variance);
  return row;
}

bool calls_rows_make(const struct calls_part *part, const struct calls_selection *selection, struct calls_rows *rows)
{
  const struct calls_view *view = part->view;
  struct calls_row kernel = kernel_row(view, selection);
  *rows = (struct calls_rows){.list = calloc((size_t)view->tree.code_count + 1, sizeof *rows->list)};
  if (!rows->list)
    return false;
  for (uint32_t i = 0; i < view->tree.code_count; i++)
    if (part->figures->codes[i].inclusive > 0 || part->blamed->codes[i].inclusive > 0)
      rows->list[rows->count++] =
          (struct calls_row){.code = i, .flat = part->figures->codes[i], .blame = part->blamed->codes[i]};
  if (kernel.kernel > 0)
    rows->list[rows->count++] = kernel;
  qsort_r(rows->list, rows->count, sizeof *rows->list, calls_rows_compare, (void *)view);
  return true;
}

/* Text marks the estimate; programs get the half-width of its interval in the next cell. */
static void calls_rows_put_kernel(const struct calls_view *view, const struct calls_row *row, struct print_cell *next)
{
  double ns = 1e9 / (double)view->trace->ticks_per_second;
  double factor = view->unit == CALLS_IN_TIME      ? 1
                  : view->unit == CALLS_IN_PERIODS ? ns
                                                   : ns / (double)view->samples->triggers[view->trigger].period;
  double half_width = CALLS_QUANTILE * row->deviation * factor;
  bool text = view->run->format == PRINT_TEXT;
  next[0] = print_number((wide_total)(row->kernel * factor + 0.5));
  if (text)
    next[0] = print_estimate(next[0], half_width);
  else
    next[1] = print_real(half_width);
}

struct print_cell *calls_put_share(struct print_cell *next, wide_total part, wide_total all)
{
  struct calls_share share = calls_share_of((double)part, (double)all);
  *next++ = print_real(100 * share.share);
  *next++ = print_real(100 * share.low);
  *next++ = print_real(100 * share.high);
  return next;
}

void calls_put_row(const struct calls_part *part, const struct calls_row *row)
{
  char where[CALLS_WHERE_SIZE];
  const struct calls_view *view = part->view;
  struct print_cell cells[CALLS_FIGURE_CELLS + 2] = {{0}}, *next = cells;
  bool kernel = row->code == TRACE_NONE, text = view->run->format == PRINT_TEXT;
  for (size_t i = 0; i < part->group_count; i++)
    *next++ = part->group[i];
  struct print_cell *name = next;
  next = calls_put_code(view, row->code, where, next);
  if (kernel) {
    *name = print_string("[kernel]");
    calls_rows_put_kernel(view, row, next + 2);
    print_row(view->run->print, cells);
    return;
  }
  *next++ = print_number(row->blame.self);
  *next++ = text ? print_none() : print_number(row->blame.inclusive);
  *next++ = calls_amount(view, row->flat.self);
  *next++ = print_none();
  next = calls_put_share(next, row->flat.self, part->all);
  *next++ = calls_amount(view, row->flat.inclusive);
  next = calls_put_share(next, row->flat.inclusive, part->all);
  if (text)
    next[-1] = next[-2] = print_none();
  *next++ = text && view->unit == CALLS_IN_SAMPLES ? print_none() : print_number(row->flat.self);
  *next++ = text ? print_none() : print_number(row->flat.inclusive);
  *next++ = calls_weighed(view) > 1 && !part->group ? print_real(row->weight) : print_none();
  print_row(view->run->print, cells);
}
