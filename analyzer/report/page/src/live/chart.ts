// A small history: what was so in each of the last readings, the newest at the right, one upon the other.

import { h, svg } from '../parts/dom'
import { percent, span } from '../time/format'
import { KEPT } from './history'

export interface Series { name: string; color: string }

/** Heights that a chart of one series may have, in percent: it changes seldom. */
const HEIGHTS = [5, 10, 25, 50, 100]

export class Chart {
  readonly element: HTMLElement
  private readonly title = h('h2', null)
  private readonly legend = h('div', { class: 'live-legend' })
  private readonly areas = svg('g')
  private readonly guide = svg('rect', { class: 'guide', y: 0, width: 1, height: 100, visibility: 'hidden' })
  private readonly picture: SVGElement
  private readonly scale = ['', '', ''].map(() => h('span'))
  private readonly times = ['', '', ''].map(() => h('span'))
  private series: Series[] = []
  private values: (number[] | null)[] = []
  private interval = 1
  /** the reading under the pointer; -1: none */
  private pointed = -1

  constructor(name: string) {
    this.picture = svg('svg', { viewBox: `0 0 ${KEPT} 100`, preserveAspectRatio: 'none', role: 'img' },
      this.areas, ...[25, 50, 75].map(y => svg('line', { x1: 0, x2: KEPT, y1: y, y2: y })), this.guide)
    const place = h('div', { class: 'live-picture' }, this.picture)
    place.addEventListener('pointermove', event => {
      const { left, width } = place.getBoundingClientRect()
      this.point(Math.min(KEPT - 1, Math.max(0, Math.floor((event.clientX - left) / width * KEPT))))
    })
    place.addEventListener('pointerleave', () => this.point(-1))
    this.element = h('section', { class: 'live-chart', data: { chart: name } }, h('div', { class: 'live-chart-head' }, this.title, this.legend),
      h('div', { class: 'live-scale' }, ...this.scale), place, h('div', { class: 'live-times' }, ...this.times))
  }

  /** @param values percents of each series, by reading */
  draw(title: string, series: Series[], values: (number[] | null)[], interval: number): void {
    this.title.textContent = title
    this.title.title = title
    this.values = values
    this.interval = interval
    if (this.series.map(({ name }) => name).join() !== series.map(({ name }) => name).join()) this.makeLegend(series)
    const most = series.length > 1 ? 100 : values.reduce((sum, list) => Math.max(sum, list?.[0] ?? 0), 0)
    const height = HEIGHTS.find(one => most <= one) ?? 100
    const text = [`${height} %`, `${height / 2} %`, '0']
    this.scale.forEach((label, i) => { label.textContent = text[i] })
    const times = [`${span(KEPT * interval)} ago`, `${span(KEPT / 2 * interval)} ago`, 'now']
    this.times.forEach((label, i) => { label.textContent = times[i] })
    this.areas.replaceChildren(...series.map((one, i) => {
      const path = svg('path', { d: this.path(i, 100 / height) })
      path.style.fill = one.color
      return path
    }))
    this.tell()
  }

  /** The area of a series, upon those before: a step a reading. */
  private path(series: number, scale: number): string {
    let path = ''
    this.values.forEach((list, x) => {
      if (!list || !list[series]) return
      const below = list.slice(0, series).reduce((sum, value) => sum + value, 0)
      const top = 100 - Math.min(100, (below + list[series]) * scale)
      path += `M${x} ${(100 - below * scale).toFixed(2)}V${top.toFixed(2)}H${x + 1}V${(100 - below * scale).toFixed(2)}Z`
    })
    return path
  }

  private makeLegend(series: Series[]): void {
    this.series = series
    this.legend.replaceChildren(...series.map(({ name, color }) => {
      const chip = h('i', { class: 'chip' })
      chip.style.background = color
      return h('span', null, chip, `${name} `, h('b', { class: 'number' }, ''))
    }))
  }

  private point(slot: number): void {
    this.pointed = slot
    this.guide.setAttribute('visibility', slot < 0 ? 'hidden' : 'visible')
    this.guide.setAttribute('x', String(Math.max(0, slot)))
    this.tell()
  }

  /** The figures of the pointed reading, or of the newest one. */
  private tell(): void {
    const slot = this.pointed < 0 ? KEPT - 1 : this.pointed
    const values = this.values[slot]
    this.legend.querySelectorAll('b').forEach((label, i) => { label.textContent = values ? percent(values[i] ?? 0) : '–' })
    if (this.pointed >= 0) this.times[2].textContent = slot === KEPT - 1 ? 'now' : `${span((KEPT - 1 - slot) * this.interval)} ago`
    else this.times[2].textContent = 'now'
    this.times[2].classList.toggle('pointed', this.pointed >= 0)
    this.picture.setAttribute('aria-label', `${this.title.textContent ?? ''}: ${this.series.map(({ name }, i) => `${name} ${percent(values?.[i] ?? 0)}`).join(', ')}`)
  }
}
