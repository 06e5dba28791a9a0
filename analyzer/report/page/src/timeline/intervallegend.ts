// The intervals of a specification: their colours, always in sight; a click hides a kind or shows it again. Below it, unless closed, their figures.

import type { IntervalKind, Run } from '../bundle/types'
import { intervalsOf } from '../intervals/intervals'
import { intervalColor, type IntervalStyle } from '../intervals/style'
import { button, h, short, svg } from '../parts/dom'
import { count, duration } from '../time/format'
import type { Options } from './options'

const SIZE = 13
/** Kinds in sight; all are in the table. */
const MOST = 12

function picture({ drawn, color }: IntervalStyle): Element {
  const stroke = { stroke: intervalColor(color), 'stroke-width': 2, fill: drawn === 'line' ? 'none' : intervalColor(color), 'fill-opacity': 0.4, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }
  return svg('svg', { width: SIZE, height: SIZE, class: 'symbol', 'aria-hidden': 'true' }, svg('path', { d: drawn === 'line' ? 'M2 2L11 11M11 6L11 11L6 11' : 'M1.5 3.5H11.5V9.5H1.5Z', ...stroke }))
}

export class IntervalLegend {
  readonly element = h('div', { class: 'event-legend interval-legend', hidden: true })
  private open = false
  private readonly counts = new Map<string, number>()

  constructor(private readonly runs: Run[], private readonly options: Options) {
    for (const run of runs) for (const { name, count: number } of intervalsOf(run)?.kinds ?? []) this.counts.set(name, (this.counts.get(name) ?? 0) + number)
    this.element.hidden = this.counts.size === 0
    this.draw()
    options.onchange(() => this.draw())
  }

  draw(): void {
    const all = [...this.options.intervals]
    const more = all.length - MOST
    this.element.replaceChildren(h('div', { class: 'legend', role: 'group', aria: { label: 'Intervals of the specification; press one to hide it' } },
      h('span', { class: 'soft' }, 'Intervals'), ...all.slice(0, MOST).map(([name, style]) => this.chip(name, style)),
      button(this.open ? 'Figures ▴' : `Figures${more > 0 ? `, ${more} more` : ''} ▾`, () => {
        this.open = !this.open
        this.draw()
      }, 'How many there are, how long they are, and how they are drawn', 'plain')),
    ...(this.open ? this.runs.flatMap(run => this.figures(run)) : []))
  }

  private chip(name: string, style: IntervalStyle): HTMLElement {
    return h('button', {
      type: 'button', class: style.shown ? '' : 'off', aria: { pressed: String(style.shown) }, title: `${style.shown ? 'Hide' : 'Show'} ${short(name, 80)}: ${count(this.counts.get(name) ?? 0)} intervals`, data: { interval: name },
      onclick: () => this.change(style, { shown: !style.shown }),
    }, picture(style), ` ${short(name, 40)}`)
  }

  private change(style: IntervalStyle, to: Partial<IntervalStyle>): void {
    Object.assign(style, to)
    this.options.changed(false)
  }

  private figures(run: Run): HTMLElement[] {
    const { intervals } = run.documents
    if (!intervals) return []
    const every = Math.max(1, ...intervals.kinds.map(kind => kind.every))
    const broken = intervals.assertions.filter(({ violated }) => violated > 0)
    return [h('div', { class: 'event-settings' }, h('table', null,
      h('thead', null, h('tr', null, ...['Interval', 'Drawn as', 'Number', 'Starts alone', 'Ends alone', 'Mean', 'Median', '99 %', 'Longest'].map((title, i) => h('th', { class: i < 2 ? 'text' : '' }, title)))),
      h('tbody', null, ...intervals.kinds.map(kind => this.row(run, kind))))),
    ...(every > 1 ? [h('p', { class: 'soft' }, `This page has one of ${count(every)} intervals or more: the longest of each so many in a row stands for the others. heddle intervals --list has all.`)] : []),
    ...broken.map(({ text, held, violated }) => h('p', { class: 'problem' }, `Does not hold${held + violated > 1 ? ` for ${count(violated)} of ${count(held + violated)}` : ''}: ${short(text, 300)}`))]
  }

  private row(run: Run, kind: IntervalKind): HTMLElement {
    const style = this.options.intervals.get(kind.name) as IntervalStyle
    const time = (ticks: number): HTMLElement => h('td', null, kind.count > 0 ? duration(ticks / run.timeline.ticks_per_second) : '')
    const drawn = h('select', { aria: { label: `how ${short(kind.name, 60)} is drawn` }, onchange: () => this.change(style, { drawn: drawn.value as IntervalStyle['drawn'] }) },
      ...['line', 'rectangle'].map(text => h('option', { value: text }, text)))
    drawn.value = style.drawn
    return h('tr', null, h('td', { class: 'text' }, short(kind.name, 60)), h('td', { class: 'text' }, drawn), h('td', null, count(kind.count)), h('td', null, count(kind.unmatched_starts)), h('td', null, count(kind.unmatched_ends)),
      time(kind.mean), time(kind.median), time(kind.p99), time(kind.max))
  }
}
