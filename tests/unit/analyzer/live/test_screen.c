/* The screen of heddle live, without a terminal: what it shows of known readings, and what keys change. */
#include "analyzer/live/readings/reader.h"
#include "analyzer/live/screen/asking.h"
#include "analyzer/live/screen/canvas.h"
#include "analyzer/live/screen/draw.h"
#include "common/raw/live_control.h"
#include "tests/unit/unit.h"

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECOND = 1000, ROWS_MOST = 400, TEXT_SIZE = 4096 };

/* A program as heddle-convert reports it (docs/live.md), and the screen of it. */
struct scene {
  struct live_reader reader;
  struct live_reading now;
  struct view view;
  struct canvas canvas;
};

__attribute__((format(printf, 2, 3))) static void line(struct scene *scene, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  assert_int_equal(live_reader_take(&scene->reader, text), LIVE_GOES_ON);
}

static void begin(struct scene *scene, int rows, int columns)
{
  *scene = (struct scene){.canvas = {.unicode = true, .colour = true}};
  assert_true(live_reader_begin(&scene->reader, SECOND, "lu"));
  view_begin(&scene->view, "lu", 42, 1000000000u);
  live_history_begin(&scene->view.clock, 0, SECOND);
  assert_true(canvas_resize(&scene->canvas, rows, columns));
}

static void end(struct scene *scene)
{
  view_free(&scene->view);
  live_reading_free(&scene->now);
  live_reader_end(&scene->reader);
  canvas_free(&scene->canvas);
}

/* The reading ends: what came since the one before is shown, and added to what is shown over time. */
static void show(struct scene *scene)
{
  char text[] = "end";
  struct live_reading before = scene->now, between;
  struct figures figures;
  assert_int_equal(live_reader_take(&scene->reader, text), LIVE_READ);
  assert_true(live_reader_result(&scene->reader, &scene->now));
  assert_true(live_between(&before, &scene->now, &between));
  assert_true(figures_make(&figures, &between, scene->now.now - before.now, scene->view.figures.only));
  view_record(&scene->view, &figures, before.now);
  assert_true(reasons_add(&scene->view.reasons, &scene->now, &figures.between));
  view_show(&scene->view, &figures);
  live_reading_free(&before);
  draw(&scene->view, &scene->canvas);
}

static void regions(struct scene *scene)
{
  line(scene, "region\t0\t%d\t%d\t11\t!$omp parallel @lu.c:11\tmain\t\tlu.c", OTF2_REGION_ROLE_PARALLEL,
       OTF2_PARADIGM_OPENMP);
  line(scene, "region\t1\t%d\t%d\t20\t!$omp barrier @lu.c:20\tmain\t\tlu.c", OTF2_REGION_ROLE_BARRIER,
       OTF2_PARADIGM_OPENMP);
  line(scene, "region\t2\t%d\t%d\t30\t!$omp critical @lu.c:30\tmain\t\tlu.c", OTF2_REGION_ROLE_CRITICAL,
       OTF2_PARADIGM_OPENMP);
  line(scene, "region\t3\t%d\t%d\t15\t!$omp for @lu.c:15\tmain\t\tlu.c", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP);
  line(scene, "thread\t0\t0\tinitial\tOpenMP master");
  line(scene, "thread\t1\t0\tworker\tOpenMP thread 1");
}

/*
 * Two threads, k seconds after the begin. In each second the master loops for 0.6 s and waits for 0.4 s at the barrier.
 * The worker loops for 0.5 s, waits for the barrier for 0.2 s and for the critical section for 0.3 s.
 */
static void second(struct scene *scene, int k)
{
  line(scene, "reading\t%d", k * SECOND);
  if (k == 1)
    regions(scene);
  line(scene, "look\t0\tlives\t0\t%d\t%d\t0", k * SECOND, k * SECOND);
  line(scene, "row\t0\tconstruct\t3\t%d\t%d\t%d\t40\t0\t0\t0", 10 * k, 600 * k, 600 * k);
  line(scene, "row\t0\tconstruct\t1\t%d\t%d\t%d\t90\t0\t0\t0", 5 * k, 400 * k, 400 * k);
  line(scene, "look\t1\tlives\t0\t%d\t%d\t1", k * SECOND, k * SECOND);
  line(scene, "row\t1\tconstruct\t3\t%d\t%d\t%d\t30\t0\t0\t0", 10 * k, 500 * k, 500 * k);
  line(scene, "row\t1\tconstruct\t1\t%d\t%d\t%d\t80\t0\t0\t0", 5 * k, 200 * k, 200 * k);
  line(scene, "row\t1\tacquire\t2\t%d\t%d\t%d\t70\t%d\t%d\t0", 8 * k, 300 * k, 300 * k, 4 * k, 290 * k);
  line(scene, "row\t1\thold\t2\t%d\t%d\t0\t20\t0\t0\t0", 8 * k, 100 * k);
  show(scene);
}

/* A row of the canvas as text, without the spaces at its end. */
static const char *row_text(const struct canvas *canvas, int row)
{
  static char text[TEXT_SIZE];
  size_t length = 0;
  for (int i = 0; i < canvas->columns; i++) {
    const struct cell *cell = &canvas->cells[row * canvas->columns + i];
    char letter[MB_LEN_MAX + 1] = "";
    if (cell->letter == 0)
      continue;
    int size = wctomb(letter, cell->letter);
    assert_true(size > 0 && length + (size_t)size < sizeof text);
    memcpy(text + length, letter, (size_t)size);
    length += (size_t)size;
  }
  while (length > 0 && text[length - 1] == ' ')
    length--;
  text[length] = '\0';
  return text;
}

/* The first row that has the text, with any number of spaces for one; -1: there is none. */
static int find(const struct canvas *canvas, const char *text)
{
  for (int row = 0; row < canvas->rows; row++) {
    char squeezed[TEXT_SIZE], *out = squeezed;
    for (const char *at = row_text(canvas, row); *at; at++)
      if (*at != ' ' || at[1] != ' ')
        *out++ = *at;
    *out = '\0';
    if (strstr(squeezed, text))
      return row;
  }
  return -1;
}

static void must_show(const struct canvas *canvas, const char *text)
{
  if (find(canvas, text) >= 0)
    return;
  for (int row = 0; row < canvas->rows; row++)
    print_message("%s\n", row_text(canvas, row));
  fail_msg("the screen lacks: %s", text);
}

static enum wish press(struct scene *scene, const char *keys)
{
  enum wish wish = WISH_NONE;
  for (; *keys; keys++)
    wish = asking_key(&scene->view, *keys);
  draw(&scene->view, &scene->canvas);
  return wish;
}

static void press_key(struct scene *scene, int key)
{
  assert_int_equal(asking_key(&scene->view, key), WISH_NONE);
  draw(&scene->view, &scene->canvas);
}

static void parts_of_the_screen_never_overlap(void **state)
{
  static const size_t bars[] = {0, 1, 5, 10000};
  (void)state;
  for (int rows = 1; rows <= ROWS_MOST; rows++)
    for (size_t i = 0; i < 2 * sizeof bars / sizeof *bars; i++) {
      struct layout layout = draw_layout(rows, bars[i / 2], i % 2 == 1);
      assert_int_equal(layout.head, 0);
      assert_true(layout.bars >= layout.head_rows && layout.panel >= layout.bars + layout.bars_rows);
      assert_true(layout.panel_rows >= 1 && layout.keys >= layout.panel + layout.panel_rows);
      assert_int_equal(layout.keys + layout.keys_rows, rows);
    }
}

static void figures_are_those_of_the_last_second(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 100);
  second(&scene, 1);
  second(&scene, 2);
  must_show(&scene.canvas, "lu [42] 2 threads every 1 s");
  must_show(&scene.canvas, "the last 1.000 s");
  must_show(&scene.canvas, "RUN 55 %");
  /* 400 and 200 ms: mean 300 of 1000; 600 of 2000. */
  static const char *const rows[] = {"!$omp barrier @lu.c:20 30.0 % 30.0 % 30.0 % 10.0 90.00 ms",
                                     "!$omp critical @lu.c:30 30.0 % 15.0 % 15.0 % 8.00 70.00 ms",
                                     "!$omp for @lu.c:15 55.0 % 20.0 40.00 ms"};
  for (int i = 0; i < 3; i++) {
    must_show(&scene.canvas, rows[i]);
    assert_int_equal(find(&scene.canvas, rows[i]), find(&scene.canvas, rows[0]) + i);
  }
  press(&scene, "2");
  must_show(&scene.canvas, "!$omp critical @lu.c:30 15.0 % 10.0 % 8.00 4.00 70.00 ms");
  end(&scene);
}

static void bars_are_in_proportion(void **state)
{
  struct canvas canvas = {.unicode = true};
  wide_total ticks[STATES] = {[STATE_IDLE] = 30, [STATE_RUN] = 50, [STATE_SYNCH_BARRIER] = 20};
  (void)state;
  assert_true(canvas_resize(&canvas, 1, 10));
  canvas_bar(&canvas, 0, 0, 10, ticks);
  assert_string_equal(row_text(&canvas, 0), "RRRRREEIII");
  canvas.colour = true;
  canvas_clear(&canvas);
  canvas_bar(&canvas, 0, 0, 10, ticks);
  assert_string_equal(row_text(&canvas, 0), "R    E I");
  assert_int_equal(canvas.cells[4].style, style_of(STATE_RUN));
  assert_int_equal(canvas.cells[6].style, style_of(STATE_SYNCH_BARRIER));
  assert_int_equal(canvas.cells[9].style, style_of(STATE_IDLE));
  canvas_free(&canvas);
}

static void names_are_escaped_and_cut_by_columns(void **state)
{
  struct canvas canvas = {.unicode = true};
  (void)state;
  assert_true(canvas_resize(&canvas, 1, 20));
  canvas_put_name(&canvas, 0, 0, 20, "a\x1b[31mb\xff", STYLE_TEXT);
  assert_string_equal(row_text(&canvas, 0), "a\\x1b[31mb\\xff");
  canvas_clear(&canvas);
  assert_int_equal(canvas_put_name(&canvas, 0, 0, 8, "\u6a5f\u7e54\u6a5f\u7e54\u6a5f", STYLE_TEXT), 7);
  assert_string_equal(row_text(&canvas, 0), "\u6a5f\u7e54\u6a5f\u2026");
  assert_int_equal(canvas.cells[1].letter, 0);
  canvas_clear(&canvas);
  canvas_put_name(&canvas, 0, 0, 16, "!$omp implicit barrier @lu.c:42", STYLE_TEXT);
  assert_string_equal(row_text(&canvas, 0), "!$omp i\u2026@lu.c:42");
  canvas.unicode = false;
  canvas_clear(&canvas);
  canvas_put_name(&canvas, 0, 0, 4, "\u6a5fb\u00e9def", STYLE_TEXT);
  assert_string_equal(row_text(&canvas, 0), "?b?~");
  canvas_put_right(&canvas, 0, 10, 10, "123", STYLE_TEXT);
  assert_int_equal(canvas.cells[19].letter, L'3');
  canvas_free(&canvas);
}

static void any_size_can_be_drawn(void **state)
{
  static const int rows[] = {1, 2, 3, 4, 5, 8, 11, 12, 24, 400}, columns[] = {1, 2, 3, 7, 20, 49, 80, 1000};
  struct scene scene;
  (void)state;
  begin(&scene, 1, 1);
  second(&scene, 1);
  second(&scene, 2);
  press(&scene, "+s4+r");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
      assert_true(canvas_resize(&scene.canvas, rows[i], columns[k]));
      for (const char *keys = "1234?4t1tt/x\n"; *keys; keys++)
        press(&scene, (const char[]){*keys, '\0'});
      press_key(&scene, PRESSED_ESCAPE);
    }
  assert_true(canvas_resize(&scene.canvas, 5, 20));
  press(&scene, "1");
  must_show(&scene.canvas, "!$omp ba\u2026@lu.c:20");
  assert_true(canvas_resize(&scene.canvas, 8, 40));
  press(&scene, "1");
  must_show(&scene.canvas, "!$omp\u2026@lu.c:20 30.0 %");
  end(&scene);
}

static void ascii_alone_is_drawn_where_the_locale_has_no_more(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 60);
  scene.canvas.unicode = scene.canvas.colour = false;
  second(&scene, 1);
  press(&scene, "+s");
  second(&scene, 2);
  for (const char *keys = "12343?"; *keys; keys++) {
    press(&scene, (const char[]){*keys, '\0'});
    for (int i = 0; i < scene.canvas.rows * scene.canvas.columns; i++)
      assert_true(scene.canvas.cells[i].letter >= ' ' && scene.canvas.cells[i].letter < 127);
  }
  end(&scene);
}

static const char *chosen(struct scene *scene)
{
  static char name[256];
  char *text = view_item_name(&scene->view, scene->view.panel, scene->view.lists[scene->view.panel].chosen);
  snprintf(name, sizeof name, "%s", text);
  free(text);
  return name;
}

static void keys_sort_search_and_choose(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 100);
  second(&scene, 1);
  assert_string_equal(chosen(&scene), "!$omp barrier @lu.c:20");
  press(&scene, "/CRIT");
  must_show(&scene.canvas, "/CRIT_");
  press(&scene, "\n");
  assert_string_equal(chosen(&scene), "!$omp critical @lu.c:30");
  press(&scene, "s"); /* by self time; what was chosen stays so */
  assert_string_equal(chosen(&scene), "!$omp critical @lu.c:30");
  assert_true(find(&scene.canvas, "!$omp for @lu.c:15") < find(&scene.canvas, "!$omp barrier"));
  second(&scene, 2);
  assert_string_equal(chosen(&scene), "!$omp critical @lu.c:30");
  press(&scene, "/lu.c\nn");
  assert_string_equal(chosen(&scene), "!$omp for @lu.c:15");
  press(&scene, "/none\n");
  must_show(&scene.canvas, "not found");
  press_key(&scene, PRESSED_END);
  assert_int_equal(scene.view.lists[PANEL_CONSTRUCTS].chosen, 2);
  press_key(&scene, PRESSED_DOWN);
  assert_int_equal(scene.view.lists[PANEL_CONSTRUCTS].chosen, 2);
  press_key(&scene, PRESSED_HOME);
  press_key(&scene, PRESSED_UP);
  assert_int_equal(scene.view.lists[PANEL_CONSTRUCTS].chosen, 0);
  press_key(&scene, PRESSED_BACK_TAB);
  assert_int_equal(scene.view.panel, PANEL_REASONS);
  assert_int_equal(press(&scene, "q"), WISH_QUIT);
  end(&scene);
}

static void the_first_line_has_what_is_traced(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 100);
  second(&scene, 1);
  assert_int_equal(press(&scene, "T"), WISH_TRACE);
  strcpy(scene.view.traced, "a \x1b[31mname");
  press(&scene, "1");
  must_show(&scene.canvas, "lu [42] 2 threads every 1 s traced: a \\x1b[31mname");
  scene.view.traced[0] = '\0';
  scene.view.traced_by_others = true;
  press(&scene, "1");
  must_show(&scene.canvas, "every 1 s traced: others asked for it");
  end(&scene);
}

/* The search begins with the key, reports the readings since then, and begins again after a while. */
static void reasons_are_searched_for(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 40, 120);
  second(&scene, 1);
  press(&scene, "w");
  must_show(&scene.canvas, "the search has begun");
  second(&scene, 2);
  must_show(&scene.canvas, "the search has begun");
  second(&scene, 3);
  must_show(&scene.canvas, "too much synchronization (locks, barriers, order of iterations) 34.5 % 34.5 % 34.5 % true");
  must_show(&scene.canvas, "where: !$omp critical @lu.c:30 14.5 % 14.5 % 14.5 % true");
  must_show(&scene.canvas, "one thread works alone 0 % 0 % 0 % ruled out");
  for (int k = 4; k <= 4 + 2 * (int)REASONS_PARTS; k++)
    second(&scene, k);
  must_show(&scene.canvas, "where: !$omp critical @lu.c:30 14.5 % 14.5 % 14.5 % true");
  end(&scene);
}

static void a_thread_is_shown_alone(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 100);
  second(&scene, 1);
  press(&scene, "4/thread 1\nt");
  must_show(&scene.canvas, "on OpenMP thread 1");
  must_show(&scene.canvas, "!$omp barrier @lu.c:20 20.0 % 20.0 % 20.0 % 5.00");
  second(&scene, 2); /* it stays so */
  must_show(&scene.canvas, "!$omp critical @lu.c:30 30.0 % 30.0 % 30.0 % 8.00");
  press_key(&scene, PRESSED_ESCAPE);
  must_show(&scene.canvas, "!$omp barrier @lu.c:20 30.0 %");
  end(&scene);
}

static uint64_t sum_of(const struct live_pair *pair)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < LIVE_HISTORY_BINS; i++)
    sum += pair->history.bins[i];
  return sum;
}

static void metrics_over_time_are_added_and_removed(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 100);
  second(&scene, 1);
  press(&scene, "+s+e+w"); /* of the barrier */
  press(&scene, "4+r/thread 1\n+y");
  press(&scene, "t+x+s"); /* x is nothing; then of the construct on the thread */
  for (int k = 2; k <= 1001; k++)
    second(&scene, k);
  press(&scene, "3");
  static const uint64_t expected[] = {600000, 10000, 600000, 1100000, 500000, 300000};
  assert_int_equal(scene.view.pairs.count, 6);
  for (size_t i = 0; i < 6; i++)
    assert_int_equal(sum_of(&scene.view.pairs.items[i]), expected[i]);
  must_show(&scene.canvas, "executions of !$omp barrier @lu.c:20");
  must_show(&scene.canvas, " 10/s ");
  must_show(&scene.canvas, "RUN of all threads");
  must_show(&scene.canvas, "1.10 threads ");
  must_show(&scene.canvas, "self time of !$omp cr\u2026@lu.c:30 on OpenMP thread 1 0.30 threads");
  must_show(&scene.canvas, "SYNCH of OpenMP thread 1");
  must_show(&scene.canvas, "1001.0 s, in bins of 4.000 s");
  press(&scene, "-");
  assert_int_equal(scene.view.pairs.count, 5);
  press_key(&scene, PRESSED_ESCAPE);
  press(&scene, "1/barrier\n-"); /* all of the barrier */
  assert_int_equal(scene.view.pairs.count, 3);
  press(&scene, "-");
  must_show(&scene.canvas, "nothing is shown over time for it");
  end(&scene);
}

/* A metric is chosen from the list, and the place of the chosen line is proposed. */
static void pairs_are_typed(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 100);
  second(&scene, 1);
  press(&scene, "/crit\na");
  must_show(&scene.canvas, "parallel-regions parallel regions executed");
  press(&scene, "lock-");
  assert_int_equal(find(&scene.canvas, "parallel-regions"), -1);
  press_key(&scene, PRESSED_DOWN);
  press_key(&scene, PRESSED_UP);
  press(&scene, "\n");
  must_show(&scene.canvas, "lock-waiting@lu.c:30_");
  assert_int_equal(press(&scene, "\n"), WISH_MEASURE);
  assert_int_equal(scene.view.panel, PANEL_TIMES);
  press(&scene, "4/thread 1\narun\n"); /* of a thread alone */
  must_show(&scene.canvas, "run-time@thread=OpenMP thread 1_");
  press(&scene, "\n4a\n"); /* the first metric, ... */
  for (int i = 0; i < TYPED_SIZE; i++)
    press_key(&scene, PRESSED_BACKSPACE);
  press(&scene, "\n"); /* ... of all */
  for (int k = 2; k <= 1001; k++)
    second(&scene, k);
  static const uint64_t expected[] = {300000, 500000, 0};
  assert_int_equal(scene.view.pairs.count, 3);
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(sum_of(&scene.view.pairs.items[i]), expected[i]);
  must_show(&scene.canvas, "lock-waiting@lu.c:30 0.30 threads ");
  must_show(&scene.canvas, "parallel-regions 0/s");
  end(&scene);
}

static void pairs_that_cannot_be_are_refused(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 100);
  second(&scene, 1);
  press(&scene, "arun-time\nlu.c:30");
  assert_int_equal(press(&scene, "\n"), WISH_NONE);
  must_show(&scene.canvas, "run-time is a metric of threads");
  press_key(&scene, PRESSED_ESCAPE);
  press(&scene, "anonsense\n"); /* nothing is listed, so nothing is chosen */
  must_show(&scene.canvas, "metric: nonsense_");
  press_key(&scene, PRESSED_ESCAPE);
  assert_int_equal(scene.view.pairs.count, 0);
  end(&scene);
}

static void what_pairs_need_is_measured(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 100);
  second(&scene, 1);
  assert_int_equal(view_needs(&scene.view), LIVE_NEED_ALL);
  assert_int_equal(press(&scene, "m"), WISH_MEASURE);
  assert_int_equal(view_needs(&scene.view), 0);
  assert_true(view_ask_pair(&scene.view, "locks"));
  assert_true(view_ask_pair(&scene.view, "tasks@lu.c"));
  assert_int_equal(view_needs(&scene.view), LIVE_NEED_LOCK_COUNTS | LIVE_NEED_TASKS);
  press(&scene, "3");
  assert_int_equal(press(&scene, "d"), WISH_MEASURE);
  assert_int_equal(view_needs(&scene.view), LIVE_NEED_TASKS);
  press(&scene, "1+s");
  assert_int_equal(view_needs(&scene.view), LIVE_NEED_ALL);
  end(&scene);
}

static void a_focus_is_typed(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 120);
  second(&scene, 1);
  press(&scene, "fthread=*1");
  must_show(&scene.canvas, "only what is in, or nothing for all: thread=*1_");
  assert_int_equal(press(&scene, "\n"), WISH_FOCUS);
  assert_string_equal(scene.view.typed, "thread=*1");
  end(&scene);
}

static void frozen_figures_are_said_to_be(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 100);
  second(&scene, 1);
  press(&scene, " ");
  must_show(&scene.canvas, "FROZEN");
  assert_int_equal(press(&scene, "r"), WISH_NONE);
  must_show(&scene.canvas, "frozen: press space first");
  assert_int_equal(press(&scene, " "), WISH_FRESH);
  assert_int_equal(find(&scene.canvas, "FROZEN"), -1);
  assert_int_equal(press(&scene, "r"), WISH_RESET);
  must_show(&scene.canvas, "sums since");
  scene.view.over = true;
  press(&scene, "x");
  must_show(&scene.canvas, "The program has ended. q quits.");
  end(&scene);
}

static void the_help_fits_on_a_usual_terminal(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 24, 80);
  second(&scene, 1);
  press(&scene, "?");
  must_show(&scene.canvas, "Keys of heddle live");
  must_show(&scene.canvas, "execution since the thread began");
  assert_int_equal(find(&scene.canvas, "\u2026"), -1);
  press(&scene, "x");
  must_show(&scene.canvas, "lu [42]");
  end(&scene);
}

static void ten_thousand_threads_scroll(void **state)
{
  struct scene scene;
  (void)state;
  begin(&scene, 30, 100);
  line(&scene, "reading\t%d", SECOND);
  for (int i = 0; i < 10000; i++) {
    line(&scene, "thread\t%d\t0\tworker\tthread %d", i, i);
    line(&scene, "look\t%d\tlives\t0\t%d\t%d\t0", i, SECOND, SECOND);
    line(&scene, "row\t%d\toutside\t\t0\t0\t%d\t0\t0\t0\t0", i, SECOND);
  }
  show(&scene);
  must_show(&scene.canvas, "10,000 threads");
  must_show(&scene.canvas, "thread 0 ");
  press(&scene, "4");
  press_key(&scene, PRESSED_END);
  must_show(&scene.canvas, "10,001 of 10,001");
  must_show(&scene.canvas, "thread 9999");
  press(&scene, "1"); /* the bars are those around the chosen thread */
  must_show(&scene.canvas, "thread 9999");
  end(&scene);
}

UNIT_TEST(screen)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_of_the_screen_never_overlap),
      cmocka_unit_test(figures_are_those_of_the_last_second),
      cmocka_unit_test(bars_are_in_proportion),
      cmocka_unit_test(names_are_escaped_and_cut_by_columns),
      cmocka_unit_test(any_size_can_be_drawn),
      cmocka_unit_test(ascii_alone_is_drawn_where_the_locale_has_no_more),
      cmocka_unit_test(keys_sort_search_and_choose),
      cmocka_unit_test(the_first_line_has_what_is_traced),
      cmocka_unit_test(reasons_are_searched_for),
      cmocka_unit_test(a_thread_is_shown_alone),
      cmocka_unit_test(metrics_over_time_are_added_and_removed),
      cmocka_unit_test(pairs_are_typed),
      cmocka_unit_test(pairs_that_cannot_be_are_refused),
      cmocka_unit_test(what_pairs_need_is_measured),
      cmocka_unit_test(a_focus_is_typed),
      cmocka_unit_test(frozen_figures_are_said_to_be),
      cmocka_unit_test(the_help_fits_on_a_usual_terminal),
      cmocka_unit_test(ten_thousand_threads_scroll),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
