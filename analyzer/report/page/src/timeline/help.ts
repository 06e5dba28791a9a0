// Which keys and mouse buttons do what.

import { h } from '../parts/dom'

const KEYS: [keys: string, does: string][] = [
  ['i, +, middle button', 'zoom in by one scale factor'],
  ['o, −, right button', 'zoom out by one scale factor'],
  ['Ctrl + wheel', 'zoom at the pointer'],
  ['← →, Shift + wheel, drag', 'move in time'],
  ['Ctrl + ← →', 'move by the width of the chart'],
  ['↑ ↓, wheel', 'move by a thread'],
  ['Page up, Page down', 'move by the threads that can be seen'],
  ['Home, End (with Ctrl)', 'begin or end of the run (first or last thread)'],
  ['f', 'the whole run'],
  ['click', 'select a state, and find it in the list'],
  ['double click', 'zoom to a state'],
  ['n, p', 'next and previous state of the thread'],
  ['Shift + drag', 'measure between two points; m forgets it'],
  ['drag on the axis', 'zoom to a stretch of time'],
  ['h', 'hide the selected thread'],
  ['Esc', 'select nothing'],
]

export function keysHelp(): HTMLElement {
  const pane = h('aside', { class: 'help', hidden: true }, h('h3', null, 'Keys and mouse'),
    h('dl', null, ...KEYS.flatMap(([keys, does]) => [h('dt', null, keys), h('dd', null, does)])))
  pane.addEventListener('click', () => {
    pane.hidden = true
  })
  return pane
}
