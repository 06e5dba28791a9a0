#include "analyzer/analyses/locks/lock_order_show.h"

#include "analyzer/analyses/locks/deadlocks/lock_order.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <stdio.h>

#define LOCK_ORDER_SHOW_NAME_SIZE 256

/* Its name; else the place where it was acquired. */
static struct print_cell lock(const struct trace *trace, uint64_t number, uint32_t region,
                              char name[LOCK_ORDER_SHOW_NAME_SIZE])
{
  const char *known = trace_lock_name(trace, number);
  if (known)
    return print_string(known);
  if (region != TRACE_NONE)
    return print_string(trace->regions[region].name);
  snprintf(name, LOCK_ORDER_SHOW_NAME_SIZE, "lock %" PRIu64, number);
  return print_string(name);
}

static struct print_cell lock_order_show_place(const struct trace *trace, uint32_t region)
{
  return region == TRACE_NONE ? print_none() : print_string(trace->regions[region].name);
}

static void lock_order_show_put_table(const struct analysis_run *run, const struct lock_order *order)
{
  static const struct print_column columns[] = {
      {"inversion", "Inversion", PRINT_NUMBER, false}, {"thread", "Thread", PRINT_STRING, false},
      {"others", "and others", PRINT_STRING, true},    {"first", "held", PRINT_STRING, false},
      {"first_place", "from", PRINT_STRING, true},     {"second", "and acquired", PRINT_STRING, false},
      {"second_place", "at", PRINT_STRING, true},      {"times", "Times", PRINT_COUNT, false},
      {"gate", "Guarded by", PRINT_STRING, true}};
  const struct trace *trace = run->trace;
  print_table(run->print, "orders", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < order->count; i++) {
    const struct order_row *row = &order->list[i];
    const struct order_step *step = &row->step;
    char first[LOCK_ORDER_SHOW_NAME_SIZE], second[LOCK_ORDER_SHOW_NAME_SIZE], gate[LOCK_ORDER_SHOW_NAME_SIZE];
    struct print_cell cells[] = {print_number(row->inversion),
                                 print_string(trace->locations[step->location].name),
                                 step->several ? print_string("yes") : print_none(),
                                 lock(trace, step->first, step->first_region, first),
                                 lock_order_show_place(trace, step->first_region),
                                 lock(trace, step->second, step->second_region, second),
                                 lock_order_show_place(trace, step->second_region),
                                 print_number(step->count),
                                 row->guarded ? lock(trace, row->gate, TRACE_NONE, gate) : print_none()};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static void lock_order_show_put_sentence(const struct analysis_run *run, const struct lock_order *order)
{
  char text[512];
  uint32_t open = order->inversions - order->guarded;
  if (open > 0)
    snprintf(text, sizeof text,
             "%" PRIu32 " inversion%s of the order of locks: in another run the threads of one may wait for each other "
             "for ever.",
             open, open == 1 ? "" : "s");
  else
    snprintf(text, sizeof text, "All threads acquired locks in one order%s, as far as acquisitions are recorded.",
             order->guarded > 0 ? ", but where a further lock guards them" : "");
  print_sentence(run->print, "orders_sentence", text);
  if (run->trace->weight != OTF2_UNDEFINED_ATTRIBUTE)
    print_sentence(run->print, "orders_thinned",
                   "Some acquisitions are not recorded: heddle record --lock-order records all.");
  if (order->left_out == 0)
    return;
  snprintf(text, sizeof text, "%" PRIu64 " further pairs of locks are not looked at.", order->left_out);
  print_sentence(run->print, "orders_left_out", text);
}

bool lock_order_work(const struct analysis_run *run, struct error *error)
{
  struct lock_order order;
  bool good = analysis_find(&lock_order_analysis, run->trace, run->pool, NULL, &order, error);
  if (good) {
    if (order.count > 0 || run->format != PRINT_TEXT)
      lock_order_show_put_table(run, &order);
    lock_order_show_put_sentence(run, &order);
  }
  analysis_free(&lock_order_analysis, &order);
  return good;
}
