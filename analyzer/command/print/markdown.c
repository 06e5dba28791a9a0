/* Markdown, as forges take it for comments. Texts from outside stay texts: what has a meaning there is escaped. */
#include "analyzer/command/print/backend.h"
#include "analyzer/command/print/escape.h"
#include "analyzer/command/print/print.h"

#include <stdlib.h>
#include <string.h>

/* One line; frees the text. NULL: there was no memory. */
static void markdown_put(struct print *print, char *text)
{
  print->failed |= !text;
  for (const char *at = text; at && *at; at++) {
    if (*at == '<' || *at == '>' || *at == '&') {
      fputs(*at == '<' ? "&lt;" : *at == '>' ? "&gt;" : "&amp;", print->file);
      continue;
    }
    if (strchr("\\`*_{}[]#|~$!@", *at))
      fputc('\\', print->file);
    fputc(*at, print->file);
  }
  free(text);
}

static void markdown_begin(struct print *print)
{
  (void)print;
}

static void markdown_fact(struct print *print, const char *key, const char *title, enum print_type type,
                          struct print_cell value)
{
  (void)key;
  fputs("- ", print->file);
  markdown_put(print, strdup(title));
  fputs(": ", print->file);
  markdown_put(print, print_format_cell(print, type, &value));
  fputc('\n', print->file);
}

static void markdown_facts_end(struct print *print)
{
  fputc('\n', print->file);
}

static void markdown_table(struct print *print, const char *key, const char *title)
{
  (void)key;
  if (title) {
    fputs("**", print->file);
    markdown_put(print, strdup(title));
    fputs("**\n\n", print->file);
  }
  for (size_t i = 0; i < print->column_count; i++) {
    fputs(i == 0 ? "| " : " | ", print->file);
    markdown_put(print, strdup(print->columns[i].title));
  }
  fputs(" |\n|", print->file);
  for (size_t i = 0; i < print->column_count; i++)
    fputs(print->columns[i].type == PRINT_STRING ? " --- |" : " ---: |", print->file);
  fputc('\n', print->file);
}

static void markdown_row(struct print *print, const struct print_cell *cells)
{
  for (size_t i = 0; i < print->column_count; i++) {
    fputs(i == 0 ? "| " : " | ", print->file);
    markdown_put(print, print_format_cell(print, print->columns[i].type, &cells[i]));
  }
  fputs(" |\n", print->file);
}

static void markdown_table_end(struct print *print)
{
  fputc('\n', print->file);
}

static void markdown_sentence(struct print *print, const char *key, const char *text)
{
  (void)key;
  markdown_put(print, escape_text(text));
  fputs("\n\n", print->file);
}

static void markdown_end(struct print *print)
{
  (void)print;
}

const struct print_backend print_markdown_backend = {markdown_begin,    markdown_fact, markdown_facts_end,
                                                     markdown_table,    markdown_row,  markdown_table_end,
                                                     markdown_sentence, NULL,          markdown_end};
