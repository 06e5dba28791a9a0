/* The language of events and intervals: what is accepted, what it means, and what is said about mistakes. */
#include "analyzer/analyses/intervals/plan.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The specification of a text without mistakes. */
static struct spec *accept(const char *text)
{
  struct error error = {.message = ""};
  struct spec *spec = spec_parse("t", text, strlen(text), &error);
  if (!spec || !spec_check(spec, &error))
    fail_msg("%.300s\n%s", text, error.message);
  return spec;
}

static void refuse(const char *text, const char *expected)
{
  struct error error = {.message = ""};
  struct spec *spec = spec_parse("t", text, strlen(text), &error);
  if (spec && spec_check(spec, &error))
    fail_msg("accepted: %.300s", text);
  spec_free(spec);
  if (!strstr(error.message, expected))
    fail_msg("%.300s\nsays:     %s\nexpected: %s", text, error.message, expected);
}

static const struct spec_interval *interval_of(const struct spec *spec, const char *name)
{
  const struct spec_interval *interval = spec->intervals;
  while (interval && strcmp(interval->name, name) != 0)
    interval = interval->next;
  assert_non_null(interval);
  return interval;
}

#define MESSAGES                                                                                                       \
  "graze msgs\n"                                                                                                       \
  "event Preparemsg() = diamond;\n"                                                                                    \
  "event Sendmsg(src, seq) = plus;\n"                                                                                  \
  "event Recvmsg(src, seq) = box;\n"                                                                                   \
  "end msgs.\n"

/* Chapters III and IV of the thesis, as printed. */
static void examples_of_messages(void **state)
{
  (void)state;
  struct spec *spec = accept(MESSAGES "graze msgs\n"
                                      "interval Write [ p: Preparemsg -> s:Sendmsg ] = line;\n"
                                      "interval Transit [ s:Sendmsg -> r:Recvmsg ] Match = line;\n"
                                      "interval BackTransit [ r:Recvmsg <- s:Sendmsg] Match = line;\n"
                                      "interval Transit1 [ s:Sendmsg -> r:Recvmsg ] = line;\n"
                                      "interval Transit3 [ s:Sendmsg -> r:Recvmsg ]\n"
                                      "{ s.src==r.src } = line;\n"
                                      "interval Transit4 [ s:Sendmsg -> r:Recvmsg ] = line;\n"
                                      "{ s.src==r.src && s.seq >= r.seq } = line;\n"
                                      "interval Transit5 [ s:Sendmsg -> r:Recvmsg ] = line;\n"
                                      "{ s.src!=r.src && s.seq < r.seq } = line;\n"
                                      "end msgs.\n");
  assert_string_equal(spec->name, "msgs");
  assert_int_equal(spec->event_count, 3);
  assert_int_equal(spec->interval_count, 7);
  const struct spec_event *send = spec->events->next;
  assert_string_equal(send->name, "Sendmsg");
  assert_int_equal(send->attribute_count, 2);
  assert_string_equal(send->attributes->next->name, "seq");
  assert_int_equal(send->symbol, SPEC_PLUS);
  const struct spec_interval *write = interval_of(spec, "Write"), *transit = interval_of(spec, "Transit");
  assert_true(write->same_thread);
  assert_false(transit->same_thread);
  assert_int_equal(transit->line, SPEC_LINE);
  const struct spec_interval *back = interval_of(spec, "BackTransit");
  assert_true(back->from_end);
  assert_string_equal(back->start->event->name, "Sendmsg"); /* the search goes back from the left one */
  assert_string_equal(back->end->event->name, "Recvmsg");
  assert_non_null(interval_of(spec, "Transit4")->where);
  assert_false(interval_of(spec, "Transit5")->same_thread);
  spec_free(spec);
}

/* Chapter V. */
static void examples_of_the_traffic_light(void **state)
{
  (void)state;
  struct spec *spec = accept("graze msgs\n"
                             "event Stop(traffic_light_direction) = symbol(plus);\n"
                             "event Go(traffic_light_direction) = symbol(diamond);\n"
                             "event NoWait(traffic_light_direction) = symbol(x);\n"
                             "event SmallTimer(traffic_light_direction) = symbol(x);\n"
                             "event LargeTimer(traffic_light_direction) = symbol(plus);\n"
                             "event LightChanged(traffic_light_direction) = symbol(diamond) ;\n"
                             "event ArriveIntersection(car_direction) = symbol(x) ;\n"
                             "event LeaveIntersection(car_direction) = symbol(plus) ;\n"
                             "event StartMotor = symbol(box);\n"
                             "end msgs.\n"
                             "graze msgs\n"
                             "interval StartMotorArrInt [StartMotor, ArriveIntersection]=rectangle;\n"
                             "interval ArriveLeave [ArriveIntersection,LeaveIntersection] =rectangle;\n"
                             "interval LtChangedAndGo [ LightChanged <- Go] Match = line;\n"
                             "interval NoWaitSmallTimer [NoWait,SmallTimer] Match = line;\n"
                             "end msgs.\n");
  assert_int_equal(spec->event_count, 9);
  const struct spec_interval *changed = interval_of(spec, "LtChangedAndGo");
  assert_string_equal(changed->start->event->name, "LightChanged"); /* the search goes back from the right one */
  assert_string_equal(changed->end->event->name, "Go");
  assert_true(changed->from_end);
  assert_int_equal(interval_of(spec, "ArriveLeave")->line, SPEC_RECTANGLE);
  spec_free(spec);
}

/* Its section on future work, with the constant declared and given; and the assertion that it quotes. */
static void examples_of_future_work(void **state)
{
  (void)state;
  static const char transit[] = "event Sendmsg(src, msgsize) event Recvmsg(src, msgsize)\n"
                                "interval Transit[ s:Sendmsg -> r:Recvmsg ]\n"
                                "{ s.src=r.src && s.msgsize/WORDSIZE > 100 } = line;\n"
                                "assert { & r:Transit: r.time < 10 ms }.";
  char text[512];
  snprintf(text, sizeof text, "const WORDSIZE = 4; %s", transit);
  struct spec *spec = accept(text);
  assert_string_equal(spec->assertions->text, "& r:Transit: r.time < 10 ms");
  assert_string_equal(spec->assertions->of->name, "Transit");
  spec_free(spec);
  refuse(transit,
         "t:3:28: `WORDSIZE` is not declared: `const WORDSIZE = ...;` in front of it or --define WORDSIZE=...");
  struct error error;
  spec = spec_parse("t", transit, strlen(transit), &error);
  assert_true(spec_define(spec, "WORDSIZE=4", &error) && spec_check(spec, &error));
  spec_free(spec);
}

static void same_symbol(const struct spec_event *event, int symbol, const char *offset)
{
  assert_int_equal(event->symbol, symbol);
  assert_true(offset ? event->offset && strcmp(event->offset, offset) == 0 : !event->offset);
}

/* Each production of its appendix B that the examples do not use, and each spelling of its keywords. */
static void rest_of_its_grammar(void **state)
{
  (void)state;
  struct spec *spec =
      accept("glimpse first\n"
             "Event A Event B() Event C(x y z) = Symbol(Plus up) event D = symbol() event E =\n"
             "event F = X 2 event G = Box -2 event H = Diamond down event I = symbol(diamond)\n"
             "Interval None [A -> B] = Interval Rest [A, B]\n"
             "interval Line [A <- B] = Line interval Box [A -> B] = Rectangle\n"
             "interval Connected [A -> B] = Connection(rectangle)\n"
             "interval Labels [c:C -> d:C] Where { c.x < d.x && c.y <= d.y && c.z == d.z && c.x >= d.y && c.y > d.z "
             "&& c.z != d.x } = connection(line)\n"
             "End\n"
             "Graze second event J interval Last [A, J] Match end second\n"
             "graze third end third.");
  const struct spec_event *event = spec->events;
  const struct {
    const char *name;
    uint32_t attributes;
    int symbol;
    const char *offset;
  } events[] = {{"A", 0, SPEC_NO_SYMBOL, NULL}, {"B", 0, SPEC_NO_SYMBOL, NULL}, {"C", 3, SPEC_PLUS, "up"},
                {"D", 0, SPEC_NO_SYMBOL, NULL}, {"E", 0, SPEC_NO_SYMBOL, NULL}, {"F", 0, SPEC_X, "2"},
                {"G", 0, SPEC_BOX, "-2"},       {"H", 0, SPEC_DIAMOND, "down"}, {"I", 0, SPEC_DIAMOND, NULL},
                {"J", 0, SPEC_NO_SYMBOL, NULL}};
  for (size_t i = 0; i < sizeof events / sizeof *events; i++, event = event->next) {
    assert_string_equal(event->name, events[i].name);
    assert_int_equal(event->attribute_count, events[i].attributes);
    same_symbol(event, events[i].symbol, events[i].offset);
  }
  assert_null(event);
  assert_string_equal(spec->name, "first");
  assert_int_equal(interval_of(spec, "None")->line, SPEC_NO_LINE);
  assert_false(interval_of(spec, "Rest")->from_end);
  assert_true(interval_of(spec, "Line")->from_end);
  assert_int_equal(interval_of(spec, "Line")->line, SPEC_LINE);
  assert_int_equal(interval_of(spec, "Box")->line, SPEC_RECTANGLE);
  assert_int_equal(interval_of(spec, "Connected")->line, SPEC_RECTANGLE);
  assert_int_equal(interval_of(spec, "Labels")->line, SPEC_LINE);
  assert_non_null(interval_of(spec, "Labels")->where);
  assert_true(interval_of(spec, "Last")->match);
  spec_free(spec);
}

/* What the thesis does not have. */
static void extensions(void **state)
{
  (void)state;
  struct spec *spec = accept(
      "/* a comment */ event A(x, y: real, name: text) = x 3; // x is a name, too\n"
      "event B(x, y: double, name: string) # another comment\n"
      "const HALF = 1 / 2; const LIMIT = 2 * 10 ms;\n"
      "interval All [ x:A -> B ] where { (x.x + 1 == B.x || !(x.name == \"a \\\"b\\\"\")) && x.y * HALF <= -B.y }\n"
      "  within LIMIT no c:A { c.x == x.x } between nth 3 = line\n"
      "interval Wake [ u: unpark -> p: \"end of park\" ] where { u.target == p.thread } = line;\n"
      "interval Loop [ \"!$omp for @a.c:3\" -> \"end of !$omp for @a.c:3\" ] last within 1 s\n"
      "interval Back [ a:A <- b:B ] Match anchor b\n"
      "interval Own [ t: task_create -> l: lock ] { t.task == 3 && t.line < l.line && l.construct == \"x\" "
      "&& t.process == l.process && t.member != l.member && l.time - t.time < 5us && t.end == 1 }\n"
      "interval Last [ a:A -> b:A ] reuse first consume\n"
      "assert { All.time < 10 ms && All.from != All.to }\n"
      "assert { count(All) > 0 && mean(Back) < 2 * max(All) }\n");
  const struct spec_interval *all = interval_of(spec, "All");
  assert_true(interval_of(spec, "Last")->consume);
  assert_int_equal(all->choice, SPEC_NTH);
  assert_int_equal(all->nth, 3);
  assert_true(all->limit == 20e6);
  assert_non_null(all->between->condition);
  assert_true(spec->events->attributes->next->type == SPEC_REAL);
  assert_string_equal(spec->events->offset, "3");
  assert_string_equal(interval_of(spec, "Back")->start->event->name, "A");
  assert_int_equal(interval_of(spec, "Loop")->choice, SPEC_LAST);
  assert_null(spec->assertions->next->of);
  spec_free(spec);
}

static void mistakes_of_form(void **state)
{
  (void)state;
  refuse("event A(x,) = plus;", "t:1:11: unexpected `)`: a name");
  refuse("event A(x) = circle;", "t:1:14: unexpected `circle`");
  refuse("event A event B\ninterval [ A -> B ]", "t:2:10: unexpected `[`");
  refuse("event A event B interval I [ A > B ]", "t:1:32: unexpected `>`: `->`, `<-`, `,` or `:` expected");
  refuse("event A event B interval I [ A -> B", "t:1:36: unexpected end of the file: ");
  refuse("event A(x: float)", "t:1:12: `float` is not a type: int, real or text expected");
  refuse("event A event B interval I [ A -> B ] { A.x == } = line", "t:1:48: unexpected `}`");
  refuse("event A event B interval I [ A -> B ] { A.x < 1 < 2 }", "t:1:49: unexpected `<`");
  refuse("event A event B interval I [ A -> B ] nth 0", "t:1:43: `nth 0`: a number from 1 on expected");
  refuse("event A event B interval I [ A -> B ] {1 == 1} {2 == 2}", "t:1:48: the interval has two conditions");
  refuse("event A; {1 == 1}", "t:1:10: unexpected `{`: no interval without a condition");
  refuse("/* open", "the comment has no end: `*/` expected");
  refuse("event \"A", "t:1:7: the text has no end");
  refuse("event A\n  @", "t:2:3: no word of the language begins with the byte 0x40");
  refuse("event A(99999999999999999999)", "t:1:9: the number is too large");
  refuse("const A = 99999999999999999999;", "t:1:11: the number is too large");
  refuse("const A = 1e999;", "t:1:11: the number is too large");
}

static void mistakes_of_meaning(void **state)
{
  (void)state;
#define TWO "event A(x, t: text) event B(x) "
  refuse("event A(x) event A(y)", "t:1:18: the event `A` is declared with other attributes in line 1");
  refuse("event A(x, x)", "t:1:12: the event `A` has two attributes `x`");
  refuse("event A interval I [ A -> C ]", "t:1:27: the event `C` is not declared: `event C(...)` expected");
  refuse(TWO "interval I [ A -> B ] interval I [ A -> B ]", "the interval `I` is declared in line 1 already");
  refuse(TWO "interval I [ A -> B ] { A.y == B.x }", "the event `A` has no attribute `y`: `x`, `t`, `thread`");
  refuse(TWO "interval I [ a:A -> B ] { A.x == B.x }", "no event here is called `A`: `a` or `B` expected");
  refuse(TWO "interval I [ A -> A ] { A.x == A.x }", "both events are called `A`: give them labels");
  refuse(TWO "interval I [ A -> B ] { A.t == B.x }", "in a comparison a text and an integer do not go together");
  refuse(TWO "interval I [ A -> B ] { A.time > 5 }", "a time and an integer do not go together: a time has a unit");
  refuse(TWO "interval I [ A -> B ] { A.t + 1 == 2 }", "in a calculation a text and an integer do not go together");
  refuse(TWO "interval I [ A -> B ] { A.x + 1 }", "this is an integer: a condition expected");
  refuse(TWO "interval I [ A -> B ] { !A.x }", "this is an integer: a condition expected");
  refuse(TWO "interval I [ A -> B ] Match", "Match compares all attributes, but `A` has 2 and `B` has 1");
  refuse(TWO "interval I [ A -> lock ] Match", "Match needs declared events, and `lock` is none");
  refuse(TWO "interval I [ A <- B ] anchor C", "no event of the interval is called `C`");
  refuse(TWO "interval I [ A -> B ] last consume", "`consume` goes with `first` only");
  refuse(TWO "interval I [ A -> B ] within 5", "`within`: a time above 0 with a unit expected");
  refuse(TWO "interval I [ A -> B ] no x:A { x.x == B.x } between", "cannot name the end: `A` or `x` expected");
  refuse(TWO "interval I [ A -> B ] { count(I) > 1 }", "only assertions have it");
  refuse(TWO "interval I [ A -> B ] assert { I.size < 3 }", "an interval has no attribute `size`");
  refuse(TWO "interval I [ A -> B ] assert { J.time < 3 s }", "no interval is called `J`");
  refuse(TWO "interval I [ A -> B ] assert { r:I: q.time < 3 s }", "`q` is not the assertion's variable: `r` expected");
  refuse(TWO "interval I [ A -> B ] assert { I.time < max(I) }", "two assertions expected");
  refuse(TWO "interval I [ A -> B ] assert { 1 == 1 }", "the assertion is about no interval");
  refuse("const A = B; const B = A;", "t:1:11: `B` is not declared");
  refuse("const A = 1; const A = 2;", "t:1:20: the constant `A` is declared in line 1 already");
  refuse("const A = 1 / 0; event E(x) interval I [ a:E -> b:E ] { a.x == A }", "t:1:13: the constant `A` has no value");
}

/* Texts that would be endless work, or an endless stack, for a careless parser. */
static void large_texts(void **state)
{
  (void)state;
  size_t size = 600000;
  char *text = malloc(size + 64);
  assert_non_null(text);
  strcpy(text, "event A(x) interval I [ a:A -> b:A ] { ");
  size_t begin = strlen(text);
  memset(text + begin, '(', size - begin);
  text[size] = 0;
  refuse(text, "nested too deeply");
  memset(text + begin, '!', size - begin);
  refuse(text, "t:1:");
  for (size_t i = begin; i + 2 < size; i += 2)
    memcpy(text + i, "1+", 2);
  memcpy(text + size - 2, "1}", 3);
  refuse(text, "the condition is too large");
  for (size_t i = 0; i + 8 <= size; i += 8)
    memcpy(text + i, "event A ", 8);
  refuse(text, "more than 4096 events, intervals and constants");
  free(text);
}

UNIT_TEST(spec)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_of_messages),
      cmocka_unit_test(examples_of_the_traffic_light),
      cmocka_unit_test(examples_of_future_work),
      cmocka_unit_test(rest_of_its_grammar),
      cmocka_unit_test(extensions),
      cmocka_unit_test(mistakes_of_form),
      cmocka_unit_test(mistakes_of_meaning),
      cmocka_unit_test(large_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
