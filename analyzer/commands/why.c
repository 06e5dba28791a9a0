#include "analyzer/commands/analysis.h"

#include "analyzer/commands/facts.h"
#include "analyzer/commands/restricted_sentence.h"
#include "analyzer/commands/unmeasured_sentence.h"
#include "analyzer/options/values.h"
#include "analyzer/why/why.h"
#include "base/count_of.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct own_options {
  uint64_t threshold; /* percent; 0: the usual one */
};

static bool is_true(const struct why_node *node)
{
  return node->verdict == WHY_TRUE || node->verdict == WHY_LIKELY;
}

/* Whether the node is part of the tree of reasons; else it is a kind that is false or unknown. */
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
  bool describes = node->aspect == WHY_WHO || node->aspect == WHY_WHEN ||
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
                                                {"verdict", "", PRINT_STRING, false}};
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
static void put_others(const struct analysis_run *run, const struct why *why, enum why_verdict verdict,
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

/* The sentences of all places in the tree, in the order of the findings. */
static void put_actions(const struct analysis_run *run, const struct why *why, const struct findings *findings)
{
  static const struct print_column columns[] = {{"text", "What to do", PRINT_STRING, false}};
  bool any = false;
  for (size_t i = 0; i < findings->count; i++) { /* smaller ones have no sentence */
    bool named = false;
    for (size_t k = 0; k < why->nodes.count && !named; k++)
      named = why->nodes.items[k].aspect == WHY_WHERE && why->nodes.items[k].finding == &findings->list[i];
    if (!named)
      continue;
    if (!any)
      print_table(run->print, "actions", NULL, columns, COUNT_OF(columns), false);
    any = true;
    struct print_cell cell = print_string(findings->list[i].text);
    print_row(run->print, &cell);
  }
  if (any)
    print_table_end(run->print);
}

static void put_text(const struct analysis_run *run, const struct why *why, const struct findings *findings)
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
  put_others(run, why, WHY_FALSE, title);
  put_others(run, why, WHY_UNKNOWN, "Unknown");
  put_actions(run, why, findings);
}

/* All nodes, for programs. */
static void put_hypotheses(const struct analysis_run *run, const struct why *why)
{
  static const struct print_column columns[] = {
      {"depth", "Depth", PRINT_NUMBER, false},     {"aspect", "Aspect", PRINT_STRING, false},
      {"key", "Key", PRINT_STRING, false},         {"verdict", "Verdict", PRINT_STRING, false},
      {"percent", "Could win", PRINT_REAL, false}, {"low", "at least", PRINT_REAL, false},
      {"high", "at most", PRINT_REAL, false},      {"confidence", "Confidence", PRINT_STRING, false},
      {"place", "Place", PRINT_STRING, false},     {"file", "File", PRINT_STRING, false},
      {"line", "Line", PRINT_NUMBER, false},       {"thread", "Thread", PRINT_STRING, false},
      {"text", "Text", PRINT_STRING, false},       {"advice", "Advice", PRINT_STRING, false}};
  static const struct trace_region nowhere = {.name = NULL, .file = ""};
  const struct trace *trace = run->trace;
  print_table(run->print, "hypotheses", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < why->nodes.count; i++) {
    const struct why_node *node = &why->nodes.items[i];
    const struct finding *finding = node->finding;
    const struct trace_region *region =
        finding && finding->region != TRACE_NONE ? &trace->regions[finding->region] : &nowhere;
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
        thread ? print_string(trace->locations[finding->location].name) : print_none(),
        print_string(node->text),
        node->aspect == WHY_WHERE && finding->text ? print_string(finding->text) : print_none(),
    };
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static bool why_put(const struct analysis_run *run, const struct facts *facts, const struct why *why)
{
  const struct imbalance *imbalance = &facts->imbalance;
  if (run->format == PRINT_JSON)
    print_fact(run->print, "threshold", "Threshold", PRINT_REAL, print_real(why->threshold));
  print_sentence(run->print, "verdict", facts->findings.first);
  if (run->format == PRINT_TEXT)
    put_text(run, why, &facts->findings);
  else
    put_hypotheses(run, why);
  restricted_put_executions(run, imbalance->left_out);
  return unmeasured_put(run->print, run->trace, imbalance->unmeasured, imbalance->unmeasured + imbalance->lifetimes);
}

static bool test(const struct analysis_run *run, struct why_taker *taker, struct facts *facts, double threshold,
                 struct error *error)
{
  const struct subscriber *also[] = {why_subscriber(taker)};
  struct facts_options asked = {.also = also, .also_count = COUNT_OF(also)};
  if (!facts_find(run->trace, run->pool, &asked, facts, error)) {
    why_drop(taker);
    return false;
  }
  struct findings_of of = facts_for_findings(facts);
  struct why why;
  bool good = (why_end(taker, &of, &facts->findings, threshold, &why) && why_put(run, facts, &why)) ||
              error_set(error, "out of memory");
  why_free(&why);
  return good;
}

static bool work(const struct analysis_run *run, const void *own, struct error *error)
{
  const struct own_options *options = own;
  struct facts facts = {.trace = NULL};
  struct why_taker *taker = why_begin(run->trace, run->pool, error);
  bool good = taker && test(run, taker, &facts, options->threshold ? (double)options->threshold : WHY_WORTH, error);
  facts_free(&facts);
  return good;
}

static int run(const struct command *command, int argc, char **argv)
{
  static const struct analysis analysis = {.work = work};
  struct own_options own = {0};
  return analysis_command(&analysis, command, &own, argc, argv);
}

static const struct command_option own_options[] = {
    {.name = "threshold",
     .argument = "PERCENT",
     .help = "a reason counts if it costs PERCENT of the run or more, a whole number (default: 5)",
     .take = option_number,
     .at = offsetof(struct own_options, threshold),
     .least = 1,
     .most = 100},
    {.name = NULL}};

const struct command command_why = {
    .name = "why",
    .group = COMMAND_LOOK,
    .summary = "searches for the reasons why threads do not do more work, and prints what was ruled out",
    .synopsis = ANALYSIS_SYNOPSIS,
    .about =
        "Tests hypotheses about lost time: too much synchronization, uneven work, too small pieces of work, serial\n"
        "parts, too few processors, the runtime, blocking calls, garbage collection, memory, and the measurement.\n"
        "Those that are true are refined: where, which thread, why, and when. DIR is the trace's directory or its\n"
        ".otf2 file.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = own_options}, ANALYSIS_OPTIONS},
    .run = run,
};
