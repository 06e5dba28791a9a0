#include "analyzer/findings/why_show.h"

#include "analyzer/command/sentences.h"
#include "analyzer/findings/efficiency.h"
#include "analyzer/findings/prints.h"
#include "base/count_of.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool why_search(const struct trace *trace, struct pool *pool, double threshold, bool own_figures,
                struct run_analyses *all, struct why *why, struct error *error)
{
  struct windows windows = {.lost = NULL};
  const struct analysis_task also = {&windows_analysis, NULL, &windows};
  const struct run_analyses_options options = {
      .threshold = threshold, .own_figures = own_figures, .also = &also, .also_count = 1};
  *why = (struct why){.threshold = threshold};
  bool good = run_analyses(trace, pool, &options, all, error) &&
              (why_find(&all->results, &windows, &all->findings, threshold, why) || error_set(error, "out of memory"));
  analysis_free(&windows_analysis, &windows);
  return good;
}

static bool is_true(const struct why_node *node)
{
  return node->verdict == WHY_TRUE || node->verdict == WHY_LIKELY;
}

/* True if the node is part of the tree of reasons; else it is a kind that is false or unknown. */
static bool is_in_tree(const struct why_node *node)
{
  return node->aspect != WHY_KIND || is_true(node);
}

static struct print_cell figure_cell(const struct why_node *node)
{
  if (!node->measured)
    return print_none();
  struct print_cell cell = print_real(node->percent);
  return node->low < node->high ? print_estimate(cell, node->high - node->percent) : cell;
}

/* What is known of a node: nodes that only describe have no verdict. */
static const char *verdict_of(const struct why_node *node)
{
  bool describes = node->aspect == WHY_WHO || node->aspect == WHY_REST || node->aspect == WHY_WHEN ||
                   (node->aspect == WHY_REASON && !node->measured && node->verdict == WHY_TRUE);
  return describes ? NULL : why_verdict_name(node->verdict);
}

/* What a figure rests on; NULL: it has none, or does not decide. */
static const char *confidence_of(const struct why_node *node)
{
  return !node->measured                ? NULL
         : !(node->low < node->high)    ? "exact"
         : node->verdict == WHY_LIKELY  ? "estimate"
         : node->verdict == WHY_UNKNOWN ? NULL
                                        : "interval";
}

#define CONFIDENCE_SIZE 32

/* The same for people, with the bound that decides. */
static const char *confidence_text(const struct why_node *node, char text[CONFIDENCE_SIZE])
{
  const char *word = confidence_of(node);
  if (!word || strcmp(word, "interval") != 0)
    return word ? word : "";
  bool reached = node->verdict == WHY_TRUE;
  snprintf(text, CONFIDENCE_SIZE, "%s %.1f %%", reached ? "at least" : "at most", reached ? node->low : node->high);
  return text;
}

static void put_tree(const struct analysis_run *run, const struct why *why)
{
  static const struct print_column columns[] = {{"text", "Why", PRINT_STRING, false},
                                                {"percent", "Could win", PRINT_PERCENT, false},
                                                {"confidence", "Confidence", PRINT_STRING, false},
                                                {"verdict", "Verdict", PRINT_STRING, false}};
  print_table(run->print, "tree", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < why->nodes.count; i++) {
    const struct why_node *node = &why->nodes.items[i];
    char *text = NULL;
    bool named = node->aspect != WHY_ROOT && node->aspect != WHY_KIND;
    if (!is_in_tree(node) || asprintf(&text, "%*s%s%s%s", 2 * (int)node->depth, "",
                                      named ? why_aspect_name(node->aspect) : "", named ? ": " : "", node->text) < 0)
      continue;
    const char *verdict = verdict_of(node);
    char confidence[CONFIDENCE_SIZE];
    struct print_cell cells[] = {print_string(text), figure_cell(node), print_string(confidence_text(node, confidence)),
                                 print_string(verdict ? verdict : "")};
    print_row(run->print, cells);
    free(text);
  }
  print_table_end(run->print);
}

/* Kinds that are false, or unknown. */
static void why_show_put_others(const struct analysis_run *run, const struct why *why, enum why_verdict verdict,
                                const char *title)
{
  const struct print_column columns[] = {{"text", title, PRINT_STRING, false},
                                         {"percent", "Could win", PRINT_PERCENT, true}};
  bool any = false;
  for (size_t i = 0; i < why->nodes.count; i++) {
    const struct why_node *node = &why->nodes.items[i];
    if (is_in_tree(node) || node->verdict != verdict)
      continue;
    if (!any)
      print_table(run->print, "others", NULL, columns, COUNT_OF(columns), false);
    any = true;
    struct print_cell cells[] = {print_string(node->text), figure_cell(node)};
    print_row(run->print, cells);
  }
  if (any)
    print_table_end(run->print);
}

static int compare_places(const void *a, const void *b)
{
  const struct why_node *left = *(const struct why_node *const *)a, *right = *(const struct why_node *const *)b;
  if (left->percent != right->percent)
    return left->percent < right->percent ? 1 : -1;
  return (left > right) - (left < right);
}

/* The sentences of all places in the tree, the most to win first. */
static void put_actions(const struct analysis_run *run, const struct why *why)
{
  static const struct print_column columns[] = {{"text", "What to do", PRINT_STRING, false}};
  const struct why_node **places = calloc(why->nodes.count + 1, sizeof *places);
  size_t count = 0;
  for (size_t i = 0; places && i < why->nodes.count; i++) /* smaller findings have no sentence */
    if (why->nodes.items[i].aspect == WHY_WHERE && why->nodes.items[i].finding->text)
      places[count++] = &why->nodes.items[i];
  if (count > 0) {
    qsort(places, count, sizeof *places, compare_places);
    print_table(run->print, "actions", NULL, columns, COUNT_OF(columns), false);
    for (size_t i = 0; i < count; i++) {
      struct print_cell cell = print_string(places[i]->finding->text);
      print_row(run->print, &cell);
    }
    print_table_end(run->print);
  }
  free(places);
}

static void why_show_put_text(const struct analysis_run *run, const struct why *why)
{
  bool any = false;
  for (size_t i = 0; i < why->nodes.count; i++)
    any |= why->nodes.items[i].aspect == WHY_KIND && is_true(&why->nodes.items[i]);
  if (!any) {
    char text[96];
    snprintf(text, sizeof text, "No reason is known to cost %g %% of the run or more.", why->threshold);
    print_sentence(run->print, "nothing", text);
  }
  put_tree(run, why);
  char title[64];
  snprintf(title, sizeof title, "Ruled out: less than %g %% of the run", why->threshold);
  why_show_put_others(run, why, WHY_FALSE, title);
  why_show_put_others(run, why, WHY_UNKNOWN, "Unknown");
  put_actions(run, why);
}

/* All nodes, for programs. */
static void put_hypotheses(const struct analysis_run *run, const struct why *why)
{
  static const struct print_column columns[] = {{"depth", "Depth", PRINT_NUMBER, false},
                                                {"aspect", "Aspect", PRINT_STRING, false},
                                                {"key", "Key", PRINT_STRING, false},
                                                {"verdict", "Verdict", PRINT_STRING, false},
                                                {"could_win_percent", "Could win", PRINT_REAL, false},
                                                {"low", "at least", PRINT_REAL, false},
                                                {"high", "at most", PRINT_REAL, false},
                                                {"confidence", "Confidence", PRINT_STRING, false},
                                                {"place", "Place", PRINT_STRING, false},
                                                {"file", "File", PRINT_STRING, false},
                                                {"line", "Line", PRINT_NUMBER, false},
                                                {"thread_name", "Thread", PRINT_STRING, false},
                                                {"text", "Text", PRINT_STRING, false},
                                                {"advice", "Advice", PRINT_STRING, false}};
  static const struct trace_region nowhere = {.name = NULL, .file = ""};
  print_table(run->print, "hypotheses", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < why->nodes.count; i++) {
    const struct why_node *node = &why->nodes.items[i];
    const struct finding *finding = node->finding;
    const struct trace_region *region =
        finding && finding->region != TRACE_NONE ? &node->trace->regions[finding->region] : &nowhere;
    bool thread = finding && finding->location != TRACE_NONE;
    const char *verdict = verdict_of(node), *confidence = confidence_of(node);
    struct print_cell cells[] = {
        print_number(node->depth),
        print_string(why_aspect_name(node->aspect)),
        print_string(node->key),
        print_string(verdict),
        node->measured ? print_real(node->percent) : print_none(),
        node->measured ? print_real(node->low) : print_none(),
        node->measured && !isinf(node->high) ? print_real(node->high) : print_none(),
        print_string(confidence),
        print_string(region->name),
        *region->file ? print_string(region->file) : print_none(),
        region->line ? print_number(region->line) : print_none(),
        thread ? print_string(node->trace->locations[finding->location].name) : print_none(),
        print_string(node->text),
        node->aspect == WHY_WHERE && finding->text ? print_string(finding->text) : print_none(),
    };
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

bool why_put(const struct analysis_run *run, const struct why *why, const char *first, const struct run_analyses *all)
{
  if (run->format == PRINT_JSON)
    print_fact(run->print, "threshold", "Threshold", PRINT_REAL, print_real(why->threshold));
  print_sentence(run->print, "verdict", first);
  bool good = true;
  if (all) {
    account_show(run, all, run->format == PRINT_TEXT);
    good = efficiency_show(run, all);
  }
  if (run->format == PRINT_TEXT)
    why_show_put_text(run, why);
  else
    put_hypotheses(run, why);
  if (run->trace) /* a running process has none */
    stolen_put(run->print, run->trace);
  return good;
}
