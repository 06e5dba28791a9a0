#include "analyzer/analyses/tasks/task_cells.h"

const struct trace_region *task_region(const struct analysis_run *run, uint32_t region)
{
  static const struct trace_region unknown = {.name = "(unknown)", .function = "", .file = ""};
  return region < run->trace->region_count ? &run->trace->regions[region] : &unknown;
}

struct print_cell length_cell(const struct lengths *lengths, double part)
{
  return lengths->count ? print_number(lengths_percentile(lengths, part)) : print_none();
}

struct print_cell longest_cell(const struct lengths *lengths)
{
  return lengths->count ? print_number(lengths->max) : print_none();
}
