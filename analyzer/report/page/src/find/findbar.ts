// The field for searching: what is typed lists things, one of them is picked, and then its matches are gone through in time.

import type { Run } from '../bundle/types'
import { announce, button, h, short } from '../parts/dom'
import { count } from '../time/format'
import type { LaneStore } from '../lanes/store'
import { matchesOf, type Match, type Matches } from './matches'
import { KINDS, search, thingsOf, type Kind, type Thing } from './things'

export interface FindActions {
  /** Shows a match. */
  go(match: Match, thing: Thing): void
  /** A time in seconds: the next match is the first one that begins there or later. */
  now(): number
  /** Back to the chart. */
  leave(): void
}

export class FindBar {
  readonly element: HTMLElement
  matches: Matches | null = null
  thing: Thing | null = null
  /** other matches, or none */
  onchange: () => void = () => undefined
  private readonly input: HTMLInputElement
  private readonly list = h('ul', { class: 'find-list', role: 'listbox', id: 'find-list', hidden: true, aria: { label: 'what was found' } })
  private readonly text = h('span', { class: 'soft number', role: 'status' })
  private readonly steps: HTMLElement
  private things: Thing[] | null = null
  private found: Thing[] = []
  private chosen = 0
  private current = -1
  private turn = 0

  constructor(private readonly runs: Run[], private readonly stores: LaneStore[], private readonly actions: FindActions) {
    this.input = h('input', { type: 'search', class: 'find', placeholder: 'search (/)', role: 'combobox', title: 'Construct, line, lock, thread, state, event or function', aria: { label: 'search', expanded: 'false', controls: 'find-list', autocomplete: 'list' } })
    this.steps = h('span', { hidden: true }, button('‹', () => this.step(-1), 'The match before (, or Shift + Enter)', 'small'), button('›', () => this.step(1), 'The next match (. or Enter)', 'small'))
    this.element = h('div', { class: 'group find-bar', role: 'search' }, h('span', { class: 'find-place' }, this.input, this.list), this.steps, this.text)
    this.input.addEventListener('input', () => this.offer())
    this.input.addEventListener('focus', () => {
      if (!this.thing) this.offer()
    })
    this.input.addEventListener('blur', () => window.setTimeout(() => this.fold(), 150))
    this.input.addEventListener('keydown', event => this.key(event))
  }

  focus(): void {
    this.input.focus()
    this.input.select()
  }

  private fold(): void {
    this.list.hidden = true
    this.input.setAttribute('aria-expanded', 'false')
  }

  private offer(): void {
    this.things ??= thingsOf(this.runs)
    if (this.thing) this.clear()
    this.found = search(this.things, this.input.value)
    this.chosen = 0
    this.list.hidden = this.input.value.trim() === ''
    this.input.setAttribute('aria-expanded', String(!this.list.hidden))
    this.list.replaceChildren(...this.found.map((thing, i) => h('li', { id: `find-${i}`, role: 'option', title: short(`${thing.name} ${thing.more}`, 200), onpointerdown: event => {
      event.preventDefault()
      void this.pick(thing)
    } }, h('span', { class: 'clip' }, short(thing.name, 160)), h('span', { class: 'soft' }, thing.kind), h('span', { class: 'soft clip' }, short(thing.more, 80)))),
    ...(this.found.length === 0 ? [h('li', { class: 'soft' }, 'Nothing has this name.')] : []))
    this.mark()
  }

  private mark(): void {
    ;[...this.list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === this.chosen && this.found.length > 0)))
    if (this.found.length > 0) this.input.setAttribute('aria-activedescendant', `find-${this.chosen}`)
    else this.input.removeAttribute('aria-activedescendant')
    this.list.children[this.chosen]?.scrollIntoView({ block: 'nearest' })
  }

  private key(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.input.value = ''
      this.clear()
      this.fold()
      this.actions.leave()
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      this.chosen = Math.max(0, Math.min(this.found.length - 1, this.chosen + (event.key === 'ArrowDown' ? 1 : -1)))
      this.mark()
    } else if (event.key === 'Enter' && this.thing) this.step(event.shiftKey ? -1 : 1)
    else if (event.key === 'Enter' && this.found.length > 0) void this.pick(this.found[this.chosen])
    else return
    event.preventDefault()
  }

  /** Shows the first match from what is in sight on. */
  async pick(thing: Thing, jump = true): Promise<void> {
    this.input.value = thing.name.slice(0, 500)
    this.thing = thing
    this.fold()
    this.text.textContent = 'searching …'
    const turn = ++this.turn
    const matches = await matchesOf(this.stores, thing, () => turn === this.turn)
    if (turn !== this.turn || !matches) return
    this.matches = matches
    this.steps.hidden = matches.list.length === 0
    this.current = this.from(this.actions.now()) - 1
    if (jump && matches.list.length > 0) this.step(1)
    else this.say()
    this.onchange()
  }

  /** By kind and name, as an address has it. */
  async pickNamed(kind: string, name: string): Promise<void> {
    if (this.thing?.kind === kind && this.thing.name === name) return
    this.things ??= thingsOf(this.runs)
    const thing = KINDS.includes(kind as Kind) ? this.things.find(one => one.kind === kind && one.name === name) : undefined
    if (thing) await this.pick(thing, false)
    else this.clear()
  }

  clear(): void {
    this.turn++
    this.thing = null
    this.matches = null
    this.current = -1
    this.steps.hidden = true
    this.text.textContent = ''
    this.onchange()
  }

  private seconds({ run, begin }: Match): number {
    return begin / this.runs[run].timeline.ticks_per_second
  }

  /** The first match at or after a time. */
  private from(seconds: number): number {
    const list = this.matches?.list ?? []
    let [low, high] = [0, list.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.seconds(list[middle]) < seconds - 1e-12) low = middle + 1
      else high = middle
    }
    return low
  }

  step(direction: 1 | -1): void {
    const list = this.matches?.list ?? []
    if (list.length === 0 || !this.thing) return
    this.current = (this.current + direction + list.length) % list.length
    this.say()
    this.actions.go(list[this.current], this.thing)
  }

  private say(): void {
    const { matches } = this
    if (!matches) return
    const number = `${matches.exact ? '' : 'at least '}${count(matches.list.length)}`
    this.text.textContent = matches.list.length === 0 ? 'none in this timeline' : this.current < 0 ? `${number} matches` : `${count(this.current + 1)} of ${number}`
    this.text.title = matches.exact ? '' : 'Some are too short for this file, or too many: a match can stand for several. heddle view has all'
    announce(this.text.textContent)
  }
}
