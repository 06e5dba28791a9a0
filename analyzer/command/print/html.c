/* Parts of an HTML page: the caller writes what is around them. Shares have bars. */
#include "analyzer/command/print/backend.h"
#include "analyzer/command/print/escape.h"
#include "analyzer/command/print/print.h"

#include <stdlib.h>
#include <string.h>

/* Text between tags or in quotes. */
static void put_text(const struct print *print, const char *text)
{
  for (; *text; text++) {
    if (*text == '&')
      fputs("&amp;", print->file);
    else if (*text == '<')
      fputs("&lt;", print->file);
    else if (*text == '>')
      fputs("&gt;", print->file);
    else if (*text == '"')
      fputs("&quot;", print->file);
    else
      fputc(*text, print->file);
  }
}

static void put_owned(const struct print *print, char *text)
{
  if (text)
    put_text(print, text);
  free(text);
}

static void html_begin(struct print *print)
{
  (void)print;
}

static void html_fact(struct print *print, const char *key, const char *title, enum print_type type,
                      struct print_cell value)
{
  (void)key;
  fputs(print->in_facts ? "<dt>" : "<dl>\n<dt>", print->file);
  put_text(print, title);
  fputs("</dt><dd>", print->file);
  put_owned(print, print_format_cell(print, type, &value));
  fputs("</dd>\n", print->file);
}

static void html_facts_end(struct print *print)
{
  fputs("</dl>\n", print->file);
}

static void html_table(struct print *print, const char *key, const char *title)
{
  fprintf(print->file, "<div class=\"wide\"><table id=\"%s\">\n", key);
  if (title) {
    fputs("<caption>", print->file);
    put_text(print, title);
    fputs("</caption>\n", print->file);
  }
  print->all_zero = malloc(print->column_count * sizeof *print->all_zero);
  for (size_t i = 0; print->all_zero && i < print->column_count; i++)
    print->all_zero[i] = true;
  print->failed |= !print->all_zero;
}

static void html_row(struct print *print, const struct print_cell *cells)
{
  for (size_t i = 0; i < print->column_count && !print->failed; i++) {
    const struct print_cell *cell = &cells[i];
    enum print_type type = print->columns[i].type;
    char *text = print_format_cell(print, type, cell), *whole = NULL;
    bool bar = type == PRINT_SHARE && cell->there && cell->count > 0;
    int length = bar ? asprintf(&whole, "%.2f%%\n%s", print_percentage(cell->count, cell->of), text ? text : "")
                     : asprintf(&whole, "\n%s", text ? text : "");
    free(text);
    if (length < 0 || !vector_push(&print->cells, whole)) {
      if (length >= 0)
        free(whole);
      print->failed = true;
      return;
    }
    print->all_zero[i] &= !cell->there || (!cell->text && cell->count == 0 && cell->real == 0);
  }
}

/* A cell as html_row keeps it: the length of its bar, a newline, its text. */
static void html_put_cell(const struct print *print, enum print_type type, const char *kept)
{
  const char *text = strchr(kept, '\n') + 1;
  if (text - kept > 1)
    fprintf(print->file, "<td class=\"share\" style=\"--part:%.*s\">", (int)(text - kept - 1), kept);
  else
    fputs(type == PRINT_STRING ? "<td class=\"text\">" : "<td>", print->file);
  put_text(print, text);
  fputs("</td>", print->file);
}

static bool is_shown(const struct print *print, size_t column)
{
  return !(print->columns[column].omit_zero && print->all_zero[column]);
}

static void put_titles(const struct print *print)
{
  fputs("<thead><tr>", print->file);
  for (size_t i = 0; i < print->column_count; i++) {
    if (!is_shown(print, i))
      continue;
    fputs(print->columns[i].type == PRINT_STRING ? "<th class=\"text\">" : "<th>", print->file);
    put_text(print, print->columns[i].title);
    fputs("</th>", print->file);
  }
  fputs("</tr></thead>\n<tbody>\n", print->file);
}

static void html_table_end(struct print *print)
{
  if (!print->failed)
    put_titles(print);
  for (size_t i = 0; i < print->cells.count && !print->failed; i++) {
    size_t column = i % print->column_count;
    fputs(column == 0 ? "<tr>" : "", print->file);
    if (is_shown(print, column))
      html_put_cell(print, print->columns[column].type, print->cells.items[i]);
    fputs(column + 1 == print->column_count ? "</tr>\n" : "", print->file);
  }
  for (size_t i = 0; i < print->cells.count; i++)
    free(print->cells.items[i]);
  vector_free(&print->cells);
  free(print->all_zero);
  print->all_zero = NULL;
  fputs("</tbody></table></div>\n", print->file);
}

static void html_sentence(struct print *print, const char *key, const char *text)
{
  (void)key;
  fputs("<p>", print->file);
  print_html_text(print, text);
  fputs("</p>\n", print->file);
}

static void html_end(struct print *print)
{
  (void)print;
}

void print_html_text(struct print *print, const char *text)
{
  char *escaped = escape_text(text);
  print->failed |= !escaped;
  put_owned(print, escaped);
}

const struct print_backend print_html_backend = {html_begin,     html_fact,     html_facts_end, html_table, html_row,
                                                 html_table_end, html_sentence, NULL,           html_end};
