/* Keys that are no letters. */
#ifndef HEDDLE_ANALYZER_SCREEN_KEYS_H
#define HEDDLE_ANALYZER_SCREEN_KEYS_H

enum key {
  PRESSED_ENTER = '\n',
  PRESSED_TAB = '\t',
  PRESSED_ESCAPE = 27,
  PRESSED_FIRST = 0x110000, /* beyond all letters */
  PRESSED_UP = PRESSED_FIRST,
  PRESSED_DOWN,
  PRESSED_LEFT,
  PRESSED_RIGHT,
  PRESSED_PAGE_UP,
  PRESSED_PAGE_DOWN,
  PRESSED_HOME,
  PRESSED_END,
  PRESSED_BACKSPACE,
  PRESSED_BACK_TAB,
  PRESSED_RESIZE /* not pressed: the terminal has another size */
};

#endif
