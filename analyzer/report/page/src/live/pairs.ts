// Pairs of a metric and a focus: what is measured for them since they were added, a field to add one, a button to remove each.

import { announce, append, button, h, short } from '../parts/dom'
import { count, duration } from '../time/format'
import type { Row } from '../bundle/types'
import { secondsOf, textOf, type Answer } from './reading'

/** What came of a pair: a time, a number, or a value of the program's own. */
const amount = (row: Row, prefix: string): string => {
  const time = row[`${prefix}duration`]
  const number = row[`${prefix}count`]
  return time ? duration(secondsOf(time)) : typeof number === 'number' ? count(number) : textOf(row[`${prefix}value`])
}

export class Pairs {
  readonly element = h('div', { class: 'live-pairs' })
  private readonly field = h('input', { type: 'text', placeholder: 'METRIC or METRIC@FOCUS', title: 'As --pair of heddle live: lock-waiting@solver.c:120, tasks-made@thread=worker*', maxLength: 1000, aria: { label: 'metric to measure' }, data: { control: 'pair' } })
  private readonly alone = h('input', { type: 'checkbox', data: { control: 'alone' } })
  private readonly said = h('span', { class: 'live-said', role: 'alert' })
  private readonly known = h('datalist', { id: 'live-metrics-known' })
  private readonly list = h('div', { class: 'live-pair-list' })
  private shown = ''

  /** @param change asks heddle live for a change; gives what is against it, or null */
  constructor(private readonly change: (query: string) => Promise<string | null>) {
    this.field.setAttribute('list', this.known.id)
    const form = h('form', null, this.field, h('button', { type: 'submit', class: 'small', title: 'Measure this from now on' }, 'Add'),
      h('label', { title: 'The program measures what these pairs need, and nothing else' }, this.alone, ' measure these alone'), this.said)
    form.addEventListener('submit', event => {
      event.preventDefault()
      void this.ask(`add=${encodeURIComponent(this.field.value.trim())}`, () => { this.field.value = '' })
    })
    this.alone.addEventListener('change', () => void this.ask(`alone=${this.alone.checked ? 1 : 0}`))
    append(this.element, form, this.known, this.list)
  }

  /** The metrics that can be asked for. */
  know(metrics: readonly { metric: string; meaning: string }[]): void {
    this.known.replaceChildren(...metrics.map(({ metric, meaning }) => h('option', { value: metric }, meaning)))
  }

  show(answer: Answer): void {
    const pairs = Array.isArray(answer.pairs?.pairs) ? answer.pairs.pairs as Row[] : []
    const now = JSON.stringify([pairs, answer.alone])
    if (now === this.shown) return
    this.shown = now
    this.alone.checked = answer.alone === true
    this.list.replaceChildren(...pairs.map(row => {
      const name = textOf(row.pair)
      const remove = button('×', () => void this.ask(`remove=${encodeURIComponent(name)}`), 'Measure it no longer', 'small')
      return h('div', { class: 'live-pair', data: { pair: short(name, 400) } }, h('span', { class: 'clip', title: short(name, 200) }, short(name, 400)),
        h('span', { class: 'number', title: 'in the last interval' }, amount(row, '')), h('span', { class: 'number', title: 'since it was added' }, amount(row, 'sum_')), remove)
    }))
  }

  private async ask(query: string, done?: () => void): Promise<void> {
    let wrong: string | null
    try {
      wrong = await this.change(query)
    } catch {
      wrong = 'heddle live does not answer'
    }
    this.said.textContent = wrong ?? ''
    if (wrong) announce(wrong)
    else done?.()
    this.shown = ''
  }
}
