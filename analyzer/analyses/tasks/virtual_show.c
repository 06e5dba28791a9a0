#include "analyzer/analyses/tasks/virtual_show.h"

#include "analyzer/analyses/tasks/task_cells.h"
#include "base/count_of.h"

#include <stdio.h>

static void virtual_show_put_table(const struct analysis_run *run, const struct tasks *tasks, size_t shown)
{
  static const struct print_column columns[] = {{"name", "Started at", PRINT_STRING, false},
                                                {"function", "in", PRINT_STRING, true},
                                                {"file", "File", PRINT_STRING, true},
                                                {"line", "Line", PRINT_NUMBER, true},
                                                {"threads", "Threads", PRINT_COUNT, false},
                                                {"ended", "Ended", PRINT_COUNT, true},
                                                {"most_alive", "at one time", PRINT_COUNT, false},
                                                {"mounts", "Mounted", PRINT_COUNT, false},
                                                {"run", "Run, all", PRINT_SHARE, false},
                                                {"run_median", "median", PRINT_DURATION, false},
                                                {"run_max", "longest", PRINT_DURATION, false},
                                                {"queue_median", "Queue: median", PRINT_DURATION, false},
                                                {"queue_90", "90 %", PRINT_DURATION, false},
                                                {"queue_max", "longest", PRINT_DURATION, false},
                                                {"unmounted", "Unmounted, all", PRINT_DURATION, false}};
  const bool text = run->format == PRINT_TEXT;
  print_table(run->print, "virtual_threads", "Virtual threads", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < shown; i++) {
    const struct virtual_site *site = &tasks->virtual_sites[i];
    const struct trace_region *region = task_region(run, site->region);
    struct print_cell cells[] = {print_string(region->name),
                                 *region->function ? print_string(region->function) : print_none(),
                                 !text && *region->file ? print_string(region->file) : print_none(),
                                 !text && region->line ? print_number(region->line) : print_none(),
                                 print_number(site->threads),
                                 text && site->ended == site->threads ? print_none() : print_number(site->ended),
                                 print_number(site->most_alive),
                                 print_number(site->mounts),
                                 print_share(site->run.total, tasks->lifetimes),
                                 length_cell(&site->run, 0.5),
                                 longest_cell(&site->run),
                                 length_cell(&site->queue, 0.5),
                                 length_cell(&site->queue, 0.9),
                                 longest_cell(&site->queue),
                                 print_number(site->unmounted)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

/* Half of them waited longer than they ran. */
static void virtual_show_put_sentences(const struct analysis_run *run, const struct tasks *tasks, size_t shown)
{
  char key[40], text[1024];
  for (size_t i = 0; i < shown && run->format == PRINT_TEXT; i++) {
    const struct virtual_site *site = &tasks->virtual_sites[i];
    if (site->queue.count < 2 || site->queue.total * 100 < tasks->elapsed ||
        lengths_percentile(&site->queue, 0.5) <= lengths_percentile(&site->run, 0.5))
      continue;
    snprintf(key, sizeof key, "virtual_threads_%zu", i + 1);
    snprintf(
        text, sizeof text,
        "%.700s: most of these virtual threads waited longer for a carrier than they ran. There are as many carriers "
        "as processors, unless the JVM is told otherwise; heddle waits has the virtual threads that kept theirs "
        "while they waited.",
        task_region(run, site->region)->name);
    print_sentence(run->print, key, text);
  }
}

void virtual_threads_put(const struct analysis_run *run, const struct tasks *tasks, size_t shown)
{
  if (tasks->virtual_count == 0)
    return;
  if (shown > tasks->virtual_count)
    shown = tasks->virtual_count;
  virtual_show_put_table(run, tasks, shown);
  virtual_show_put_sentences(run, tasks, shown);
}
