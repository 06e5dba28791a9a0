#include "analyzer/command/print/print.h"

#include "analyzer/command/print/backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct print *print_open(enum print_format format, FILE *file, uint64_t ticks_per_second)
{
  static const struct print_backend *const backends[] = {[PRINT_TEXT] = &print_text_backend,
                                                         [PRINT_JSON] = &print_json_backend,
                                                         [PRINT_CSV] = &print_csv_backend,
                                                         [PRINT_MARKDOWN] = &print_markdown_backend};
  struct print *print = calloc(1, sizeof *print);
  if (!print)
    return NULL;
  print->backend = backends[format];
  print->file = file;
  print->ticks_per_second = ticks_per_second;
  print->backend->begin(print);
  return print;
}

void print_csv_facts(struct print *print)
{
  print->csv_facts = true;
}

void print_fact(struct print *print, const char *key, const char *title, enum print_type type, struct print_cell value)
{
  print->backend->fact(print, key, title, type, value);
  print->in_facts = true;
  print->something = true;
}

static void end_facts(struct print *print)
{
  if (print->in_facts)
    print->backend->facts_end(print);
  print->in_facts = false;
}

void print_table(struct print *print, const char *key, const char *title, const struct print_column *columns,
                 size_t column_count, bool flowing)
{
  end_facts(print);
  print->columns = columns;
  print->column_count = column_count;
  print->flowing = flowing;
  print->table_has_row = false;
  print->backend->table(print, key, title);
  print_threads_begin(print);
}

void print_shorten(struct print *print)
{
  print->shortens = true;
}

void print_by_thread(struct print *print, bool one_whole)
{
  print->threads.by_thread = true;
  print->threads.one_whole = one_whole;
}

void print_may_estimate(struct print *print)
{
  print->estimates = true;
}

void print_row(struct print *print, const struct print_cell *cells)
{
  if (!print->threads.on || !print_threads_take(print, cells))
    print->backend->row(print, cells);
  print->table_has_row = true;
}

void print_table_end(struct print *print)
{
  print_threads_end(print);
  print->backend->table_end(print);
  print->estimates = false;
  print->something = true;
}

void print_sentence(struct print *print, const char *key, const char *text)
{
  end_facts(print);
  print->backend->sentence(print, key, text);
  print->something = true;
}

void print_object(struct print *print, const char *key, const struct print_column *columns, size_t column_count,
                  const struct print_cell *cells)
{
  if (!print->backend->object)
    return;
  end_facts(print);
  print->columns = columns;
  print->column_count = column_count;
  print->backend->object(print, key, cells);
  print->something = true;
}

bool print_close(struct print *print)
{
  end_facts(print);
  print->backend->end(print);
  bool failed = print->failed;
  if (failed)
    fprintf(stderr, "heddle: out of memory while printing\n");
  errno = 0;
  if (fflush(print->file) != 0 || ferror(print->file)) {
    fprintf(stderr, "heddle: cannot write the output: %s\n", errno ? strerror(errno) : "write error");
    failed = true;
  }
  free(print);
  return !failed;
}
