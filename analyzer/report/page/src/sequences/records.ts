// The records as text, what `heddle pes --records` prints. Only lines in sight are in the document.

import { h, short } from '../parts/dom'
import { count, duration } from '../time/format'
import type { Instance } from './instance'
import { kindOf, nameOf, overAt } from './sequence'

/** Height of a line in pixels; sequences.css has it, too. */
const LINE = 22

export function records(instance: Instance): HTMLElement {
  const { sequence, data, names } = instance
  if (!sequence) {
    return h('p', { class: 'empty' }, `The sequence has ${count(data.records)} records, more than the page holds. `, h('code', null, `heddle pes --records ${data.word}`), ' prints them.')
  }
  const { entry, state } = sequence
  const begin = BigInt(data.begin)
  const list = h('div', { class: 'lines-list' })
  list.style.height = `${entry.length * LINE}px`
  const body = h('div', { class: 'lines', tabIndex: 0, role: 'table', aria: { label: 'records', rowcount: String(entry.length) } },
    h('div', { class: 'line head', role: 'row' }, ...['#', 'entry (ticks)', 'since begin', 'duration', 'kind', 'state', 'stands for'].map(title => h('span', { role: 'columnheader' }, title))), list)
  const time = (ticks: number): string => duration(ticks * instance.seconds)
  const line = (i: number): HTMLElement => {
    const [name, text] = [nameOf(names, state[i]), names.get(state[i])?.standsFor ?? '']
    const element = h('div', { class: 'line', role: 'row' }, ...[count(i + 1), String(begin + BigInt(entry[i])), time(entry[i]), time(overAt(sequence, i) - entry[i]), kindOf(names, state[i])].map(cell => h('span', { role: 'cell' }, cell)),
      h('span', { role: 'cell', title: short(name, 200) }, short(name, 200)), h('span', { role: 'cell', title: text }, text))
    element.style.transform = `translateY(${i * LINE}px)`
    return element
  }
  const draw = (): void => {
    const first = Math.max(0, Math.floor(body.scrollTop / LINE) - 1)
    const lines = Math.min(entry.length - first, Math.ceil(body.clientHeight / LINE) + 2)
    list.replaceChildren(...Array.from({ length: Math.max(0, lines) }, (_, i) => line(first + i)))
  }
  body.addEventListener('scroll', draw)
  new ResizeObserver(draw).observe(body)
  return h('div', null, h('p', { class: 'soft' }, `${count(entry.length)} records, over at ${time(sequence.end)}${sequence.terminal === null ? '' : `; then ${short(nameOf(names, sequence.terminal), 60)}`}.`), body)
}
