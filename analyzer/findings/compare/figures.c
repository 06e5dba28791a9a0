#include "analyzer/findings/compare/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *key, *title;
} run_figure_names[RUN_FIGURES] = {
    [RUN_TIME] = {"time", "time"},
    [RUN_WALL] = {"wall", "wall time"},
    [RUN_PATH] = {"critical_path", "time on the critical path"},
    [RUN_RELATIVE] = {"relative_time", "time beside the rest"},
    [RUN_EXECUTIONS] = {"executions", "executions"},
    [RUN_CHUNKS] = {"chunks", "chunks"},
    [RUN_ITERATIONS] = {"iterations", "iterations"},
    [RUN_TASKS] = {"tasks", "tasks"},
    [RUN_ACQUISITIONS] = {"acquisitions", "acquisitions"},
    [RUN_CONTENDED] = {"contended", "contended acquisitions"},
    [RUN_INSTRUCTIONS] = {"instructions", "instructions"},
};

const char *run_figure_key(enum run_figure figure)
{
  return run_figure_names[figure].key;
}

const char *run_figure_title(const struct run_figures *run, const struct run_row *row, enum run_figure figure)
{
  bool own = row->kind == ROW_RUN || row->kind == ROW_CONSTRUCT;
  if (figure != RUN_TIME)
    return run_figure_names[figure].title;
  return own && run->processor_time ? "processor time"
         : own                      ? "time in its code"
         : row->kind == ROW_CAUSE   ? "lost time"
         : row->kind == ROW_LOCK    ? "waiting time"
                                    : "time";
}

const char *run_row_kind_name(enum run_row_kind kind)
{
  static const char *const names[ROW_KINDS] = {
      [ROW_RUN] = "run",   [ROW_CAUSE] = "cause", [ROW_CONSTRUCT] = "construct", [ROW_LOCK] = "lock",
      [ROW_TASK] = "task", [ROW_POOL] = "pool",   [ROW_FUNCTION] = "function"};
  return names[kind];
}

char *run_row_label(const struct run_row *row)
{
  char *label = NULL;
  const char *base = strrchr(row->file, '/');
  base = base ? base + 1 : row->file;
  int length = *base && row->line ? asprintf(&label, "%s @%s:%u", row->name, base, row->line)
               : *row->function && strcmp(row->function, row->name) != 0
                   ? asprintf(&label, "%s in %s", row->name, row->function)
                   : asprintf(&label, "%s", row->name);
  return length < 0 ? NULL : label;
}

static char *copy_of(const char *text)
{
  return strdup(text ? text : "");
}

static void run_row_free(struct run_row *row)
{
  free(row->name);
  free(row->function);
  free(row->file);
  free(row->text);
}

struct run_row *run_row_find(struct run_figures *run, enum run_row_kind kind, const char *name, const char *function,
                             const char *file, uint32_t line)
{
  for (size_t i = 0; i < run->rows.count; i++) {
    struct run_row *row = &run->rows.items[i];
    if (row->kind == kind && row->line == line && strcmp(row->name, name ? name : "") == 0 &&
        strcmp(row->file, file ? file : "") == 0 && strcmp(row->function, function ? function : "") == 0)
      return row;
  }
  struct run_row row = {kind, copy_of(name), copy_of(function), copy_of(file), copy_of(""), line, {0}};
  for (unsigned i = 0; i < RUN_FIGURES; i++)
    row.values[i] = NAN;
  if (row.name && row.function && row.file && row.text && vector_push(&run->rows, row))
    return &run->rows.items[run->rows.count - 1];
  run_row_free(&row);
  return NULL;
}

void run_row_add(struct run_row *row, enum run_figure figure, double value)
{
  row->values[figure] = (isnan(row->values[figure]) ? 0 : row->values[figure]) + value;
}

void run_figures_free(struct run_figures *run)
{
  for (size_t i = 0; i < run->rows.count; i++)
    run_row_free(&run->rows.items[i]);
  vector_free(&run->rows);
  free(run->path);
  free(run->program);
  *run = (struct run_figures){0};
}

void runs_free(struct runs *runs)
{
  for (size_t i = 0; i < runs->list.count; i++)
    run_figures_free(&runs->list.items[i]);
  vector_free(&runs->list);
}

bool run_is_same(const struct run_figures *one, const struct run_figures *other)
{
  return one->began != 0 && one->began == other->began && strcmp(one->program, other->program) == 0 &&
         one->rows.count == other->rows.count;
}

bool runs_is_known(const struct runs *runs, size_t at)
{
  for (size_t i = 0; i < at; i++)
    if (run_is_same(&runs->list.items[i], &runs->list.items[at]))
      return true;
  return false;
}

void runs_remove(struct runs *runs, size_t at)
{
  run_figures_free(&runs->list.items[at]);
  runs->list.count--;
  memmove(&runs->list.items[at], &runs->list.items[at + 1], (runs->list.count - at) * sizeof *runs->list.items);
}
