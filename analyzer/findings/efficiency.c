#include "analyzer/findings/efficiency.h"

#include "base/count_of.h"

#include <stdio.h>
#include <stdlib.h>

/* Which factor a kind lowers. */
enum factor { FACTOR_NONE, FACTOR_BALANCE, FACTOR_SERIALIZATION, FACTOR_TRANSFER };

static const uint8_t factors[ACCOUNT_KINDS] = {[ACCOUNT_WORK] = FACTOR_NONE,
                                               [ACCOUNT_IMBALANCE] = FACTOR_BALANCE,
                                               [ACCOUNT_SERIAL] = FACTOR_SERIALIZATION,
                                               [ACCOUNT_TASKS] = FACTOR_SERIALIZATION,
                                               [ACCOUNT_SYNCHRONIZATION] = FACTOR_SERIALIZATION,
                                               [ACCOUNT_BLOCKED] = FACTOR_SERIALIZATION,
                                               [ACCOUNT_THREADS] = FACTOR_SERIALIZATION,
                                               [ACCOUNT_FOREVER] = FACTOR_SERIALIZATION,
                                               [ACCOUNT_OUTSIDE] = FACTOR_SERIALIZATION,
                                               [ACCOUNT_GRAIN] = FACTOR_TRANSFER,
                                               [ACCOUNT_PROCESSORS] = FACTOR_TRANSFER,
                                               [ACCOUNT_COLLECTION] = FACTOR_TRANSFER,
                                               [ACCOUNT_MEMORY] = FACTOR_TRANSFER,
                                               [ACCOUNT_RUNTIME] = FACTOR_TRANSFER,
                                               [ACCOUNT_MEASUREMENT] = FACTOR_TRANSFER,
                                               [ACCOUNT_UNKNOWN] = FACTOR_TRANSFER};

static double part(unsigned __int128 of, unsigned __int128 whole)
{
  return whole ? 100 * (double)of / (double)whole : 100;
}

struct efficiency efficiency_of(const unsigned __int128 ticks[ACCOUNT_KINDS])
{
  unsigned __int128 sums[FACTOR_TRANSFER + 1] = {0};
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    for (unsigned factor = factors[i]; factor <= FACTOR_TRANSFER; factor++)
      sums[factor] += ticks[i];
  return (struct efficiency){.parallel = part(sums[FACTOR_NONE], sums[FACTOR_TRANSFER]),
                             .balance = part(sums[FACTOR_NONE], sums[FACTOR_BALANCE]),
                             .serialization = part(sums[FACTOR_BALANCE], sums[FACTOR_SERIALIZATION]),
                             .transfer = part(sums[FACTOR_SERIALIZATION], sums[FACTOR_TRANSFER])};
}

struct efficiency_region {
  uint32_t region;
  unsigned __int128 all, ticks[ACCOUNT_KINDS];
};

static int compare_regions(const void *of_a, const void *of_b)
{
  const struct efficiency_region *a = of_a, *b = of_b;
  if (a->all != b->all)
    return a->all < b->all ? 1 : -1;
  return (a->region > b->region) - (a->region < b->region);
}

/* What was booked in each parallel region. NULL: no memory. */
static struct efficiency_region *sum_regions(const struct run_analyses *all)
{
  const struct account *account = all->results.account;
  const struct trace *trace = all->results.trace;
  struct efficiency_region *regions = calloc((size_t)trace->region_count + 1, sizeof *regions);
  for (uint32_t i = 0; regions && i < trace->region_count; i++)
    regions[i].region = i;
  for (size_t i = 0; regions && i < account->cause_count; i++) {
    const struct account_cause *cause = &account->causes[i];
    bool is_parallel = cause->place != TRACE_NONE && trace->regions[cause->place].role == OTF2_REGION_ROLE_PARALLEL;
    uint32_t region = cause->place == TRACE_NONE || is_parallel ? cause->place : account->within[cause->place];
    if (region == TRACE_NONE)
      continue;
    regions[region].ticks[cause->kind] += cause->ticks;
    regions[region].all += cause->ticks;
  }
  if (regions)
    qsort(regions, trace->region_count, sizeof *regions, compare_regions);
  return regions;
}

static bool put_regions(const struct analysis_run *run, const struct run_analyses *all)
{
  static const struct print_column columns[] = {{"region", "Region", PRINT_STRING, false},
                                                {"file", "File", PRINT_STRING, false},
                                                {"line", "Line", PRINT_NUMBER, false},
                                                {"percent", "of the account", PRINT_REAL, false},
                                                {"parallel", "Efficiency", PRINT_REAL, false},
                                                {"load_balance", "Load balance", PRINT_REAL, false},
                                                {"serialization", "Serialization", PRINT_REAL, false},
                                                {"transfer", "Transfer", PRINT_REAL, false}};
  struct efficiency_region *regions = sum_regions(all);
  if (!regions)
    return false;
  print_table(run->print, "regions", NULL, columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < run->trace->region_count && regions[i].all > 0; i++) {
    const struct trace_region *region = &run->trace->regions[regions[i].region];
    struct efficiency of = efficiency_of(regions[i].ticks);
    struct print_cell cells[] = {print_string(region->name),
                                 *region->file ? print_string(region->file) : print_none(),
                                 region->line ? print_number(region->line) : print_none(),
                                 print_real(account_percent(all->results.account, regions[i].all)),
                                 print_real(of.parallel),
                                 print_real(of.balance),
                                 print_real(of.serialization),
                                 print_real(of.transfer)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
  free(regions);
  return true;
}

bool efficiency_show(const struct analysis_run *run, const struct run_analyses *all)
{
  static const struct print_column columns[] = {{"parallel", "Efficiency", PRINT_REAL, false},
                                                {"load_balance", "Load balance", PRINT_REAL, false},
                                                {"serialization", "Serialization", PRINT_REAL, false},
                                                {"transfer", "Transfer", PRINT_REAL, false}};
  const struct account *account = findings_account(&all->results);
  if (!account)
    return true;
  struct efficiency of = efficiency_of(account->ticks);
  if (run->format == PRINT_JSON) {
    struct print_cell cells[] = {print_real(of.parallel), print_real(of.balance), print_real(of.serialization),
                                 print_real(of.transfer)};
    print_object(run->print, "efficiency", columns, COUNT_OF(columns), cells);
    return put_regions(run, all);
  }
  char text[160];
  snprintf(text, sizeof text,
           "Parallel efficiency: %.1f %% = load balance %.1f %% x serialization %.1f %% x transfer %.1f %%.",
           of.parallel, of.balance, of.serialization, of.transfer);
  if (run->format == PRINT_TEXT)
    print_sentence(run->print, "efficiency", text);
  return true;
}
