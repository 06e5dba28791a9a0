// Names of the threads beside their lines: as many elements as rows can be seen, used again and again.

import { h, short } from '../parts/dom'
import type { ChartView } from './chartview'

const NARROWEST = 60

export class NamePane {
  readonly element: HTMLElement
  readonly divider: HTMLElement
  onpick: (location: number) => void = () => undefined
  private readonly pool: HTMLElement[] = []
  private readonly shown: number[] = []

  constructor(private readonly chart: ChartView) {
    this.element = h('div', { class: 'names', aria: { hidden: 'true' } })
    this.divider = h('div', { class: 'divider', title: 'Drag to make room for names' })
    this.element.addEventListener('click', event => {
      const target = event.target as HTMLElement
      const row = target.closest<HTMLElement>('.name')?.dataset.location
      if (row === undefined || Number(row) < 0) return
      if (target.classList.contains('hide')) this.chart.hideThread(Number(row))
      else this.chart.element.dispatchEvent(new CustomEvent('pick', { detail: Number(row) }))
    })
    this.element.addEventListener('wheel', event => {
      this.chart.scroller.scrollTop += event.deltaY
    }, { passive: true })
    this.divider.addEventListener('pointerdown', event => {
      this.divider.setPointerCapture(event.pointerId)
      event.preventDefault()
    })
    this.divider.addEventListener('pointermove', event => {
      if (!this.divider.hasPointerCapture(event.pointerId)) return
      const left = this.chart.element.getBoundingClientRect().left
      const most = this.chart.element.clientWidth * 0.6
      const width = Math.min(most, Math.max(NARROWEST, event.clientX - left))
      document.documentElement.style.setProperty('--names-width', `${width}px`)
    })
  }

  /** @param first @param last rows that can be seen; heights in device pixels */
  draw(first: number, last: number, rowHeight: number, top: number): void {
    const { dpr } = this.chart.geometry
    const height = rowHeight / dpr
    // Names that would lie upon one another are left out.
    const every = Math.max(1, Math.ceil(11 / height))
    let used = 0
    for (let row = Math.ceil(first / every) * every; row < last; row += every) this.place(used++, row, row * height - top / dpr, height * every)
    for (let i = used; i < this.pool.length; i++) this.pool[i].hidden = true
  }

  private place(slot: number, row: number, y: number, height: number): void {
    let element = this.pool[slot]
    if (!element) {
      element = h('div', { class: 'name' }, h('span'), h('button', { type: 'button', class: 'hide', tabIndex: -1, title: 'Hide this thread (h)' }, '×'))
      this.pool[slot] = element
      this.element.append(element)
    }
    const { rows, run, mark, index } = this.chart
    const location = rows.order[row]
    element.hidden = false
    element.style.transform = `translateY(${y}px)`
    element.style.height = `${height}px`
    element.style.lineHeight = `${Math.min(height, 20)}px`
    element.classList.toggle('selected', mark.selected?.location === location && mark.selected.run === index)
    if (this.shown[slot] === location && element.dataset.heading === String(rows.headings[-1 - location] ?? '')) return
    this.shown[slot] = location
    const text = location >= 0 ? run.timeline.locations[location].name : rows.headings[-1 - location]
    ;(element.firstElementChild as HTMLElement).textContent = short(text, 300)
    element.title = short(location >= 0 ? `${text}${run.timeline.locations[location].process ? ` · ${run.timeline.locations[location].process}` : ''}` : text, 200)
    element.dataset.location = String(location)
    element.dataset.heading = rows.headings[-1 - location] ?? ''
    element.classList.toggle('heading', location < 0)
  }
}
