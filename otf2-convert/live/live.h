/*
 * Server of readings of a running process for `heddle live`. Each line on standard input requests a reading, which is
 * written to standard output (live_lines.h). The program's symbols are read once.
 *
 * Before a converter removes the files of a process that has ended, it lets each server make a final reading. A server
 * holds a shared lock on the directory of its process until then.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LIVE_H
#define HEDDLE_OTF2_CONVERT_LIVE_LIVE_H

#include "base/error.h"
#include "otf2-convert/plan/plan.h"

#include <stdbool.h>

/* Serves readings. directory: the process' own, in raw/. Returns at the end of the input, or after the final reading.
 * False: an error. */
bool live_serve(const char *directory, struct error *error);

/* Notifies the servers of all processes of the plan that these have ended, and waits for the final readings, at most
 * one second in all. */
void final_reading_allow(const struct plan *plan);

#endif
