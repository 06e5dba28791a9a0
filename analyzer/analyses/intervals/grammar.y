/*
 * The grammar of specifications: that of the thesis (docs/intervals.md), with semicolons, several blocks, and what its
 * authors wished for. Actions build the tree of spec.h; what names mean is found later (plan.h).
 */
%code top {
#include "analyzer/analyses/intervals/spec.h"
}
%code requires {
}
%code provides {
#define YY_DECL int grammar_lex(GRAMMAR_STYPE *yylval_param, struct spec_span *yylloc_param, void *yyscanner)
YY_DECL;
}
%code {
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The place of a rule is that of its first part, or the end of what came before. */
#define YYLLOC_DEFAULT(now, parts, count)                                                                              \
  do {                                                                                                                 \
    if (count) {                                                                                                       \
      (now).place = YYRHSLOC(parts, 1).place;                                                                          \
      (now).begin = YYRHSLOC(parts, 1).begin;                                                                          \
      (now).end = YYRHSLOC(parts, count).end;                                                                          \
    } else {                                                                                                           \
      (now) = YYRHSLOC(parts, 0);                                                                                      \
      (now).begin = (now).end;                                                                                         \
    }                                                                                                                  \
  } while (0)

static void grammar_error(const struct spec_span *span, struct spec_reader *reader, void *scanner, const char *message);

/* The memory is short, or a part of the tree was not made for it: the message is there. */
#define MUST(made)                                                                                                     \
  do {                                                                                                                 \
    if (!(made))                                                                                                       \
      YYABORT;                                                                                                         \
  } while (0)
static bool set_where(struct spec_reader *reader, struct spec_place place, struct spec_expr *where)
{
  if (reader->interval->where)
    reader_fail(reader, place, "the interval has two conditions: join them with `&&`");
  else
    reader->interval->where = where;
  return !reader->failed;
}

/* For all intervals of a kind. */
static bool set_assertion(struct spec_reader *reader, const char *variable, const char *kind,
                          const struct spec_span *span, struct spec_expr *condition)
{
  reader->assertion = reader_new(reader, struct spec_assertion);
  if (reader->assertion)
    *reader->assertion = (struct spec_assertion){
        .variable = variable, .interval = kind, .interval_place = span->place, .condition = condition};
  return reader->assertion;
}

#define APPEND(list, item)                                                                                             \
  do {                                                                                                                 \
    *reader->spec->list##_end = (item);                                                                                \
    reader->spec->list##_end = &(item)->next;                                                                          \
  } while (0)
}

%define api.pure full
%define api.prefix {grammar_}
%define api.symbol.prefix {SYMBOL_}
%define api.token.prefix {T_}
%define api.location.type {struct spec_span}
%define parse.error custom
%define parse.lac full
%locations
%parse-param {struct spec_reader *reader}
%param {void *scanner}
%initial-action { @$ = (struct spec_span){.place = {1, 1}}; }

%union {
  const char *text;
  int64_t integer;
  double real;
  struct spec_attribute *attributes;
  struct spec_event *event;
  struct spec_expr *expr;
  struct spec_end end;
  enum spec_symbol symbol;
  enum spec_line line;
  enum spec_type type;
  enum spec_direction direction;
}

%token END_OF_FILE 0 "the end of the file"
%token MISTAKE "a mistake"
%token GRAZE "`graze`" EVENT "`event`" END_WORD "`end`" INTERVAL_WORD "`interval`" SYMBOL_WORD "`symbol`"
%token CONNECTION "`connection`" PLUS_WORD "`plus`" X_WORD "`x`" BOX_WORD "`box`" DIAMOND_WORD "`diamond`"
%token LINE_WORD "`line`" RECTANGLE_WORD "`rectangle`" WHERE "`where`" MATCH "`Match`" CONST "`const`"
%token ASSERT "`assert`" WITHIN "`within`" NO "`no`" BETWEEN_WORD "`between`" FIRST_WORD "`first`" LAST_WORD "`last`"
%token NTH_WORD "`nth`" CONSUME "`consume`" REUSE "`reuse`" ANCHOR "`anchor`"
%token ARROW "`->`" BACK_ARROW "`<-`" AND "`&&`" OR "`||`" EQUAL "`==`" UNEQUAL "`!=`" AT_MOST "`<=`" AT_LEAST "`>=`"
%token <text> WORD "a name" QUOTED "a quoted text"
%token <integer> WHOLE_NUMBER "a whole number"
%token <real> REAL_NUMBER "a number" TIME_NUMBER "a time with a unit (ns, us, ms, s, min)"

%type <text> name any_name offset
%type <attributes> attributes attribute_list attribute
%type <type> attribute_type
%type <symbol> symbol
%type <event> symbol_or_none
%type <line> connection connection_kind
%type <direction> direction
%type <end> event_of_interval event_name
%type <expr> expr braces between_where duration

%left OR
%left AND
%precedence '!'
%nonassoc EQUAL UNEQUAL '=' '<' '>' AT_MOST AT_LEAST
%left '+' '-'
%left '*' '/'
%precedence NEGATIVE

%%

specification: items ;

items: %empty | items item ;

item: GRAZE name { if (!reader->spec->name) reader->spec->name = $name; }
    | END_WORD block_name point
    | ';'
    | event
    | CONST name '=' expr {
        struct spec_constant *constant = reader_new(reader, struct spec_constant);
        MUST(constant && $expr);
        *constant = (struct spec_constant){.name = $name, .place = @name.place, .value = $expr};
        APPEND(constants, constant);
      }
    | interval
    | ';' braces {
        /* `= line;` before the braces, as the thesis prints it */
        if (!reader->interval || reader->interval->where) {
          reader_fail(reader, @braces.place, "unexpected `{`: no interval without a condition is in front of it");
          YYABORT;
        }
        reader->interval->where = $braces;
      } again
    | assertion point
    ;

point: %empty | '.' ;

again: %empty | '=' connection { if ($connection != SPEC_NO_LINE) reader->interval->line = $connection; } ;

block_name: %empty | name ;

/* Events: event NAME [(ATTRIBUTES)] [= SYMBOL] */

event: EVENT name attributes symbol_or_none[shape] {
         struct spec_event *event = $shape;
         event->name = $name;
         event->place = @name.place;
         event->attributes = $attributes;
         event->declared = true;
         for (const struct spec_attribute *a = $attributes; a; a = a->next)
           event->attribute_count++;
         APPEND(events, event);
       } ;

symbol_or_none: %empty { MUST($$ = reader_new(reader, struct spec_event)); }
    | '=' { MUST($$ = reader_new(reader, struct spec_event)); }
    | '=' SYMBOL_WORD '(' ')' { MUST($$ = reader_new(reader, struct spec_event)); }
    | '=' symbol offset {
        MUST($$ = reader_new(reader, struct spec_event));
        $$->symbol = $symbol;
        $$->offset = $offset;
      }
    | '=' SYMBOL_WORD '(' symbol offset ')' {
        MUST($$ = reader_new(reader, struct spec_event));
        $$->symbol = $symbol;
        $$->offset = $offset;
      }
    ;

symbol: PLUS_WORD { $$ = SPEC_PLUS; } | X_WORD { $$ = SPEC_X; } | BOX_WORD { $$ = SPEC_BOX; }
    | DIAMOND_WORD { $$ = SPEC_DIAMOND; } ;
offset: %empty { $$ = NULL; } | WORD
    | WHOLE_NUMBER {
        char *text = reader_allocate(reader, 24);
        MUST(text);
        snprintf(text, 24, "%lld", (long long)$WHOLE_NUMBER);
        $$ = text;
      }
    | '-' WHOLE_NUMBER {
        char *text = reader_allocate(reader, 24);
        MUST(text);
        snprintf(text, 24, "-%lld", (long long)$WHOLE_NUMBER);
        $$ = text;
      }
    ;

attributes: %empty { $$ = NULL; } | '(' ')' { $$ = NULL; } | '(' attribute_list ')' { $$ = $attribute_list; } ;
/* The grammar of the thesis has no commas, its examples have. */
attribute_list: attribute
    | attribute attribute_list[more] { $1->next = $more; $$ = $1; }
    | attribute ',' attribute_list[more] { $1->next = $more; $$ = $1; }
    ;
attribute: name attribute_type {
      MUST($$ = reader_new(reader, struct spec_attribute));
      *$$ = (struct spec_attribute){.name = $name, .type = $attribute_type, .place = @name.place};
    } ;
attribute_type: %empty { $$ = SPEC_INTEGER; }
    | ':' WORD {
        const char *type = $WORD;
        if (strcmp(type, "int") == 0 || strcmp(type, "integer") == 0)
          $$ = SPEC_INTEGER;
        else if (strcmp(type, "real") == 0 || strcmp(type, "double") == 0)
          $$ = SPEC_REAL;
        else if (strcmp(type, "text") == 0 || strcmp(type, "string") == 0)
          $$ = SPEC_TEXT;
        else {
          reader_fail(reader, @WORD.place, "`%s` is not a type: int, real or text expected", type);
          YYABORT;
        }
      }
    ;

/* Intervals: interval NAME [ A -> B ] HOW... [= LINE] */

interval: INTERVAL_WORD name '[' event_of_interval[left] direction event_of_interval[right] ']' {
        struct spec_interval *interval = reader_new(reader, struct spec_interval);
        MUST(interval);
        interval->name = $name;
        interval->place = @name.place;
        interval->left = $left;
        interval->right = $right;
        interval->direction = $direction;
        APPEND(intervals, interval);
        reader->interval = interval;
      } options again ;

event_of_interval: event_name | name ':' event_name[event] {
        $$ = $event;
        $$.label = $name;
        $$.place = @name.place;
      } ;
event_name: name { $$ = (struct spec_end){.name = $name, .place = @name.place}; }
    | QUOTED { $$ = (struct spec_end){.name = $QUOTED, .quoted = true, .place = @QUOTED.place}; } ;

direction: ',' { $$ = SPEC_FORWARD; } | ARROW { $$ = SPEC_FORWARD; } | BACK_ARROW { $$ = SPEC_BACKWARD; } ;

options: %empty | options option ;
option: MATCH { reader->interval->match = true; }
    | WHERE braces { if (!set_where(reader, @braces.place, $braces)) YYABORT; }
    | braces { if (!set_where(reader, @braces.place, $braces)) YYABORT; }
    | WITHIN duration { reader->interval->within = $duration; }
    | NO event_of_interval[event] between_where BETWEEN_WORD {
        struct spec_between *between = reader_new(reader, struct spec_between);
        MUST(between);
        *between =
            (struct spec_between){.end = $event, .where = $between_where, .next = reader->interval->between};
        reader->interval->between = between;
      }
    | FIRST_WORD { reader->interval->choice = SPEC_FIRST; }
    | LAST_WORD { reader->interval->choice = SPEC_LAST; }
    | NTH_WORD WHOLE_NUMBER {
        reader->interval->choice = SPEC_NTH;
        reader->interval->nth = (uint64_t)$WHOLE_NUMBER;
        if ($WHOLE_NUMBER < 1) {
          reader_fail(reader, @WHOLE_NUMBER.place, "`nth %lld`: a number from 1 on expected",
                      (long long)$WHOLE_NUMBER);
          YYABORT;
        }
      }
    | CONSUME { reader->interval->consume = true; }
    | REUSE { reader->interval->consume = false; }
    | ANCHOR name { reader->interval->anchor = $name; reader->interval->anchor_place = @name.place; }
    ;
/* No `=` may follow an operand: it begins the line. */
duration: TIME_NUMBER { MUST($$ = reader_literal(reader, SPEC_OP_TIME, @$.place)); $$->real = $1; }
    | WHOLE_NUMBER { MUST($$ = reader_literal(reader, SPEC_OP_INTEGER, @$.place)); $$->integer = $1; }
    | WORD { MUST($$ = reader_literal(reader, SPEC_OP_NAME, @$.place)); $$->name = $1; }
    | '(' expr ')' { $$ = $expr; }
    ;
between_where: %empty { $$ = NULL; } | braces | WHERE braces { $$ = $braces; } ;

connection: %empty { $$ = SPEC_NO_LINE; } | connection_kind
    | CONNECTION '(' connection_kind ')' { $$ = $connection_kind; } ;
connection_kind: LINE_WORD { $$ = SPEC_LINE; } | RECTANGLE_WORD { $$ = SPEC_RECTANGLE; } ;

/* Assertions: assert { [&] r:Interval: r.time < 10 ms } */

assertion: ASSERT '{' assertion_body '}' {
        struct spec_assertion *assertion = reader->assertion;
        assertion->place = @ASSERT.place;
        MUST(assertion->text = reader_text(reader, @assertion_body.begin, @assertion_body.end));
        APPEND(assertions, assertion);
      } ;
assertion_body: expr { MUST(reader->assertion = reader_new(reader, struct spec_assertion));
        reader->assertion->condition = $expr; }
    | '&' name[variable] ':' name[kind] ':' expr { MUST(set_assertion(reader, $variable, $kind, &@kind, $expr)); }
    | name[variable] ':' name[kind] ':' expr { MUST(set_assertion(reader, $variable, $kind, &@kind, $expr)); }
    ;

/* Conditions */

braces: '{' expr '}' { $$ = $expr; } ;

expr: WHOLE_NUMBER { MUST($$ = reader_literal(reader, SPEC_OP_INTEGER, @$.place)); $$->integer = $1; }
    | REAL_NUMBER { MUST($$ = reader_literal(reader, SPEC_OP_REAL, @$.place)); $$->real = $1; }
    | TIME_NUMBER { MUST($$ = reader_literal(reader, SPEC_OP_TIME, @$.place)); $$->real = $1; }
    | QUOTED { MUST($$ = reader_literal(reader, SPEC_OP_TEXT, @$.place)); $$->name = $1; }
    | name { MUST($$ = reader_literal(reader, SPEC_OP_NAME, @$.place)); $$->name = $1; }
    | name '.' any_name {
        MUST($$ = reader_literal(reader, SPEC_OP_ATTRIBUTE, @$.place));
        $$->name = $name;
        $$->attribute = $any_name;
      }
    | QUOTED '.' any_name {
        MUST($$ = reader_literal(reader, SPEC_OP_ATTRIBUTE, @$.place));
        $$->name = $QUOTED;
        $$->attribute = $any_name;
      }
    | name[figure] '(' name[of] ')' {
        MUST($$ = reader_literal(reader, SPEC_OP_FIGURE, @$.place));
        $$->name = $figure;
        $$->attribute = $of;
      }
    | '(' expr[inner] ')' { $$ = $inner; }
    | expr OR expr { MUST($$ = reader_operator(reader, SPEC_OP_OR, @2.place, $1, $3)); }
    | expr AND expr { MUST($$ = reader_operator(reader, SPEC_OP_AND, @2.place, $1, $3)); }
    | expr EQUAL expr { MUST($$ = reader_operator(reader, SPEC_OP_EQ, @2.place, $1, $3)); }
    | expr '=' expr { MUST($$ = reader_operator(reader, SPEC_OP_EQ, @2.place, $1, $3)); }
    | expr UNEQUAL expr { MUST($$ = reader_operator(reader, SPEC_OP_NE, @2.place, $1, $3)); }
    | expr '<' expr { MUST($$ = reader_operator(reader, SPEC_OP_LT, @2.place, $1, $3)); }
    | expr AT_MOST expr { MUST($$ = reader_operator(reader, SPEC_OP_LE, @2.place, $1, $3)); }
    | expr '>' expr { MUST($$ = reader_operator(reader, SPEC_OP_GT, @2.place, $1, $3)); }
    | expr AT_LEAST expr { MUST($$ = reader_operator(reader, SPEC_OP_GE, @2.place, $1, $3)); }
    | expr '+' expr { MUST($$ = reader_operator(reader, SPEC_OP_ADD, @2.place, $1, $3)); }
    | expr '-' expr { MUST($$ = reader_operator(reader, SPEC_OP_SUBTRACT, @2.place, $1, $3)); }
    | expr '*' expr { MUST($$ = reader_operator(reader, SPEC_OP_MULTIPLY, @2.place, $1, $3)); }
    | expr '/' expr { MUST($$ = reader_operator(reader, SPEC_OP_DIVIDE, @2.place, $1, $3)); }
    | '!' expr { MUST($$ = reader_operator(reader, SPEC_OP_NOT, @1.place, $2, NULL)); }
    | '-' expr %prec NEGATIVE { MUST($$ = reader_operator(reader, SPEC_OP_NEGATE, @1.place, $2, NULL)); }
    ;

/* Words of the language that can be names, too: no other meaning is possible where a name stands. */
name: WORD | PLUS_WORD { $$ = reader_word(reader, &@1); } | X_WORD { $$ = reader_word(reader, &@1); }
    | BOX_WORD { $$ = reader_word(reader, &@1); } | DIAMOND_WORD { $$ = reader_word(reader, &@1); }
    | FIRST_WORD { $$ = reader_word(reader, &@1); } | LAST_WORD { $$ = reader_word(reader, &@1); }
    | LINE_WORD { $$ = reader_word(reader, &@1); } | RECTANGLE_WORD { $$ = reader_word(reader, &@1); }
    | SYMBOL_WORD { $$ = reader_word(reader, &@1); } | CONNECTION { $$ = reader_word(reader, &@1); }
    ;
/* Behind a point, all of them. */
any_name: name | MATCH { $$ = reader_word(reader, &@1); } | EVENT { $$ = reader_word(reader, &@1); }
    | END_WORD { $$ = reader_word(reader, &@1); } | INTERVAL_WORD { $$ = reader_word(reader, &@1); }
    | GRAZE { $$ = reader_word(reader, &@1); } | WHERE { $$ = reader_word(reader, &@1); }
    | CONST { $$ = reader_word(reader, &@1); } | ASSERT { $$ = reader_word(reader, &@1); }
    | WITHIN { $$ = reader_word(reader, &@1); } | NO { $$ = reader_word(reader, &@1); }
    | BETWEEN_WORD { $$ = reader_word(reader, &@1); } | NTH_WORD { $$ = reader_word(reader, &@1); }
    | CONSUME { $$ = reader_word(reader, &@1); } | REUSE { $$ = reader_word(reader, &@1); }
    | ANCHOR { $$ = reader_word(reader, &@1); }
    ;

%%

/* Words that can be names, too; a message lists them only where no other name is possible. */
static bool is_soft(yysymbol_kind_t symbol)
{
  switch (symbol) {
  case SYMBOL_PLUS_WORD:
  case SYMBOL_X_WORD:
  case SYMBOL_BOX_WORD:
  case SYMBOL_DIAMOND_WORD:
  case SYMBOL_FIRST_WORD:
  case SYMBOL_LAST_WORD:
  case SYMBOL_LINE_WORD:
  case SYMBOL_RECTANGLE_WORD:
  case SYMBOL_SYMBOL_WORD:
  case SYMBOL_CONNECTION:
    return true;
  default:
    return false;
  }
}

/* "a name or `[`" */
static void list_expected(const yypcontext_t *context, char *text, size_t room)
{
  yysymbol_kind_t expected[YYNTOKENS];
  int count = yypcontext_expected_tokens(context, expected, YYNTOKENS), kept = 0;
  bool names = false;
  for (int i = 0; i < count; i++)
    names = names || expected[i] == SYMBOL_WORD;
  for (int i = 0; i < count; i++)
    if (!names || !is_soft(expected[i]))
      expected[kept++] = expected[i];
  size_t size = 0;
  for (int i = 0; i < kept && size < room; i++) {
    const char *name = yysymbol_name(expected[i]), *between = i == 0 ? "" : i + 1 < kept ? ", " : " or ";
    size += (size_t)(*name == '\'' ? snprintf(text + size, room - size, "%s`%c`", between, name[1])
                                   : snprintf(text + size, room - size, "%s%s", between, name));
  }
}

/* "unexpected `=`: a name or `[` expected" */
static int yyreport_syntax_error(const yypcontext_t *context, struct spec_reader *reader, void *scanner)
{
  (void)scanner;
  char expected[512] = "something else";
  const struct spec_span *span = yypcontext_location(context);
  list_expected(context, expected, sizeof expected);
  size_t width = span->end - span->begin < 60 ? span->end - span->begin : 60;
  if (yypcontext_token(context) != SYMBOL_YYEOF)
    reader_fail(reader, span->place, "unexpected `%.*s`: %s expected", (int)width, reader->text + span->begin,
                expected);
  else
    reader_fail(reader, span->place, "unexpected end of the file: %s expected", expected);
  return 0;
}

/* What the parser says of itself: it has no more memory, or too many brackets are open. */
static void grammar_error(const struct spec_span *span, struct spec_reader *reader, void *scanner, const char *message)
{
  (void)scanner;
  reader_fail(reader, span->place, "%s: nested too deeply", message);
}
