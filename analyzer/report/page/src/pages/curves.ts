// Curves over time of any state or construct of any thread, and arithmetic between them.

import type { App, Page } from '../app'
import { rowsOf, type Row, type Run, type Time } from '../bundle/types'
import type { LaneStore } from '../lanes/store'
import { button, h, short } from '../parts/dom'
import { plot, type Series } from '../parts/plot'
import { isDark } from '../look/colors'
import { statesThatOccur } from '../timeline/legend'
import { histogram } from '../events/curves'
import { numberText } from '../events/number'
import { pointsOf } from '../events/points'
import { lengthHistogram } from '../intervals/curves'
import { intervalsOf } from '../intervals/intervals'
import { duration, sinceStart } from '../time/format'
import { countableRegions, curve, POINTS, type Measure, type Wanted } from './counts'
import { evaluate, type Curve } from './expression'

const LETTERS = 'ABCDEF'
/** Threads that can be picked by name; beyond these, by number. */
const LISTED_THREADS = 2000

const COLORS: [light: string, dark: string][] = [
  ['#0072b2', '#4aa8e0'], ['#d55e00', '#ee8a4a'], ['#009e73', '#2fc79b'], ['#8a3ffc', '#b794ff'], ['#7a5c00', '#d0b04a'], ['#a50f15', '#ff7b7b'],
]
const colorOf = (index: number): string => COLORS[index % COLORS.length][isDark() ? 1 : 0]

const BUSY = 0.1

/** The threads of the first curves: two that work, not one that sleeps, as many of a JVM's do. */
function firstThreads(run: Run): number[] {
  const ran = (row: Row): number => (row.run as Time | undefined)?.ticks ?? 0
  const threads = rowsOf(run.documents.states, 'threads').filter(row => typeof row.thread === 'number')
  const most = Math.max(0, ...threads.map(ran))
  const busy = threads.filter(row => ran(row) > 0 && ran(row) >= BUSY * most)
  const found = [...busy, ...threads.filter(row => !busy.includes(row))].slice(0, 2).map(row => row.thread as number)
  return found.length > 0 ? found : [0]
}

class Definition {
  readonly element: HTMLElement
  readonly measure: HTMLSelectElement
  readonly what: HTMLSelectElement
  readonly thread: HTMLSelectElement
  readonly attribute: HTMLSelectElement

  constructor(run: Run, letter: string, changed: () => void, remove: () => void) {
    const option = (value: string, text: string): HTMLOptionElement => h('option', { value }, short(text, 70))
    this.measure = h('select', { aria: { label: `curve ${letter}: measure` } }, option('count', 'number of'), option('rate', 'number per second of'), option('open', 'number at a time of'), option('time', 'time in'), option('mean', 'mean duration of'), option('value', 'value in'))
    this.what = h('select', { aria: { label: `curve ${letter}: what` } }, ...(intervalsOf(run)?.kinds ?? []).map(({ name }, i) => option(`i${i}`, `interval ${name}`)), ...statesThatOccur(run).map(state => option(`s${state}`, run.timeline.states[state])),
      ...countableRegions(run).map(i => option(`r${i}`, run.timeline.regions[i].name)), option('s-1', 'any state'))
    this.thread = h('select', { aria: { label: `curve ${letter}: thread` } }, option('', 'all threads'), ...run.timeline.locations.slice(0, LISTED_THREADS).map(({ name }, i) => option(String(i), name)))
    this.attribute = h('select', { hidden: true, aria: { label: `curve ${letter}: attribute` } })
    this.measure.addEventListener('change', () => this.offerAttributes(run))
    this.what.addEventListener('change', () => this.offerAttributes(run))
    this.offerAttributes(run)
    for (const select of [this.measure, this.what, this.thread, this.attribute]) select.addEventListener('change', changed)
    this.element = h('div', { class: 'inputs' }, h('b', null, letter), this.measure, this.attribute, this.what, h('span', { class: 'soft' }, 'on'), this.thread, button('×', remove, 'Remove this curve', 'small'))
  }

  /** Only the program's events have values. */
  private offerAttributes(run: Run): void {
    const region = this.what.value.startsWith('r') ? Number(this.what.value.slice(1)) : -1
    const names = pointsOf(run)?.types.find(type => type.region === region)?.attributes ?? []
    const value = this.measure.options[this.measure.options.length - 1]
    value.disabled = names.length === 0
    if (value.disabled && this.measure.value === 'value') this.measure.value = 'count'
    this.attribute.hidden = this.measure.value !== 'value'
    const before = this.attribute.value
    this.attribute.replaceChildren(...names.map(name => h('option', { value: name }, short(name, 70))))
    if (names.includes(before)) this.attribute.value = before
  }

  /** The curve in words, as its fields say it, which are not on paper. */
  get says(): string {
    const said = (select: HTMLSelectElement): string => select.hidden ? '' : short(select.selectedOptions[0]?.textContent ?? '', 60)
    return [said(this.measure), said(this.attribute), said(this.what)].filter(Boolean).join(' ') + (this.thread.value === '' ? '' : `, ${said(this.thread)}`)
  }

  /** what the curve is of */
  wanted(cumulative: boolean): Wanted {
    const { measure, what, thread, attribute } = this
    const chosen = Number(what.value.slice(1))
    return {
      measure: measure.value as Measure, ...(what.value.startsWith('i') ? { interval: chosen } : {}), state: what.value.startsWith('s') ? chosen : -1, region: what.value.startsWith('r') ? chosen : -1,
      location: thread.value === '' ? null : Number(thread.value), cumulative, attribute: attribute.value,
    }
  }
}

class Curves {
  readonly element: HTMLElement
  private readonly definitions: Definition[] = []
  private readonly list = h('div')
  private readonly picture = h('div')
  private readonly onPaper = h('p', { class: 'on-paper' })
  private readonly histograms = h('div', { class: 'histograms' })
  private readonly state = h('p', { class: 'soft', role: 'status' })
  private readonly expressions: HTMLInputElement
  private readonly cumulative: HTMLInputElement
  private readonly smoothing: HTMLInputElement
  private turn = 0

  constructor(private readonly run: Run, private readonly store: LaneStore) {
    this.expressions = h('input', { type: 'text', class: 'wide', placeholder: 'A; B; A - B; smooth(A / B, 9)', aria: { label: 'curves to show' }, onchange: () => void this.draw() })
    this.cumulative = h('input', { type: 'checkbox', checked: true, onchange: () => void this.draw() })
    this.smoothing = h('input', { type: 'number', min: '1', max: '200', value: '1', class: 'narrow', aria: { label: 'smoothing in points' }, onchange: () => void this.draw() })
    this.element = h('div', null,
      h('p', { class: 'soft' }, 'A steep curve is progress, a flat one is a thread that does none of it. Curves that end at different heights show uneven shares.'),
      this.list,
      h('div', { class: 'inputs' }, button('Add a curve', () => this.add(), undefined, 'small'), h('label', null, this.cumulative, 'counted from the start'),
        h('label', null, 'smooth over ', this.smoothing, ' points'), h('label', null, 'show ', this.expressions), h('span', { class: 'soft' }, '+ − * / and smooth( , ) between curves; several with ;')),
      this.state, this.picture, this.onPaper, this.histograms)
    for (const location of firstThreads(run)) this.add(String(location))
  }

  private add(thread = ''): void {
    if (this.definitions.length >= LETTERS.length) return
    const definition = new Definition(this.run, LETTERS[this.definitions.length], () => void this.draw(), () => this.remove(definition))
    definition.thread.value = thread
    this.definitions.push(definition)
    this.list.append(definition.element)
    void this.draw()
  }

  private remove(definition: Definition): void {
    if (this.definitions.length === 1) return
    const at = this.definitions.indexOf(definition)
    this.definitions.splice(at, 1)
    definition.element.remove()
    this.definitions.forEach(({ element }, i) => {
      (element.firstElementChild as HTMLElement).textContent = LETTERS[i]
    })
    void this.draw()
  }

  private async computed(turn: number): Promise<Map<string, Curve> | null> {
    const scope = new Map<string, Curve>()
    for (const [i, definition] of this.definitions.entries()) {
      const result = await curve(this.run, this.store, definition.wanted(this.cumulative.checked), part => {
        this.state.textContent = part > 0 ? `Reading ${LETTERS[i]}: ${Math.round(part * 100)} %` : ''
        return turn !== this.turn
      })
      if (!result || turn !== this.turn) return null
      scope.set(LETTERS[i], result)
    }
    return scope
  }

  async draw(): Promise<void> {
    const turn = ++this.turn
    try {
      const scope = await this.computed(turn)
      if (!scope) return
      const texts = this.expressions.value.split(';').map(text => text.trim()).filter(Boolean)
      const width = Math.max(1, Number(this.smoothing.value) || 1)
      const series: Series[] = (texts.length > 0 ? texts : [...scope.keys()]).slice(0, 12).map((text, i) => ({
        name: text, color: () => colorOf(i), values: evaluate(width > 1 ? `smooth(${text}, ${width})` : text, scope, POINTS),
      }))
      this.show(series)
      this.onPaper.textContent = this.definitions.map((definition, i) => `${LETTERS[i]}: ${definition.says}`).join('; ')
      this.showHistograms()
      this.state.textContent = this.omitted() || (this.store.finest > 0 ? 'The shortest states are not counted: this file leaves them out. heddle view TRACE has all.' : '')
      this.state.classList.remove('problem')
    } catch (error) {
      this.state.textContent = `${this.expressions.value}: ${error instanceof Error ? error.message : String(error)}.`
      this.state.classList.add('problem')
    }
  }

  /** A sentence about events of which only some are in the page. */
  private omitted(): string {
    const points = pointsOf(this.run)
    const chosen = this.definitions.flatMap(definition => points?.types.find(({ region }) => region === definition.wanted(false).region) ?? [])
    const every = Math.max(1, ...chosen.map(type => type.every))
    const kinds = this.definitions.flatMap(definition => intervalsOf(this.run)?.kinds[definition.wanted(false).interval ?? -1] ?? [])
    if (kinds.some(kind => kind.every > 1)) return 'Of the intervals this page has only some, which stand for the others: sums of all threads are exact, places and those of single threads are not. heddle intervals --list has all.'
    return every > 1 ? `Of the events this page has 1 of ${every}, which stands for the others. heddle events has all.` : ''
  }

  /** How often an event's attribute had which value, and how long intervals are. */
  private showHistograms(): void {
    const points = pointsOf(this.run)
    const intervals = intervalsOf(this.run)
    const rate = this.run.timeline.ticks_per_second
    this.histograms.replaceChildren(...this.definitions.flatMap((definition, i) => {
      const wanted = definition.wanted(false)
      if (intervals && wanted.interval !== undefined) {
        const lengths = lengthHistogram(intervals, { kind: wanted.interval, location: wanted.location })
        return lengths === null ? [] : [h('div', { class: 'part' }, h('h3', null, `${LETTERS[i]}: how long ${short(intervals.kinds[wanted.interval].name, 60)} takes`), plot({
          x: lengths.x, xText: bar => `< ${duration(2 ** bar / rate)}`, height: 180, bars: true, series: [{ name: 'intervals', color: () => colorOf(i), values: lengths.count }], xLabel: 'shorter than, and not shorter than half of it',
        }))]
      }
      const bars = points && wanted.measure === 'value' ? histogram(points, wanted, wanted.attribute ?? '') : null
      if (!bars) return []
      const name = `${LETTERS[i]}: events by ${short(wanted.attribute ?? '', 60)}`
      return [h('div', { class: 'part' }, h('h3', null, name), plot({
        x: bars.x, xText: numberText, height: 180, bars: true, series: [{ name: 'events', color: () => colorOf(i), values: bars.count }], xLabel: short(wanted.attribute ?? '', 60),
      }))]
    }))
  }

  private show(series: Series[]): void {
    const { duration: ticks, ticks_per_second } = this.run.timeline
    const step = ticks / ticks_per_second / POINTS
    // Where numbers and times are mixed, in expressions, there is no unit.
    const times = this.definitions.every(({ measure }) => measure.value === 'time' || measure.value === 'mean')
    this.picture.replaceChildren(plot({
      x: Array.from({ length: POINTS }, (_, i) => sinceStart((i + 1) * step)), height: 320, series, y: times ? 'time' : 'number',
    }))
  }
}

function build(app: App, run: Run, index: number): HTMLElement {
  if (run.timeline.locations.length === 0) return h('p', { class: 'empty' }, 'No thread was recorded.')
  return new Curves(run, app.stores[index]).element
}

export const curves: Page = { id: 'curves', title: 'Curves', build }
