// The program's events: their symbols, always in sight; a click hides a type or shows it again. Below it, unless closed, how each is drawn.

import { eventColor, SYMBOLS, tracePath, type EventStyle, type Symbol } from '../events/style'
import { pointsOf } from '../events/points'
import { relation } from '../events/relation'
import type { Run } from '../bundle/types'
import { button, h, short, svg } from '../parts/dom'
import { count } from '../time/format'
import type { Options } from './options'

const SIZE = 13
/** Types in sight; all are among the settings. */
const MOST = 12

function picture({ symbol, color }: EventStyle): Element {
  const steps: string[] = []
  const at = (letter: string) => (x: number, y: number): void => void steps.push(`${letter}${x} ${y}`)
  tracePath({ moveTo: at('M'), lineTo: at('L'), closePath: () => void steps.push('Z') }, symbol, SIZE / 2, SIZE / 2, 4.5)
  return svg('svg', { width: SIZE, height: SIZE, class: 'symbol', 'aria-hidden': 'true' }, svg('path', { d: steps.join(''), fill: 'none', stroke: eventColor(color), 'stroke-width': 2, 'stroke-linejoin': 'round', 'stroke-linecap': 'round' }))
}

export class EventLegend {
  readonly element = h('div', { class: 'event-legend', hidden: true })
  private open = false
  private readonly counts = new Map<string, number>()

  constructor(runs: Run[], private readonly options: Options) {
    for (const run of runs) for (const { name, count: number } of pointsOf(run)?.types ?? []) this.counts.set(name, (this.counts.get(name) ?? 0) + number)
    this.element.hidden = this.counts.size === 0
    this.draw()
    options.onchange(() => this.draw())
  }

  draw(): void {
    const all = [...this.options.events]
    const more = all.length - MOST
    this.element.replaceChildren(h('div', { class: 'legend', role: 'group', aria: { label: 'The program’s events; press one to hide it' } },
      h('span', { class: 'soft' }, 'Events'), ...all.slice(0, MOST).map(([name, style]) => this.chip(name, style)),
      button(this.open ? 'How they are drawn ▴' : `How they are drawn${more > 0 ? `, ${more} more` : ''} ▾`, () => {
        this.open = !this.open
        this.draw()
      }, 'Symbols, offsets, and which events', 'plain')),
    ...(this.open ? [this.settings(all)] : []))
  }

  private chip(name: string, style: EventStyle): HTMLElement {
    return h('button', {
      type: 'button', class: style.shown ? '' : 'off', aria: { pressed: String(style.shown) }, title: `${style.shown ? 'Hide' : 'Show'} ${short(name, 80)}: ${count(this.counts.get(name) ?? 0)} events`, data: { event: name },
      onclick: () => this.change(style, { shown: !style.shown }),
    }, picture(style), ` ${short(name, 40)}`)
  }

  private change(style: EventStyle, to: Partial<EventStyle>): void {
    Object.assign(style, to)
    this.options.changed(false)
  }

  private settings(all: [string, EventStyle][]): HTMLElement {
    return h('div', { class: 'event-settings' }, h('table', null,
      h('thead', null, h('tr', null, ...['Event', 'Number', 'Symbol', 'Offset', 'Only where'].map(title => h('th', { class: 'text' }, title)))),
      h('tbody', null, ...all.map(([name, style]) => this.row(name, style)))))
  }

  private row(name: string, style: EventStyle): HTMLElement {
    const shown = h('input', { type: 'checkbox', checked: style.shown, onchange: () => this.change(style, { shown: shown.checked }) })
    const symbol = h('select', { aria: { label: `symbol of ${short(name, 60)}` }, onchange: () => this.change(style, { symbol: symbol.value as Symbol }) }, ...SYMBOLS.map(text => h('option', { value: text }, text)))
    symbol.value = style.symbol
    const offset = h('input', { type: 'number', min: '-4', max: '4', class: 'tiny', value: String(style.offset), aria: { label: `offset of ${short(name, 60)}` }, title: 'Quarters of the line’s height, downwards', onchange: () => this.change(style, { offset: Math.max(-4, Math.min(4, Number(offset.value) || 0)) }) })
    const where = h('input', {
      type: 'text', value: style.where, placeholder: 'norm > 0.5 && step < 10', aria: { label: `which of ${short(name, 60)}` }, onchange: () => {
        try {
          relation(where.value)
          this.change(style, { where: where.value.trim() })
        } catch (error) {
          where.setCustomValidity((error as Error).message)
          where.reportValidity()
        }
      }, oninput: () => where.setCustomValidity(''),
    })
    return h('tr', null, h('td', { class: 'text' }, h('label', null, shown, short(name, 60))), h('td', null, count(this.counts.get(name) ?? 0)), h('td', { class: 'text' }, symbol), h('td', { class: 'text' }, offset), h('td', { class: 'text' }, where))
  }
}
