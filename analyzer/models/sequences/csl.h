/*
 * Private to pes/: the Chitra Specification Language, as text. Both forms of the thesis are read, that of its grammar
 * (appendix A) and that of its figure 5.3:
 *
 *     Program NAME ;  begin
 *     Setup :  maxcomps = N                                       or  maxcomponents = N
 *              Component 0-1 = 'Philosopher', 8, char ;           without `, char` in the grammar
 *              0 = Think, T ; 1 = Acq1, A1 ; ...                  without a code in the grammar; then the name is it
 *     Trace :  2720243847 <0, 7>  2720244697 <0, 1> ...           without <> in the grammar
 *     end .
 *
 * Heddle adds what neither has. In Setup, before maxcomps: `Clock = TICKS ;` (a second) and `Parameter NAME = VALUE ;`;
 * behind the last record `Until TIME`: then that record is not the terminal one, and the sequence ends at that time.
 * A name that is no identifier is quoted: 'it''s'; \xHH is a byte. A value that is not named has its number as its
 * name.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_CSL_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_CSL_H

#include "analyzer/models/sequences/input.h"
#include "analyzer/models/sequences/stream.h"

enum csl_token { CSL_END, CSL_NUMBER, CSL_WORD, CSL_QUOTED, CSL_SIGN, CSL_BAD };

enum { CSL_TEXT_LIMIT = 1 << 16 };

struct csl_lexer {
  struct input input;
  uint64_t line;
  enum csl_token token; /* the one to look at */
  uint64_t number;      /* NUMBER */
  char sign;            /* SIGN: one of ; : . , = < > - */
  char *text;           /* WORD, QUOTED: what it says; room for CSL_TEXT_LIMIT + 1 */
};

/* Goes on to the next token. False: an error (a token that is none, or reading failed). */
bool csl_advance(struct csl_lexer *lexer, struct error *error);

/* An error at this line: `FILE:LINE: message`. Returns false. */
__attribute__((format(printf, 3, 4))) bool csl_fail(const struct csl_lexer *lexer, struct error *error,
                                                    const char *format, ...);

bool csl_is_sign(const struct csl_lexer *lexer, char sign);
/* In any case of letters. */
bool csl_is_word(const struct csl_lexer *lexer, const char *word);

/* Takes a sign, which must be there. False: an error. */
bool csl_expect(struct csl_lexer *lexer, char sign, struct error *error);
/* Takes it if it is there. False: an error. */
bool csl_skip(struct csl_lexer *lexer, char sign, struct error *error);
/* Takes a number, which must be there: not below 0, or with a sign. `what` is what it should be. False: an error. */
bool csl_take_number(struct csl_lexer *lexer, uint64_t *number, const char *what, struct error *error);
bool csl_take_integer(struct csl_lexer *lexer, int64_t *number, const char *what, struct error *error);

/* Everything up to and with `Trace :`; the lexer is in front of the first record. NULL: an error. */
struct pes_program *csl_take_setup(struct csl_lexer *lexer, struct error *error);

/* Takes over the input, also on an error. */
struct pes_stream *csl_open(struct input *input, struct error *error);

/* As pes_write(). */
bool csl_write(struct pes_stream *stream, const char *path, enum pes_form form, struct error *error);

#endif
