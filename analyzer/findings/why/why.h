/*
 * Search for reasons why threads do not do more of the program's work: hypotheses, tested with the figures of all
 * subjects, as a tree.
 *
 * The root is the hypothesis that the threads could do more. Its children are kinds of reasons; the figure of each is
 * the account's share. Without account, it is what its findings (findings/findings.h) could win together, at most the
 * run. A kind that is true has a child for each of its findings (where). Each finding has
 * children that refine it: which thread, why, and when in the run.
 *
 * A hypothesis is true if its figure reaches the threshold. If executions are not recorded, the figure's 95 % interval
 * decides. The hypothesis is true if the whole interval reaches the threshold, likely if the estimate does, false if no
 * part does. Unknown: that is undecided, or the trace does not have what the test needs; the text then says what to
 * record.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_WHY_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_WHY_H

#include "analyzer/findings/why/nodes.h"
#include "analyzer/findings/why/windows.h"

#define WHY_WORTH 5.0 /* percent of the run: the usual threshold where there is no account */

/* Tests all hypotheses. `windows`: the result of windows_analysis of the same pass. `findings` outlive the tree. False:
 * no memory. Free with why_free(), also then. */
bool why_find(const struct analysis_results *of, const struct windows *windows, const struct findings *findings,
              double threshold, struct why *why);
void why_free(struct why *why);

/* "true", "likely", "ruled out", "unknown"; "where", "who", ...: for people and for programs. */
const char *why_verdict_name(enum why_verdict verdict);
const char *why_aspect_name(enum why_aspect aspect);

/*
 * Joins the trees of two searches in the same time: a search in a trace, and a search in sums. A trace may lack
 * constructs that began before it, and executions that its budget omitted. Sums lack the order of events, but have all
 * executions.
 */

/*
 * Adds the places of `sums` that reach the threshold, are no guesses, and are not in `why`, with their kinds. Takes
 * from `sums` the exact figures: serial parts and the root. The trees share findings afterwards. False: no memory.
 */
bool why_complete(struct why *why, const struct why *sums);

#endif
