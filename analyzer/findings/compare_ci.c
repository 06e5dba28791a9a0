/* A comparison for services of continuous integration: JUnit's XML and SARIF. */
#include "analyzer/command/print/escape.h"
#include "analyzer/findings/compare_show.h"
#include "analyzer/findings/sarif.h"

#include <stdlib.h>
#include <string.h>

/* An attribute's value. False: no memory. */
static bool put_xml(FILE *file, const char *text)
{
  char *escaped = escape_text(text);
  for (const char *at = escaped; at && *at; at++) {
    if (*at == '&')
      fputs("&amp;", file);
    else if (*at == '<')
      fputs("&lt;", file);
    else if (*at == '>')
      fputs("&gt;", file);
    else if (*at == '"')
      fputs("&quot;", file);
    else
      fputc(*at, file);
  }
  bool good = escaped;
  free(escaped);
  return good;
}

static bool has_case(const struct compared *compared)
{
  return run_figure_is_time(compared->figure) &&
         (!isnan(compared->p) || compared->row == 0 || compared->outcome == COMPARE_NEW ||
          compared->outcome == COMPARE_TOO_FEW) &&
         (compared->row == 0 || compared->of_run >= COMPARE_WORTH);
}

static bool put_case(FILE *file, const struct comparison *comparison, const struct compared *compared)
{
  const struct run_row *row = rows_latest(&comparison->rows, compared->row);
  char *label = run_row_label(row), *sentence = compared_sentence(comparison, compared);
  bool good = label && sentence;
  fprintf(file, "  <testcase classname=\"heddle.%s\" name=\"", run_row_kind_name(row->kind));
  good = good && put_xml(file, label);
  fprintf(file, ": %s\">", run_figure_title(comparison->runs->list.items, row, compared->figure));
  if (compared->is_worse || compared->outcome == COMPARE_TOO_FEW) {
    fputs(compared->is_worse ? "<failure message=\"" : "<skipped message=\"too few runs to decide: ", file);
    good = good && put_xml(file, sentence);
    fputs("\"/>", file);
  }
  fputs("</testcase>\n", file);
  free(label);
  free(sentence);
  return good;
}

bool compare_show_junit(const struct comparison *comparison, FILE *file)
{
  size_t tests = 0, failures = 0, skipped = 0;
  for (size_t i = 0; i < comparison->list.count; i++) {
    const struct compared *compared = &comparison->list.items[i];
    bool is_case = has_case(compared);
    tests += is_case;
    failures += is_case && compared->is_worse;
    skipped += is_case && !compared->is_worse && compared->outcome == COMPARE_TOO_FEW;
  }
  fprintf(file,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"heddle compare\" "
          "tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
          tests, failures, skipped);
  bool good = true;
  for (size_t i = 0; i < comparison->list.count && good; i++)
    if (has_case(&comparison->list.items[i]))
      good = put_case(file, comparison, &comparison->list.items[i]);
  fputs(" </testsuite>\n</testsuites>\n", file);
  return good;
}

bool compare_show_sarif(const struct comparison *comparison, FILE *file)
{
  struct sarif_result *results = calloc(comparison->list.count + 1, sizeof *results);
  size_t count = 0;
  bool good = results;
  for (size_t i = 0; i < comparison->list.count && good; i++) {
    const struct compared *compared = &comparison->list.items[i];
    const struct run_row *row = rows_latest(&comparison->rows, compared->row);
    if (!run_figure_is_time(compared->figure) || compared->outcome != COMPARE_MORE)
      continue;
    results[count] = (struct sarif_result){"slower", compared->is_worse ? "error" : "warning",
                                           compared_sentence(comparison, compared), row->file, row->line};
    good = results[count++].message;
  }
  good = good && sarif_write(file, results, count);
  for (size_t i = 0; i < count; i++)
    free((char *)results[i].message);
  free(results);
  return good;
}
