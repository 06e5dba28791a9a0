// What is shown of the samples: trigger, unit, thread, construct, state, and names that are searched for.

import type { CallsDocument, Run } from '../bundle/types'
import { h, short } from '../parts/dom'
import { count } from '../time/format'
import { unitsOf, type Unit } from './amount'
import { ANY, type Selection } from './tree'

const NAME = 80

interface Choice { value: string; text: string }

/** Those with samples of the trigger, the most first; numbers of ns tell nothing. */
function choices(document: CallsDocument, trigger: number, of: 1 | 2 | 3, name: (index: number) => string): Choice[] {
  const sums = new Map<number, number>()
  for (const cell of document.cells) if (cell[4] === trigger) sums.set(cell[of], (sums.get(cell[of]) ?? 0) + cell[5])
  return [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([index, samples]) => ({ value: String(index), text: document.exact ? short(name(index), NAME) : `${short(name(index), NAME)} (${count(samples)})` }))
}

/** The trigger that is shown at first: the first one of time. */
export const firstTrigger = (document: CallsDocument): number => Math.max(0, document.triggers.findIndex(({ timed }) => timed))

export class Filters {
  readonly element: HTMLElement
  onchange: () => void = () => undefined
  /** the names that are searched for have changed */
  onsearch: () => void = () => undefined
  private readonly trigger = h('select', { aria: { label: 'trigger' } })
  private readonly unit = h('select', { aria: { label: 'unit' } })
  private readonly thread = h('select', { class: 'choice', aria: { label: 'thread' } })
  private readonly construct = h('select', { class: 'choice', aria: { label: 'construct' } })
  private readonly state = h('select', { class: 'choice', aria: { label: 'state' } })
  private readonly search = h('input', { type: 'search', class: 'filter', placeholder: 'part of a name', aria: { label: 'search functions' } })

  constructor(private readonly document: CallsDocument, private readonly run: Run) {
    this.trigger.append(...document.triggers.map(({ name, samples }, i) => h('option', { value: String(i) }, document.exact ? name : `${short(name, NAME)} (${count(samples)})`)))
    this.trigger.value = String(firstTrigger(document))
    this.offer()
    this.trigger.addEventListener('change', () => {
      this.offer()
      this.onchange()
    })
    for (const select of [this.unit, this.thread, this.construct, this.state]) select.addEventListener('change', () => this.onchange())
    this.search.addEventListener('input', () => this.onsearch())
    const label = (text: string, input: HTMLElement): HTMLElement => h('label', null, `${text} `, input)
    this.element = h('div', { class: 'inputs calls-filters' },
      document.triggers.length > 1 ? label(document.exact ? 'figure' : 'samples by', this.trigger) : null, document.exact ? null : label('in', this.unit),
      document.by_thread ? label('thread', this.thread) : null, ...(document.exact ? [] : [label('construct', this.construct), label('state', this.state)]), label('search', this.search))
  }

  /** Units, threads, ... are those of the trigger; what was chosen stays if it is there. */
  private offer(): void {
    const { document, run } = this
    const at = Number(this.trigger.value)
    const fill = (select: HTMLSelectElement, list: Choice[]): void => {
      const before = select.value
      select.replaceChildren(...list.map(({ value, text }) => h('option', { value }, text)))
      select.value = list.some(({ value }) => value === before) ? before : list[0]?.value ?? ''
    }
    const any = (text: string): Choice => ({ value: String(ANY), text })
    fill(this.unit, unitsOf(document.triggers[at], document.exact).map(unit => ({ value: unit, text: unit })))
    fill(this.thread, [any('all'), ...choices(document, at, 1, index => run.timeline.locations[index]?.name ?? `thread ${index}`)])
    fill(this.construct, [any('all'), ...choices(document, at, 2, index => index < 0 ? 'outside of constructs' : run.timeline.regions[index]?.name ?? `region ${index}`)])
    fill(this.state, [any('all'), ...choices(document, at, 3, index => document.states[index].name)])
  }

  get selection(): Selection {
    return { trigger: Number(this.trigger.value), location: Number(this.thread.value), region: Number(this.construct.value), state: Number(this.state.value) }
  }

  get chosenUnit(): Unit {
    return this.unit.value as Unit
  }

  /** Whether a name is searched for; null: nothing is. */
  get wanted(): ((name: string) => boolean) | null {
    const text = this.search.value.trim().toLowerCase()
    return text === '' ? null : name => name.toLowerCase().includes(text)
  }
}
