/*
 * Private to sequences/: the Chitra Specification Language, as text. The two forms of the thesis are accepted: the form
 * of its grammar (appendix A) and the form of its figure 5.3:
 *
 *     Program NAME ;  begin
 *     Setup :  maxcomps = N                                       or  maxcomponents = N
 *              Component 0-1 = 'Philosopher', 8, char ;           without `, char` in the grammar
 *              0 = Think, T ; 1 = Acq1, A1 ; ...                  without a code in the grammar; then the name is it
 *     Trace :  2720243847 <0, 7>  2720244697 <0, 1> ...           without <> in the grammar
 *     end .
 *
 * Heddle adds what neither has. In Setup, before maxcomps: `Clock = TICKS ;` (a second) and `Parameter NAME = VALUE ;`.
 * Behind the last record: `Until TIME`; then that record is not the terminal one, and the sequence ends at that time. A
 * name that is no identifier is quoted: 'it''s'; \xHH is a byte. A value that is not named has its number as its name.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_CSL_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_CSL_H

#include "analyzer/models/sequences/input.h"
#include "analyzer/models/sequences/stream.h"

/* Opens CSL text. Takes over the input, also on an error. NULL: an error. */
struct pes_stream *csl_open(struct input *input, struct error *error);

/* As pes_write(). */
bool csl_write(struct pes_stream *stream, const char *path, enum pes_form form, struct error *error);

#endif
