// Above each view of an instance: which sequence it is, and its steps, which can be undone and executed again.

import { announce, button, clipped, h, short } from '../parts/dom'
import { copyText } from '../parts/csv'
import { count, duration, percent } from '../time/format'
import type { Instance } from './instance'
import { commandOf } from './steps'

export interface HeadActions {
  changed(): void
  /** one more of the same beside it */
  double(): void
  /** null: it is the last one */
  close: (() => void) | null
  /** the part that the plots show, as a step; null: all of it */
  inSight(): string | null
}

function copier(what: string, text: () => string, title: string): HTMLButtonElement {
  return button(what, () => void copyText(text()).then(() => announce(`${what}: done.`)), title, 'small')
}

export function head(instance: Instance, actions: HeadActions): HTMLElement {
  const { data, totals, texts, at } = instance
  const go = (to: number): void => {
    instance.goTo(to)
    actions.changed()
  }
  const problem = h('span', { class: 'problem', role: 'alert' })
  const add = (text: string): void => {
    const said = instance.add(text)
    if (said) problem.textContent = short(said, 200)
    else actions.changed()
  }
  const field = h('input', { type: 'text', placeholder: 'filter-count 3', title: 'filter-time 1%, filter-count 3, clip-time 5%,95%, clip-range 10,90, aggregate A,B=NAME', class: 'step-field', aria: { label: 'a step' }, data: { control: 'step' } })
  const form = h('form', { class: 'inputs' }, field, h('button', { type: 'submit', class: 'small' }, 'Add step'), button('Clip to what is in sight', () => {
    const step = actions.inSight()
    if (step) add(step)
    else problem.textContent = 'The plots show all of it: drag over a plot to zoom in first.'
  }, 'A step that keeps what the time plot, or the plot by record, shows', 'small'), problem)
  form.addEventListener('submit', event => {
    event.preventDefault()
    add(field.value)
  })
  const undo = button('Undo', () => go(at - 1), 'Undo the last step', 'small')
  const redo = button('Redo', () => go(at + 1), 'Execute the step again', 'small')
  undo.disabled = at === 0
  redo.disabled = at === texts.length
  return h('div', { class: 'instance-head', data: { instance: '' } },
    h('div', { class: 'instance-title' }, h('h2', null, clipped(data.title || data.file)), h('span', { class: 'soft' }, clipped(data.file)),
      h('span', { class: 'right' }, button('Double', actions.double, 'The same once more beside it: before and after steps', 'small'), ...(actions.close ? [button('Close', actions.close, 'Take it from the page', 'small')] : []))),
    h('p', { class: 'soft number facts-line' }, factsOf(instance, totals.records, totals.distinct)),
    instance.whole ? h('div', { class: 'steps' }, undo, redo, h('ol', { aria: { label: 'steps' } }, ...texts.map((text, i) => {
      const step = button(text, () => go(i + 1), i < at ? 'Undo what follows this step' : 'Execute up to this step', `small step${i < at ? '' : ' undone'}`)
      return h('li', null, step)
    })), ...(texts.length === 0 ? [h('span', { class: 'soft' }, 'No steps yet.')] : []),
    copier('Copy command', () => commandOf(data.word, instance.done), 'The command line that makes this sequence'), copier('Copy list', () => `${instance.done.join('\n')}\n`, 'The steps as a list for heddle transform --list')) : null,
    instance.whole ? form : h('p', { class: 'soft' }, `The page holds ${count(totals.records)} records as parts, so steps are for the command line: `, h('code', null, commandOf(data.word, ['filter-time 1%']))))
}

function factsOf({ data, totals, sequence }: Instance, records: number, states: number): string {
  const time = duration(totals.duration / (data.ticks_per_second || 1))
  const parameters = data.parameters.map(([name, value]) => `${name} = ${value}`).join(', ')
  let aggregated = 0
  if (sequence) sequence.names.forEach(({ kind }, state) => {
    if (kind !== 'basic' && state < totals.time.length) aggregated += totals.time[state]
  })
  return `${count(records)} ${records === 1 ? 'record' : 'records'}, ${count(states)} ${states === 1 ? 'state' : 'states'}, ${time}${aggregated > 0 ? `, ${percent(aggregated / totals.duration * 100)} of it in aggregates` : ''}${parameters ? ` · ${short(parameters, 120)}` : ''}`
}
