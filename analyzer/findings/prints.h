/*
 * Output of the analyzing commands, as functions: commands print to stdout, a report keeps the text. Each prints to
 * run->print in run->format. False: out of memory.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_PRINTS_H
#define HEDDLE_ANALYZER_FINDINGS_PRINTS_H

#include "analyzer/analyses/locks/deadlocks/deadlocks.h"
#include "analyzer/analyses/tasks/tasks.h"
#include "analyzer/analyses/waits/callers/callers.h"
#include "analyzer/analyses/waits/waits.h"
#include "analyzer/command/analysis.h"
#include "analyzer/findings/all_analyses.h"
#include "analyzer/findings/findings.h"
#include "analyzer/models/spectrum/spectrum.h"

/* The commands that use all analyses: makes them, and prints. `print` returns false if out of memory. False: an error.
 */
bool run_analyses_print(const struct analysis_run *run, const struct run_analyses_options *options,
                        bool (*print)(const struct analysis_run *run, const struct run_analyses *all, const void *own),
                        const void *own, struct error *error);

bool info_put(const struct analysis_run *run, const struct census *census, const struct omitted *omitted,
              const struct overhead *overhead, const struct budget *budget, const struct deadlocks *deadlocks);

bool states_put(const struct analysis_run *run, const struct states_sums *sums, bool by_region);

/* `waits`: only if run_analyses() had the option `imbalance.waits`. */
bool imbalance_put(const struct analysis_run *run, const struct run_analyses *all, bool threads);

/* Prints at most `top` locks; 0: the default of the format. */
bool locks_put(const struct analysis_run *run, const struct run_analyses *all, size_t top);

/* Prints at most `top` places, or parts of each path; 0: the default of the format. */
bool waits_put(const struct analysis_run *run, const struct run_analyses *all, const struct waits *waits, size_t top);
bool critical_path_put(const struct analysis_run *run, const struct critical_paths *paths, const struct waits *waits,
                       size_t top);

bool schedule_put(const struct analysis_run *run, const struct run_analyses *all);

/* `tasks`: the result of tasks_analysis. Prints at most `top` sites; 0: the default of the format. */
bool tasks_put(const struct analysis_run *run, const struct run_analyses *all, const struct tasks *tasks, size_t top);

/* How a spectrum was made, and what to show of it. */
struct spectrum_shown {
  struct spectrum_options compute;
  const char *signal; /* as the user wrote it */
  uint64_t bins;      /* 0: none */
};

bool spectrum_put(struct print *print, enum print_format format, const struct spectrum *spectrum,
                  const struct pes_program *program, const struct spectrum_shown *shown);

/* The findings, as imbalance, locks and schedule print them: all three print the same sentences. */

/* Prints the first sentence; in JSON what it is about, the account, and all findings, as text the largest of them. CSV
 * has only the table of the command. */
void findings_show(const struct analysis_run *run, const struct run_analyses *all);

/* The first sentence, and in JSON what it is about and the account; for commands with other findings of their own. */
void findings_say_first(const struct analysis_run *run, const struct run_analyses *all);

/* For programs: an object `first`, and a table `account` with all kinds. For people the table alone, if `shows`.
 * Nothing if the run has no account. */
void account_show(const struct analysis_run *run, const struct run_analyses *all, bool shows);

/* A sentence: what a kind of the account loses, and where. Nothing if it is less than a hundredth. */
void account_say_kind(const struct analysis_run *run, const struct run_analyses *all, enum account_kind kind);

/* Two tables, of pools and of their threads; nothing in text if there are none. */
void pools_put(const struct analysis_run *run, const struct tasks *tasks);
/* A sentence for each thing that stands out, in text. */
void pools_put_sentences(const struct analysis_run *run, const struct tasks *tasks);

/* A table `deadlocks`, and a table `waiting` of what else waited when a run was killed; each if it has rows. */
void deadlocks_show(const struct analysis_run *run, const struct deadlocks *deadlocks);
/* A sentence for each of them, for commands that print no findings. False: no memory. */
bool deadlocks_say(const struct analysis_run *run, const struct deadlocks *deadlocks);

/* Prints the first `shown` groups; `group`: the key of their number, NULL: there is one group. Prints nothing if the
 * trace has no callers. */
void callers_show(const struct analysis_run *run, const struct callers *callers, const char *group, size_t shown);

#endif
