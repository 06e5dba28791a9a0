#include "analyzer/analyses/omitted/omitted_show.h"

#include "analyzer/command/print/units.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_SAID 10
#define NUMBER_SIZE 64

/* Constructs with omitted executions, the construct with the most executions first. */
struct places {
  const struct omitted *omitted;
  uint32_t *list;
  size_t count;
};

static int omitted_show_compare(const void *a, const void *b, void *context)
{
  const struct omitted_construct *constructs = context;
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  uint64_t left_number = constructs[left].executions;
  uint64_t right_number = constructs[right].executions;
  return left_number != right_number ? (left_number < right_number ? 1 : -1) : (left > right) - (left < right);
}

/* False: out of memory. */
static bool find_places(const struct omitted *omitted, struct places *places)
{
  *places = (struct places){omitted, malloc((omitted->regions + 1) * sizeof *places->list), 0};
  for (uint32_t i = 0; places->list && omitted->constructs && i < omitted->regions; i++)
    if (omitted_in_part(&omitted->constructs[i]))
      places->list[places->count++] = i;
  if (places->count > 0)
    qsort_r(places->list, places->count, sizeof *places->list, omitted_show_compare, omitted->constructs);
  return places->list != NULL;
}

/* "30.8 million", "12,345". */
static const char *in_words(uint64_t number, char text[NUMBER_SIZE])
{
  if (number >= 999950000)
    snprintf(text, NUMBER_SIZE, "%.1f billion", (double)number / 1e9);
  else if (number >= 1000000)
    snprintf(text, NUMBER_SIZE, "%.1f million", (double)number / 1e6);
  else
    units_count(number, text);
  return text;
}

/* "1 in 64 is recorded". */
static const char *share_recorded(const struct omitted_construct *construct, char text[NUMBER_SIZE])
{
  uint64_t executions = construct->executions;
  double one_in = construct->recorded ? (double)executions / (double)construct->recorded : 0;
  if (construct->recorded == 0)
    snprintf(text, NUMBER_SIZE, "none is recorded");
  else if (one_in < 9.95)
    snprintf(text, NUMBER_SIZE, "1 in %.1f is recorded", one_in);
  else
    snprintf(text, NUMBER_SIZE, "1 in %.0f is recorded", one_in);
  return text;
}

/* False: out of memory. */
static bool say_place(const struct analysis_run *run, const struct omitted *omitted, uint32_t place)
{
  const struct omitted_construct *construct = &omitted->constructs[place];
  char number[NUMBER_SIZE], share[NUMBER_SIZE], *text;
  if (asprintf(&text, "%s: %s executions, %s.", run->trace->regions[place].name,
               in_words(construct->executions, number), share_recorded(construct, share)) < 0)
    return false;
  print_sentence(run->print, "omitted_in_part", text);
  free(text);
  return true;
}

static void omitted_show_put_table(const struct analysis_run *run, const struct places *places)
{
  static const struct print_column columns[] = {{"construct", "Construct", PRINT_STRING, false},
                                                {"executions", "Executions", PRINT_COUNT, false},
                                                {"recorded", "Recorded", PRINT_COUNT, false}};
  print_table(run->print, "omitted_in_part", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < places->count; i++) {
    const struct omitted_construct *construct = &places->omitted->constructs[places->list[i]];
    struct print_cell cells[] = {print_string(run->trace->regions[places->list[i]].name),
                                 print_number(construct->executions), print_number(construct->recorded)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

bool omitted_put_places(const struct analysis_run *run, const struct omitted *omitted)
{
  struct places places;
  bool good = find_places(omitted, &places);
  if (good && places.count > 0 && run->format != PRINT_TEXT)
    omitted_show_put_table(run, &places);
  for (size_t i = 0; good && run->format == PRINT_TEXT && i < places.count && i < PLACES_SAID; i++)
    good = say_place(run, omitted, places.list[i]);
  if (good && run->format == PRINT_TEXT && places.count > PLACES_SAID) {
    char text[NUMBER_SIZE];
    size_t more = places.count - PLACES_SAID;
    snprintf(text, sizeof text, "%zu further place%s only partly recorded.", more, more == 1 ? " is" : "s are");
    print_sentence(run->print, "omitted_in_part_more", text);
  }
  free(places.list);
  return good;
}

bool omitted_put_budget(const struct analysis_run *run, const struct budget *budget)
{
  char *text, share[UNITS_SIZE];
  if (!budget->text)
    return true;
  if (asprintf(&text, "Recording took %s of the threads' time (%s%s%s).",
               units_percent(print_percentage(budget->recording, budget->lifetimes), share),
               strcmp(budget->text, VALUE_BUDGET_NONE) == 0 ? "no budget" : "budget ",
               strcmp(budget->text, VALUE_BUDGET_NONE) == 0 ? "" : budget->text,
               budget->several ? "; other processes have other budgets" : "") < 0)
    return false;
  print_sentence(run->print, "recording_share", text);
  free(text);
  return true;
}

static bool is_loop(const struct trace *trace, uint32_t region)
{
  return trace->regions[region].role == OTF2_REGION_ROLE_LOOP;
}

bool omitted_sentence(const struct trace *trace, const struct omitted *omitted, bool loops, const char *what,
                      char **text)
{
  uint64_t executions = 0, recorded = 0, count = 0;
  char share[UNITS_SIZE], number[NUMBER_SIZE];
  *text = NULL;
  for (uint32_t i = 0; omitted->constructs && i < omitted->regions; i++) {
    if (!omitted_in_part(&omitted->constructs[i]) || (loops && !is_loop(trace, i)))
      continue;
    count++;
    executions += omitted->constructs[i].executions;
    recorded += omitted->constructs[i].recorded;
  }
  if (count == 0)
    return true;
  int size = asprintf(text,
                      "%s cover recorded executions only: %s of the %s executions of %" PRIu64
                      " partly recorded place%s are omitted (`heddle info` has the places).",
                      what, units_percent(print_percentage(executions - recorded, executions), share),
                      in_words(executions, number), count, count == 1 ? "" : "s");
  if (size < 0)
    *text = NULL;
  return size >= 0;
}

bool omitted_put_share(const struct analysis_run *run, const struct omitted *omitted, bool loops, const char *what)
{
  char *text;
  bool good = omitted_sentence(run->trace, omitted, loops, what, &text);
  if (text)
    print_sentence(run->print, "omitted_share", text);
  free(text);
  return good;
}
