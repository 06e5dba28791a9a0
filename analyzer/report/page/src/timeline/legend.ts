// The states' colours, always in sight; a click hides a state or shows it again.

import type { Run } from '../bundle/types'
import { h } from '../parts/dom'
import { stateCss } from '../look/colors'
import type { Options } from './options'
import { stateKeys } from './paint'

/** States that occur in the run. */
export function statesThatOccur(run: Run): number[] {
  return run.timeline.states.map((_, i) => i).filter(state => run.timeline.bins.ticks[state]?.some(ticks => ticks > 0))
}

export class Legend {
  readonly element = h('div', { class: 'legend', role: 'group', aria: { label: 'States; press one to hide it' } })

  constructor(private readonly runs: Run[], private readonly options: Options) {
    this.draw()
    options.onchange(() => this.draw())
  }

  draw(): void {
    const shown = new Map<string, { name: string; index: number }>()
    for (const run of this.runs) {
      const keys = stateKeys(run)
      for (const state of statesThatOccur(run)) shown.set(keys[state], { name: run.timeline.states[state], index: state })
    }
    this.element.replaceChildren(...[...shown].map(([key, { name, index }]) => {
      const chip = h('i', { class: 'chip' })
      chip.style.background = stateCss(key, index)
      const hidden = this.options.hidden.has(key)
      return h('button', {
        type: 'button', class: hidden ? 'off' : '', aria: { pressed: String(!hidden) }, title: hidden ? `Show ${name}` : `Hide ${name}`, data: { state: key },
        onclick: () => {
          if (hidden) this.options.hidden.delete(key)
          else this.options.hidden.add(key)
          this.options.changed(false)
        },
      }, chip, name)
    }), this.elided())
  }

  private elided(): HTMLElement {
    const { options } = this
    const chip = h('i', { class: options.black ? 'chip elided' : 'chip mixed' })
    return h('button', {
      type: 'button', class: 'elided', aria: { pressed: String(options.black) }, data: { control: 'elided' },
      title: `Several states in a row, each shorter than a pixel: zoom in to see them. ${options.black ? 'Show how much of each there is, one upon the other' : 'Show them in the colour of ink'}`,
      onclick: () => {
        options.black = !options.black
        options.changed(false)
      },
    }, chip, options.black ? 'shorter than a pixel: ink' : 'shorter than a pixel: shares of a pixel’s time')
  }
}
