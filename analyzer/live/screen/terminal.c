#include "analyzer/live/screen/terminal.h"

#include "analyzer/live/screen/canvas.h"
#include "base/count_of.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static SCREEN *screen;
static attr_t attributes[STYLES];
static short pairs[STYLES];

/* Colours out of 256, next to the report's on dark ground (report/page/src/look/colors.ts); out of 8, one a kind. */
static const struct {
  short of_256, of_8;
  bool dark; /* its letter is light */
} colours[STATES] = {
    [STATE_IDLE] = {239, COLOR_WHITE, true},
    [STATE_RUN] = {36, COLOR_GREEN, false},
    [STATE_OVERHEAD] = {221, COLOR_YELLOW, false},
    [STATE_SYNCH_IMPLICIT_BARRIER] = {172, COLOR_RED, false},
    [STATE_SYNCH_BARRIER] = {216, COLOR_RED, false},
    [STATE_SYNCH_MUTEX] = {167, COLOR_MAGENTA, false},
    [STATE_SYNCH_ORDERED] = {137, COLOR_MAGENTA, false},
    [STATE_SYNCH_TASKWAIT] = {175, COLOR_MAGENTA, false},
    [STATE_SYNCH_REDUCTION] = {224, COLOR_RED, false},
    [STATE_TRACEFLUSH] = {247, COLOR_CYAN, false},
    [STATE_UNMEASURED] = {101, COLOR_WHITE, false},
    [STATE_INIT] = {117, COLOR_CYAN, false},
    [STATE_BLOCKED_MUTEX] = {133, COLOR_MAGENTA, false},
    [STATE_BLOCKED_CONDVAR] = {182, COLOR_BLUE, false},
    [STATE_SPIN] = {205, COLOR_MAGENTA, false},
    [STATE_GC] = {32, COLOR_CYAN, false},
    [STATE_READY] = {105, COLOR_BLUE, false},
    [STATE_OFF] = {236, COLOR_WHITE, true},
    [STATE_SYNCH_PTHREAD_MUTEX] = {168, COLOR_MAGENTA, false},
    [STATE_SYNCH_PTHREAD_RWLOCK] = {131, COLOR_MAGENTA, false},
    [STATE_SYNCH_PTHREAD_CONDITION] = {110, COLOR_BLUE, false},
    [STATE_SYNCH_SEMAPHORE] = {68, COLOR_BLUE, false},
    [STATE_SYNCH_PTHREAD_BARRIER] = {215, COLOR_RED, false},
    [STATE_SYNCH_ATOMIC] = {173, COLOR_RED, false},
    [STATE_SYNCH_JOIN] = {103, COLOR_BLUE, false},
};

static void set_pair(enum style style, short letter, short ground)
{
  if ((int)style < COLOR_PAIRS && init_pair((short)(style + 1), letter, ground) == OK)
    pairs[style] = (short)(style + 1);
}

static void set_colours(void)
{
  bool many = COLORS >= 256;
  use_default_colors();
  for (unsigned i = 0; i < STATES; i++) {
    attributes[STYLE_STATE + i] = A_NORMAL;
    if (many)
      set_pair(style_of((enum state)i), colours[i].dark ? 252 : 16, colours[i].of_256);
    else
      set_pair(style_of((enum state)i), COLOR_BLACK, colours[i].of_8);
  }
  if (many) {
    attributes[STYLE_SOFT] = attributes[STYLE_CHOSEN] = A_NORMAL;
    set_pair(STYLE_SOFT, 245, -1);
    set_pair(STYLE_HEADING, 245, -1);
    set_pair(STYLE_CHOSEN, 255, 24);
    set_pair(STYLE_KEYS, 36, -1);
    set_pair(STYLE_CHART, 36, -1);
    set_pair(STYLE_WARNING, 172, -1);
  } else {
    set_pair(STYLE_KEYS, COLOR_GREEN, -1);
    set_pair(STYLE_CHART, COLOR_GREEN, -1);
    set_pair(STYLE_WARNING, COLOR_RED, -1);
  }
}

static void set_attributes(void)
{
  memset(attributes, 0, sizeof attributes);
  memset(pairs, 0, sizeof pairs);
  attributes[STYLE_SOFT] = A_DIM;
  attributes[STYLE_STRONG] = attributes[STYLE_WARNING] = attributes[STYLE_KEYS] = A_BOLD;
  attributes[STYLE_SORTED] = A_BOLD | A_UNDERLINE;
  attributes[STYLE_CHOSEN] = A_REVERSE;
}

bool terminal_open(struct canvas *canvas)
{
  const char *no_colour = getenv("NO_COLOR");
  setlocale(LC_CTYPE, "");
  screen = newterm(NULL, stdout, stdin);
  if (!screen)
    return false;
  set_term(screen);
  set_attributes();
  canvas->unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  canvas->colour = (!no_colour || !*no_colour) && has_colors() && start_color() == OK && COLOR_PAIRS > STYLES;
  if (canvas->colour)
    set_colours();
  cbreak();
  noecho();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(25);
  curs_set(0);
  return terminal_fit(canvas);
}

void terminal_close(void)
{
  if (!screen)
    return;
  /* If the terminal keeps the screen, later output begins on a line of its own. */
  move(LINES - 1, 0);
  clrtoeol();
  refresh();
  endwin();
  delscreen(screen);
  screen = NULL;
}

bool terminal_fit(struct canvas *canvas)
{
  return canvas_resize(canvas, LINES, COLS);
}

void terminal_show(const struct canvas *canvas)
{
  erase();
  for (int row = 0; row < canvas->rows; row++)
    for (int column = 0; column < canvas->columns; column++) {
      const struct cell *cell = &canvas->cells[row * canvas->columns + column];
      wchar_t text[] = {cell->letter, 0};
      cchar_t letter;
      if (cell->letter && setcchar(&letter, text, attributes[cell->style], pairs[cell->style], NULL) == OK)
        mvadd_wch(row, column, &letter);
    }
  refresh();
}

int terminal_key(void)
{
  static const struct {
    wint_t curses;
    int key;
  } keys[] = {{KEY_UP, PRESSED_UP},       {KEY_DOWN, PRESSED_DOWN},     {KEY_LEFT, PRESSED_LEFT},
              {KEY_RIGHT, PRESSED_RIGHT}, {KEY_PPAGE, PRESSED_PAGE_UP}, {KEY_NPAGE, PRESSED_PAGE_DOWN},
              {KEY_HOME, PRESSED_HOME},   {KEY_END, PRESSED_END},       {KEY_BACKSPACE, PRESSED_BACKSPACE},
              {KEY_ENTER, PRESSED_ENTER}, {KEY_BTAB, PRESSED_BACK_TAB}, {KEY_RESIZE, PRESSED_RESIZE}};
  wint_t pressed;
  int kind;
  while ((kind = get_wch(&pressed)) != ERR) {
    if (kind != KEY_CODE_YES)
      return pressed == 127 || pressed == 8 ? PRESSED_BACKSPACE : pressed == '\r' ? PRESSED_ENTER : (int)pressed;
    for (size_t i = 0; i < COUNT_OF(keys); i++)
      if (keys[i].curses == pressed)
        return keys[i].key;
  }
  return 0;
}
