// Names of the threads beside their lines: as many elements as rows can be seen, used again and again.

import type { Run } from '../bundle/types'
import { h, short } from '../parts/dom'
import type { ChartView } from './chartview'

const NARROWEST = 60

/** A construct's name, or what a processor did for nobody here. */
export function regionName(run: Run, region: number): string {
  const { name, state } = run.timeline.regions[region]
  return state === 'idle' && name === 'no recorded thread' ? 'not this program' : name
}

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
      if (row === undefined) return
      if (Number(row) < 0) this.chart.fold(this.chart.rows.headings[-1 - Number(row)])
      else if (target.classList.contains('pin')) this.chart.pin(Number(row))
      else if (target.classList.contains('hide')) this.chart.hideThread(Number(row))
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

  /** @param scrolled first row that can be seen, and behind the last one @param fixed rows that stay above them; heights in device pixels */
  draw(scrolled: [number, number], fixed: number, rowHeight: number, top: number): void {
    const { dpr } = this.chart.geometry
    const height = rowHeight / dpr
    // Names that would lie upon one another are left out.
    const every = Math.max(1, Math.ceil(11 / height))
    let used = 0
    for (let row = Math.ceil(scrolled[0] / every) * every; row < scrolled[1]; row += every) this.place(used++, row, row * height - top / dpr, height * every, false)
    for (let row = 0; row < fixed; row += every) this.place(used++, row, row * height, height * every, true)
    for (let i = used; i < this.pool.length; i++) this.pool[i].hidden = true
  }

  private place(slot: number, row: number, y: number, height: number, fixed: boolean): void {
    let element = this.pool[slot]
    if (!element) {
      const tool = (name: string, title: string, text: string): HTMLElement => h('button', { type: 'button', class: name, tabIndex: -1, title }, text)
      element = h('div', { class: 'name' }, h('span'), tool('pin', 'Keep this thread above the others, or no longer (t)', '⤒'), tool('hide', 'Hide this thread (h)', '×'))
      this.pool[slot] = element
      this.element.append(element)
    }
    const { rows, run, mark, index } = this.chart
    const location = rows.order[row]
    const heading = location < 0 ? rows.headings[-1 - location] : null
    element.hidden = false
    element.style.transform = `translateY(${y}px)`
    element.style.height = `${height}px`
    element.style.lineHeight = `${Math.min(height, 20)}px`
    element.classList.toggle('selected', mark.selected?.location === location && mark.selected.run === index)
    element.classList.toggle('pinned', row < rows.pinned)
    element.classList.toggle('fixed', fixed)
    const text = heading ? `${heading.folded ? '▸' : '▾'} ${heading.text}` : run.timeline.locations[location].name
    if (this.shown[slot] === location && element.dataset.text === short(text, 300)) return
    this.shown[slot] = location
    element.dataset.text = short(text, 300)
    ;(element.firstElementChild as HTMLElement).textContent = short(text, 300)
    const process = heading ? '' : run.timeline.locations[location].process
    element.title = short(heading ? `${heading.text}: the sum of its threads. Click to ${heading.folded ? 'show' : 'hide'} them (g)` : `${text}${process ? ` · ${process}` : ''}`, 200)
    element.dataset.location = String(location)
    element.classList.toggle('heading', location < 0)
  }
}
