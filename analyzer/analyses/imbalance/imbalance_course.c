#include "analyzer/analyses/imbalance/imbalance_course.h"

#include "base/count_of.h"

#include <assert.h>

static void put_spread(const struct analysis_run *run, const struct imbalance *imbalance, const uint32_t *order,
                       uint32_t count)
{
  static const struct print_column columns[] = {{"construct", "Construct", PRINT_STRING, false},
                                                {"calls", "Calls", PRINT_COUNT, false},
                                                {"elapsed_median", "Elapsed median", PRINT_DURATION, false},
                                                {"elapsed_90", "90 %", PRINT_DURATION, false},
                                                {"elapsed_max", "longest", PRINT_DURATION, false},
                                                {"imbalance_median", "Imbalance median", PRINT_DURATION, false},
                                                {"imbalance_90", "90 %", PRINT_DURATION, false},
                                                {"imbalance_max", "worst", PRINT_DURATION, false},
                                                {"worst_begin", "Worst call at", PRINT_DURATION, false},
                                                {"worst_elapsed", "elapsed", PRINT_DURATION, false}};
  uint64_t first = run->trace->first_tick;
  print_table(run->print, "over_time", "Over time", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < count; i++) {
    const struct imbalance_course *course = imbalance->constructs[order[i]].course;
    if (!course)
      continue;
    struct print_cell cells[] = {print_string(run->trace->regions[order[i]].name),
                                 print_number(course->imbalance.count),
                                 print_number(lengths_percentile(&course->elapsed, 0.5)),
                                 print_number(lengths_percentile(&course->elapsed, 0.9)),
                                 print_number(course->elapsed.max),
                                 print_number(lengths_percentile(&course->imbalance, 0.5)),
                                 print_number(lengths_percentile(&course->imbalance, 0.9)),
                                 print_number(course->worst.imbalance),
                                 print_number(course->worst.begin > first ? course->worst.begin - first : 0),
                                 print_number(course->worst.elapsed)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static void imbalance_course_put_parts(const struct analysis_run *run, const struct imbalance *imbalance,
                                       const uint32_t *order, uint32_t count)
{
  static const struct print_column columns[] = {
      {"construct", "Construct", PRINT_STRING, false}, {"part_1", "0-10", PRINT_PERCENT, false},
      {"part_2", "10-20", PRINT_PERCENT, false},       {"part_3", "20-30", PRINT_PERCENT, false},
      {"part_4", "30-40", PRINT_PERCENT, false},       {"part_5", "40-50", PRINT_PERCENT, false},
      {"part_6", "50-60", PRINT_PERCENT, false},       {"part_7", "60-70", PRINT_PERCENT, false},
      {"part_8", "70-80", PRINT_PERCENT, false},       {"part_9", "80-90", PRINT_PERCENT, false},
      {"part_10", "90-100 %", PRINT_PERCENT, false}};
  static_assert(COUNT_OF(columns) == 1 + COURSE_PARTS, "a column a part");
  print_table(run->print, "parts", "Imb. % in each tenth of the time", columns, COUNT_OF(columns), false);
  for (uint32_t at = 0; at < count; at++) {
    const struct imbalance_course *course = imbalance->constructs[order[at]].course;
    struct print_cell cells[1 + COURSE_PARTS] = {print_string(run->trace->regions[order[at]].name)};
    if (!course)
      continue;
    for (unsigned i = 0; i < COURSE_PARTS; i++) {
      const struct course_part *part = &course->parts[i];
      cells[1 + i] = part->calls ? print_real(course_percent(part->scaled, part->busy_max)) : print_none();
    }
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

void imbalance_course_put(const struct analysis_run *run, const struct imbalance *imbalance, const uint32_t *order,
                          uint32_t count)
{
  put_spread(run, imbalance, order, count);
  imbalance_course_put_parts(run, imbalance, order, count);
}
