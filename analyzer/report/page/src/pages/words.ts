// What the words mean: states, kinds of the account, and figures.

import type { App, Page } from '../app'
import { h } from '../parts/dom'
import { kindCss, stateCss } from '../look/colors'
import { CAUSES, NAMES } from '../look/states'
import { FIGURE_WORDS, KIND_WORDS, STATE_WORDS } from '../look/words'

function list(words: [name: string, meaning: string, color: string][]): HTMLElement {
  return h('dl', { class: 'facts words' }, ...words.flatMap(([name, meaning, color]) => {
    const chip = h('i', { class: 'chip' })
    chip.style.background = color
    return [h('dt', null, color ? chip : null, name), h('dd', null, meaning)]
  }))
}

function whole(_: App): HTMLElement {
  const names = new Map([...NAMES, ...CAUSES])
  return h('div', { tabIndex: 0, role: 'region', aria: { label: 'What the words mean' } }, // keys scroll it
    h('section', null, h('h2', null, 'States of threads'), h('p', { class: 'soft' }, 'A thread is in one state at a time.'),
      list(Object.entries(STATE_WORDS).map(([key, meaning]) => [names.get(key) ?? key, meaning, stateCss(key, 0)]))),
    h('section', null, h('h2', null, 'What the processors’ time went to'), list(Object.entries(KIND_WORDS).map(([kind, meaning]) => [kind, meaning, kindCss(kind)]))),
    h('section', null, h('h2', null, 'Figures'), list(FIGURE_WORDS.map(([word, meaning]) => [word, meaning, '']))))
}

export const words: Page = { id: 'words', title: 'Words', whole }
