/*
 * A specification: events with their attributes, intervals between them, constants and assertions (docs/intervals.md).
 * spec_parse() makes the tree as it is written; plan.h finds what names mean, and fills in the members below `check`.
 * All memory is the specification's; texts end with zero. One thread at a time.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_SPEC_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_SPEC_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPEC_NONE UINT32_MAX

struct spec_place {
  uint32_t line, column; /* both from 1; the column counts bytes */
};

/* TIME is a length of time, or a time since the run's begin. ANY: known only when the trace is read. */
enum spec_type { SPEC_INTEGER, SPEC_REAL, SPEC_TEXT, SPEC_TIME, SPEC_BOOLEAN, SPEC_ANY };

struct spec_attribute {
  const char *name;
  enum spec_type type; /* INTEGER, REAL or TEXT */
  struct spec_place place;
  struct spec_attribute *next;
};

enum spec_symbol { SPEC_NO_SYMBOL, SPEC_PLUS, SPEC_X, SPEC_BOX, SPEC_DIAMOND };

/*
 * An event that the specification declares, the one place that says which attributes it has. Behind these are events
 * that intervals use without a declaration: quoted names, and Heddle's own (words.h).
 */
struct spec_event {
  const char *name;
  struct spec_place place;
  struct spec_attribute *attributes; /* in their order */
  uint32_t attribute_count;
  enum spec_symbol symbol;
  const char *offset; /* of the symbol: a number or a name; NULL: none */
  bool declared;      /* false: `attributes` is empty, and any may be asked for */
  bool quoted;        /* not declared: the name was in quotes */
  struct spec_event *next;
  uint32_t index; /* check: from 0, in the order of the list */
};

enum spec_op {
  SPEC_OP_INTEGER, /* literals */
  SPEC_OP_REAL,
  SPEC_OP_TEXT,
  SPEC_OP_TIME,      /* `real` is in ns */
  SPEC_OP_NAME,      /* a constant; after the check it is its value */
  SPEC_OP_ATTRIBUTE, /* name.attribute */
  SPEC_OP_FIGURE,    /* name(attribute): a figure of an interval, or of two in assertions */
  SPEC_OP_OR,
  SPEC_OP_AND,
  SPEC_OP_NOT,
  SPEC_OP_EQ,
  SPEC_OP_NE,
  SPEC_OP_LT,
  SPEC_OP_LE,
  SPEC_OP_GT,
  SPEC_OP_GE,
  SPEC_OP_ADD,
  SPEC_OP_SUBTRACT,
  SPEC_OP_MULTIPLY,
  SPEC_OP_DIVIDE,
  SPEC_OP_NEGATE
};

/* Owner of an attribute: the start, the end, an event between them, or the interval itself. */
enum spec_side { SPEC_START, SPEC_END, SPEC_BETWEEN, SPEC_INTERVAL, SPEC_SIDES };

struct spec_expr {
  enum spec_op op;
  struct spec_place place;
  struct spec_expr *left, *right; /* of operators; NOT and NEGATE have only `left` */
  const char *name, *attribute;   /* NAME, ATTRIBUTE, FIGURE; TEXT: the text is `name` */
  int64_t integer;                /* INTEGER */
  double real;                    /* REAL, TIME; FIGURE: its argument */
  uint32_t depth;                 /* depth of the tree below, from 1 */
  enum spec_type type;            /* check */
  enum spec_side side;            /* check: of an attribute */
  uint32_t slot;                  /* check: of an attribute: index in the specification's `slots`, or of enum
                                     spec_metric; FIGURE: index of the interval */
  unsigned figure;                /* check: of enum spec_figure */
};

/* An interval's own attributes, and figures of all intervals of a kind, in assertions. */
enum spec_metric { SPEC_M_TIME, SPEC_M_BEGIN, SPEC_M_END, SPEC_M_FROM, SPEC_M_TO, SPEC_METRICS };
enum spec_figure {
  SPEC_F_COUNT,
  SPEC_F_UNMATCHED_STARTS,
  SPEC_F_UNMATCHED_ENDS,
  SPEC_F_TOTAL,
  SPEC_F_MEAN,
  SPEC_F_DEVIATION,
  SPEC_F_MIN,
  SPEC_F_MAX,
  SPEC_FIGURES
};

enum spec_direction { SPEC_FORWARD, SPEC_BACKWARD };

/* One end of an interval, as it is written: [label:] event. */
struct spec_end {
  const char *label; /* NULL: none; then the event's name stands for it */
  const char *name;  /* of the event */
  bool quoted;
  struct spec_place place;
  struct spec_event *event; /* check */
};

/* No such event may lie between start and end. */
struct spec_between {
  struct spec_end end;
  struct spec_expr *where; /* condition on it and the start; NULL: any thread, or with same_thread set, the same
                            * thread */
  struct spec_between *next;
  struct spec_expr *condition; /* check: what `where` means */
};

enum spec_choice { SPEC_FIRST, SPEC_LAST, SPEC_NTH }; /* choice among the events that the search finds, in its order */
enum spec_line { SPEC_NO_LINE, SPEC_LINE, SPEC_RECTANGLE };

struct spec_interval {
  const char *name;
  struct spec_place place;
  struct spec_end left, right; /* as written */
  enum spec_direction direction;
  bool match;               /* all attributes of both ends are equal */
  struct spec_expr *where;  /* NULL: none */
  struct spec_expr *within; /* a length of time; NULL: unlimited */
  struct spec_between *between;
  enum spec_choice choice;
  uint64_t nth;       /* number for SPEC_NTH, from 1 */
  bool consume;       /* an event that was found is not found again */
  const char *anchor; /* the label of the event where the search begins; NULL: by the direction */
  struct spec_place anchor_place;
  enum spec_line line;
  struct spec_interval *next;
  uint32_t index; /* check: from 0 */
  /* check: which of `left` and `right` is the earlier event, and which one the search begins with */
  const struct spec_end *start, *end;
  bool from_end;               /* the search begins with the end, backward in time */
  bool same_thread;            /* neither `match` nor `where`: both ends are of one thread */
  struct spec_expr *condition; /* all that start and end must fulfil; NULL: nothing */
  double limit;                /* ns, of `within`; 0: unlimited */
};

/* For all intervals of one kind; or once, over figures of intervals. */
struct spec_assertion {
  struct spec_place place;
  const char *text;     /* as written, for people */
  const char *variable; /* NULL: the interval's name stands for it */
  const char *interval; /* NULL: see the check */
  struct spec_place interval_place;
  struct spec_expr *condition;
  struct spec_assertion *next;
  struct spec_interval *of; /* check; NULL: it holds once */
};

struct spec_constant {
  const char *name;
  struct spec_place place;
  struct spec_expr *value;
  struct spec_constant *next;
  bool given; /* on the command line */
};

/* What the matcher must know of an event: one of the attributes by which intervals ask. */
struct spec_slot {
  const char *name;
  bool intrinsic; /* every event has it; else it is recorded with the event */
};

struct spec_block; /* memory */

struct spec {
  const char *file; /* as in messages */
  const char *name; /* of the first block `graze NAME ... end NAME.`; NULL: there is none */
  struct spec_event *events;
  struct spec_interval *intervals;
  struct spec_assertion *assertions;
  struct spec_constant *constants;
  struct spec_event **events_end; /* where the next one is put; likewise below */
  struct spec_interval **intervals_end;
  struct spec_assertion **assertions_end;
  struct spec_constant **constants_end;
  struct spec_block *blocks;
  struct spec_slot *slots; /* check */
  uint32_t slot_count, event_count, interval_count;
};

/* Reads a specification. NULL: an error, `FILE:LINE:COLUMN: what is there, and what was expected`. */
struct spec *spec_read(const char *path, struct error *error);
/* The same of a text; `file` stands in messages. */
struct spec *spec_parse(const char *file, const char *text, size_t size, struct error *error);
void spec_free(struct spec *spec);

/* Memory that lasts as long as the specification, zeroed. NULL: out of memory. */
void *spec_allocate(struct spec *spec, size_t size);

/* Sets `FILE:LINE:COLUMN: ...`; returns false. */
__attribute__((format(printf, 4, 5))) bool spec_error(const struct spec *spec, struct spec_place place,
                                                      struct error *error, const char *format, ...);

/* "integer", "real", ... */
const char *spec_type_name(enum spec_type type);

/* Heddle's own events, and attributes that every event has. */

/* What Heddle's own events are in an archive. */
enum own_kind { OWN_BEGIN, OWN_END, OWN_ACQUIRE, OWN_RELEASE, OWN_TASK_CREATE, OWN_TASK_SWITCH, OWN_TASK_END };

struct own_event {
  const char *name;
  enum own_kind kind;
  const char *region; /* of BEGIN and END: its name, without the place; NULL: any */
};

/* NULL: the name is none of them. */
const struct own_event *own_event_find(const char *name);
/* "unpark, chunk, ...", for messages. */
const char *own_event_names(void);

/* Quoted names: "begin of NAME", "end of NAME", and "NAME" alone, which is its begin. */
struct own_event own_event_of_quoted(const char *quoted);

/* Attributes that every event has. */
enum intrinsic {
  INTRINSIC_THREAD,
  INTRINSIC_TIME,
  INTRINSIC_PROCESS,
  INTRINSIC_MEMBER,
  INTRINSIC_CONSTRUCT,
  INTRINSIC_LINE,
  INTRINSIC_FILE,
  INTRINSIC_FUNCTION,
  INTRINSIC_THREAD_NAME,
  INTRINSIC_TARGET, /* these three: for Heddle's own events, in an attribute of the archive or in the event itself */
  INTRINSIC_LOCK,
  INTRINSIC_TASK,
  INTRINSICS
};

struct intrinsic_word {
  const char *name;
  enum spec_type type;
};
extern const struct intrinsic_word intrinsics[INTRINSICS];

/* What lexer and grammar share while they read a specification. */

/* Where a token or a rule stands in the text: its first byte, and the bytes from `begin` to `end`. */
struct spec_span {
  struct spec_place place;
  size_t begin, end;
};

struct spec_reader {
  struct spec *spec;
  const char *text; /* whole */
  struct error *error;
  bool failed;                      /* `error` has the first mistake */
  struct spec_place at;             /* position of the next token, for the lexer */
  size_t offset;                    /* likewise */
  struct spec_interval *interval;   /* the last one, which options belong to */
  struct spec_assertion *assertion; /* likewise */
};

/* Reads the text, which ends with zeros behind its `size` bytes, and changes it meanwhile. False: a mistake, or out of
 * memory, which has no message. */
#define READER_MARKS 2 /* zeros */
bool reader_scan(struct spec_reader *reader, char *text, size_t size);

/* For the lexer and the grammar; the first message counts. */
__attribute__((format(printf, 3, 4))) void reader_fail(struct spec_reader *reader, struct spec_place place,
                                                       const char *format, ...);

/* Memory for `type`, or NULL after a message. */
#define reader_new(reader, type) ((type *)reader_allocate(reader, sizeof(type)))
void *reader_allocate(struct spec_reader *reader, size_t size);

/* A part of the text, and the text of a token, as a text that lasts; NULL after a message. */
const char *reader_text(struct spec_reader *reader, size_t begin, size_t end);
const char *reader_word(struct spec_reader *reader, const struct spec_span *span);

/* Nodes of the tree; NULL after a message, or if an operand is NULL. */
struct spec_expr *reader_literal(struct spec_reader *reader, enum spec_op op, struct spec_place place);
struct spec_expr *reader_operator(struct spec_reader *reader, enum spec_op op, struct spec_place place,
                                  struct spec_expr *left, struct spec_expr *right);

#endif
