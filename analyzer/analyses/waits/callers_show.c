#include "analyzer/analyses/waits/callers_show.h"

#include "base/count_of.h"

void callers_show(const struct analysis_run *run, const struct callers *callers, const char *group, size_t shown)
{
  const struct print_column columns[] = {
      {group, "No.", PRINT_NUMBER, false},           {"place", "Place", PRINT_STRING, false},
      {"callers", "Called by", PRINT_STRING, false}, {"times", "Waits", PRINT_COUNT, false},
      {"time", "Time", PRINT_DURATION, false},       {"time_max", "Longest", PRINT_DURATION, false}};
  const struct trace *trace = run->trace;
  size_t first = group ? 0 : 1;
  if (callers->list.count == 0)
    return;
  print_table(run->print, "callers", "By callers", columns + first, COUNT_OF(columns) - first, false);
  for (size_t i = 0; i < callers->list.count; i++) {
    const struct callers_waits *row = &callers->list.items[i];
    struct print_cell cells[] = {print_number(row->group + 1),
                                 row->region < trace->region_count ? print_string(trace->regions[row->region].name)
                                                                   : print_none(),
                                 print_string(row->callers),
                                 print_number(row->times),
                                 print_number(row->ticks),
                                 print_number(row->longest)};
    if (row->group < shown)
      print_row(run->print, cells + first);
  }
  print_table_end(run->print);
}
