#include "analyzer/command/analysis.h"

#include "analyzer/command/sentences.h"
#include "analyzer/command/values.h"
#include "analyzer/findings/sarif.h"
#include "analyzer/findings/suggest/suggest.h"
#include "analyzer/findings/why/sums.h"
#include "analyzer/findings/why_live.h"
#include "analyzer/findings/why_show.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct why_own_options {
  uint64_t threshold;  /* percent; 0: the usual one */
  uint64_t for_ns;     /* 0: the usual time */
  bool sarif;          /* findings as SARIF in place of all else */
  const char *suggest; /* patches there in place of all else; NULL: none */
};

static double threshold_of(const struct why_own_options *options, double usual)
{
  return options->threshold ? (double)options->threshold : usual;
}

static int why_take_for(const struct option_given *given, void *into)
{
  struct why_own_options *options = into;
  if (!time_word_ns(given->value, &options->for_ns) || options->for_ns < WHY_LIVE_LEAST_NS)
    return command_usage(given->command, "--for %s: give a time of 1s or more: 5s, 1500ms, ...", given->value);
  return -1;
}

static bool print_why(const struct analysis_run *run, const struct run_analyses *all, const struct why *why)
{
  const struct imbalance *imbalance = all->results.imbalance;
  bool good = why_put(run, why, all->findings.first, all);
  restricted_put_executions(run, imbalance->excluded);
  return good && not_measured_put(run->print, run->trace, imbalance->not_measured,
                                  imbalance->not_measured + imbalance->lifetimes);
}

/* All findings that are worth a sentence, at their places. A deadlock is an error, others are advice. */
static bool why_put_sarif(const struct trace *trace, const struct findings *findings)
{
  struct sarif_result *results = calloc(findings->count + 1, sizeof *results);
  size_t count = 0;
  for (size_t i = 0; results && i < findings->count; i++) {
    const struct finding *finding = &findings->list[i];
    const struct trace_region *region = finding->region == TRACE_NONE ? NULL : &trace->regions[finding->region];
    if (finding->text)
      results[count++] =
          (struct sarif_result){finding_kind_name(finding->kind), finding->kind == FINDING_DEADLOCK ? "error" : "note",
                                finding->text, region ? region->file : "", region ? region->line : 0};
  }
  bool good = results && sarif_write(stdout, results, count);
  free(results);
  return good;
}

static bool why_work(const struct analysis_run *run, const void *own, struct error *error)
{
  struct run_analyses all;
  struct why why;
  const struct why_own_options *options = own;
  bool good = why_search(run->trace, run->pool, threshold_of(own, ACCOUNT_THRESHOLD), false, &all, &why, error);
  if (good && options->suggest)
    good = suggest_write(&all.results, &all.findings, options->suggest, error);
  else if (good)
    good = (options->sarif ? why_put_sarif(run->trace, &all.findings) : print_why(run, &all, &why)) ||
           error_set(error, "out of memory");
  why_free(&why);
  run_analyses_free(&all);
  return good;
}

/* A profile has sums alone. */
static bool why_work_on_profile(const struct analysis_run *run, const void *own, struct error *error)
{
  struct profiled profile;
  struct findings findings = {.list = NULL};
  struct why why = {.threshold = threshold_of(own, WHY_WORTH)};
  bool good = profiled_read(run->trace, run->pool, &profile, error);
  struct why_sums sums = {run->trace, &profile, NULL, true, "record without --profile"};
  if (good && ((const struct why_own_options *)own)->suggest)
    good = error_set(error, "--suggest needs a trace, not a profile");
  if (good)
    good = why_of_sums(&sums, why.threshold, &findings, &why) || error_set(error, "out of memory");
  if (good)
    good = (((const struct why_own_options *)own)->sarif ? why_put_sarif(run->trace, &findings)
                                                         : why_put(run, &why, findings.first, NULL)) ||
           error_set(error, "out of memory");
  why_free(&why);
  findings_free(&findings);
  profiled_free(&profile);
  return good;
}

static bool is_process(const char *operand)
{
  return *operand != '\0' && operand[strspn(operand, "0123456789")] == '\0' && access(operand, F_OK) != 0;
}

/* Behind `--` is a program; without it a file that can be executed is one. */
static bool is_program(char *const *operands)
{
  struct stat status;
  return strcmp(operands[-1], "--") == 0 ||
         (stat(operands[0], &status) == 0 && S_ISREG(status.st_mode) && access(operands[0], X_OK) == 0);
}

/* A running process in place of a trace, or a program to run. */
static int instead(const struct analysis_run *run, unsigned jobs, const void *own)
{
  const struct why_own_options *options = own;
  const char *operand = run->operands[0];
  bool program = is_program(run->operands), process = !program && run->operand_count == 1 && is_process(operand);
  if ((options->sarif || options->suggest) + (run->format != PRINT_TEXT) + (options->sarif && options->suggest) > 1)
    return command_usage(run->command, "one of --json, --csv, --sarif and --suggest is enough");
  if ((options->sarif || options->suggest) && (program || process))
    return command_usage(run->command, "--sarif and --suggest are for traces");
  if (!program && run->operand_count > 1)
    return command_usage(run->command, "one trace or process id, or -- PROGRAM [ARGUMENT]...");
  if (!program && !process)
    return options->for_ns
               ? command_usage(run->command, "--for is for running programs: give a process id, or -- PROGRAM")
               : -1;
  if (restriction_options_are_given(run->restriction))
    return command_usage(run->command, "--from, --to, --only-threads and --only-processes are for traces");
  struct why_live_options asked = {run->command, run->format, jobs, threshold_of(options, WHY_WORTH), options->for_ns};
  return program ? why_live_program((char **)run->operands, &asked) : why_live(operand, &asked);
}

static const struct command_option why_own_options[] = {
    {.name = "threshold",
     .argument = "PERCENT",
     .help = "a reason counts if it costs PERCENT of the run or more, a whole number (default: 3; running programs and "
             "profiles: 5)",
     .take = option_number,
     .at = offsetof(struct why_own_options, threshold),
     .least = 1,
     .most = 100},
    {.name = "for",
     .argument = "TIME",
     .help = "with PID or PROGRAM: watch it for at most this long, 1s or more (default: 10s)",
     .take = why_take_for},
    {.name = "sarif",
     .help = "SARIF 2.1.0 instead of text: the findings at their source lines; for traces",
     .take = option_flag,
     .at = offsetof(struct why_own_options, sarif)},
    {.name = "suggest",
     .argument = "PATH",
     .help = "instead: write patches of the source for findings with one obvious edit, into a directory, or all to a "
             "file; nothing is applied",
     .take = option_text,
     .at = offsetof(struct why_own_options, suggest)},
    {.name = NULL}};

const struct command command_why = {
    .name = "why",
    .group = COMMAND_LOOK,
    .summary = "searches for the reasons why threads do not do more work, and prints what was ruled out",
    .synopsis = "[OPTION]... DIR|PID|[--] PROGRAM [ARGUMENT]...",
    .about =
        "Tests hypotheses about lost time: too much synchronization, uneven work, too small pieces of work, serial\n"
        "parts, too few processors, the runtime, blocking calls, garbage collection, memory, and the measurement.\n"
        "True reasons are refined: where, which thread, why, and when. DIR is the trace's directory or its\n"
        ".otf2 file. PID is a running process that was started with `heddle record --live`: it is watched, and traced\n"
        "for short stretches, until the answer is sure. PROGRAM is started so, searched, and waited for; options of "
        "its\n"
        "own need the -- before it.\n",
    .operand = "one archive (a trace's directory or its .otf2 file) or process id, or a program",
    .least = 1,
    .options = {{.list = why_own_options}, ANALYSIS_OPTIONS},
    LOOK(.options_size = sizeof(struct why_own_options), .work = why_work, .work_on_profile = why_work_on_profile,
         .instead = instead),
};
