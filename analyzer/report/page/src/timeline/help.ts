// Which keys and mouse buttons do what.

import { h } from '../parts/dom'

const KEYS: [keys: string, does: string][] = [
  ['w s, Ctrl + wheel', 'zoom in and out at the pointer'],
  ['a d, ← →, Shift + wheel, drag', 'move in time'],
  ['Ctrl + ← →', 'move by the width of the chart'],
  ['↑ ↓, wheel', 'move by a thread'],
  ['Page up, Page down', 'move by the threads that can be seen'],
  ['Home, End (with Ctrl)', 'begin or end of the run (first or last thread)'],
  ['f', 'zoom to the selection, then the whole run'],
  ['0', 'the whole run'],
  ['Backspace', 'back to the view before'],
  ['drag on the axis', 'zoom to a stretch of time'],
  ['i, +, middle button', 'zoom in by one scale factor'],
  ['o, −, right button', 'zoom out by one scale factor'],
  ['click', 'select a state, and find it in the list'],
  ['double click', 'zoom to a state'],
  ['n, p', 'next and previous state of the thread'],
  ['Shift + drag', 'select time and threads: a pane has their statistics'],
  ['m', 'select the time of the chosen state, or what is in sight; again: forget it'],
  ['/', 'search; Enter or . is the next match, , the previous one'],
  ['t', 'keep the chosen thread above the others, or no longer'],
  ['h', 'hide the chosen thread'],
  ['g', 'fold the group of the chosen thread, or all groups'],
  ['b', 'note on the selection'],
  ['Esc', 'select nothing'],
]

export function keysHelp(): HTMLElement {
  const pane = h('aside', { class: 'help', hidden: true, aria: { label: 'Keys and mouse' } }, h('h3', null, 'Keys and mouse'),
    h('dl', null, ...KEYS.flatMap(([keys, does]) => [h('dt', null, keys), h('dd', null, does)])))
  pane.addEventListener('click', () => {
    pane.hidden = true
  })
  return pane
}
