// The page "Timeline": controls, strip, axis, a chart a run, and the list of one thread's states.

import { ELIDED, type Run } from '../bundle/types'
import { announce, h, short } from '../parts/dom'
import { duration, moment } from '../time/format'
import { Viewport } from '../time/viewport'
import type { LaneStore } from '../lanes/store'
import { ontheme } from '../look/theme'
import type { Cluster } from '../events/clusters'
import { pointsOf } from '../events/points'
import { stylesFor } from '../events/style'
import { intervalsOf } from '../intervals/intervals'
import { intervalStyles } from '../intervals/style'
import { AxisView } from './axisview'
import { Chart } from './chart'
import type { Selected } from './chartview'
import { Controls } from './controls'
import { EventDetails, eventText } from './eventdetails'
import { EventLegend } from './eventlegend'
import { IntervalLegend } from './intervallegend'
import { keysHelp } from './help'
import { listenToKeys, listenToMouse, type Actions } from './input'
import { Legend } from './legend'
import { StateList } from './list'
import { Options } from './options'
import { Sampled } from './sampled'
import { Strip } from './strip'

export class Timeline implements Actions {
  readonly element: HTMLElement
  readonly viewport: Viewport
  readonly options = new Options()
  readonly charts: Chart[]
  readonly list = new StateList()
  /** nothing if no run has samples */
  readonly sampled: Sampled | null
  selected: Selected | null = null
  measured: [number, number] | null = null
  /** called when the view, the options or the selection changed */
  onchange: () => void = () => undefined

  private readonly strips: Strip[]
  private readonly axis: AxisView
  private readonly legend: Legend
  private readonly eventLegend: EventLegend
  private readonly intervalLegend: IntervalLegend
  private readonly eventDetails = new EventDetails()
  private readonly status = h('div', { class: 'status', role: 'status' })
  private readonly measureText = h('div', { class: 'measure' })
  private readonly notice = h('div', { class: 'notice', hidden: true })
  private readonly helpPane: HTMLElement

  constructor(private readonly runs: Run[], stores: LaneStore[]) {
    const seconds = Math.max(...runs.map(run => run.timeline.duration / run.timeline.ticks_per_second))
    const { ticks_per_second } = runs[0].timeline
    this.options.events = stylesFor(runs.map(pointsOf), runs.flatMap(run => run.documents.intervals?.events ?? []))
    this.options.intervals = intervalStyles(runs.map(intervalsOf))
    this.viewport = new Viewport(seconds * ticks_per_second, ticks_per_second)
    this.charts = runs.map((run, i) => new Chart(i, run, stores[i], this.viewport, this.options))
    this.strips = runs.map(run => new Strip(run, this.viewport, this.options))
    this.axis = new AxisView(this.viewport)
    this.legend = new Legend(runs, this.options)
    this.eventLegend = new EventLegend(runs, this.options)
    this.intervalLegend = new IntervalLegend(runs, this.options)
    this.helpPane = keysHelp()
    this.sampled = runs.some(run => run.documents.calls && !run.documents.calls.exact) ? new Sampled(runs) : null
    const controls = new Controls(runs, this.viewport, this.options, Math.max(...this.charts.map(chart => chart.maxDepth)))
    this.element = h('section', { class: 'timeline' }, controls.element, this.legend.element, this.eventLegend.element, this.intervalLegend.element, this.notice,
      ...this.strips.map((strip, i) => h('div', { class: 'beside-names' }, h('div', { class: 'names-title' }, runs.length > 1 ? short(runs[i].title, 40) : 'whole run'), strip.element)),
      h('div', { class: 'beside-names' }, this.axis.corner, this.axis.element),
      ...this.charts.map(chart => chart.element),
      h('div', { class: 'status-line' }, this.status, this.measureText), this.eventDetails.element,
      this.sampled ? h('div', { class: 'list-and-sampled' }, this.list.element, this.sampled.element) : this.list.element, this.helpPane)
    for (const chart of this.charts) this.connect(chart)
    this.viewport.onchange(() => this.redraw())
    this.options.onchange(() => {
      this.strips.forEach(strip => strip.recolor())
      this.problem()
      this.redraw()
    })
    ontheme(() => {
      this.charts.forEach(chart => chart.recolor())
      this.strips.forEach(strip => strip.recolor())
      this.legend.draw()
      this.eventLegend.draw()
      this.intervalLegend.draw()
      this.redraw()
    })
    this.list.onpick = entry => this.fromList(entry.begin, entry.end, entry.code)
    this.viewport.fit()
  }

  private connect(chart: Chart): void {
    listenToMouse(chart, this)
    listenToKeys(chart, this)
    chart.element.addEventListener('pick', event => {
      const location = (event as CustomEvent<number>).detail
      this.pick(chart, location, 0, Math.max(chart.window.begin, this.runs[chart.index].timeline.locations[location].begin))
    })
    chart.ondrawn = (exact, failure) => {
      const text = failure !== null ? `Not all could be loaded: ${failure}. Is heddle view still running?`
        : exact ? '' : 'Hatched: this file has no finer picture, to stay small. heddle view TRACE shows every state.'
      if (this.notice.textContent !== text) {
        this.notice.textContent = text
        this.notice.hidden = text === ''
      }
    }
  }

  show(visible: boolean): void {
    for (const chart of this.charts) chart.show(visible)
    if (visible) this.redraw()
  }

  private redraw(): void {
    this.axis.draw()
    for (const strip of this.strips) strip.draw()
    for (const chart of this.charts) {
      chart.mark = { selected: this.selected, measure: this.measured, gridline: this.axis.middle }
      chart.invalidate()
    }
    this.showSampled()
    this.onchange()
  }

  private showSampled(): void {
    const { selected, measured, viewport } = this
    if (!selected) return this.sampled?.hide()
    const { rate } = this.charts[selected.run]
    const ticks = ([a, b]: [number, number]): [number, number] => [Math.min(a, b) * rate, Math.max(a, b) * rate]
    this.sampled?.show(selected.run, selected.location, {
      state: [selected.begin, selected.end], measured: measured && ticks(measured), window: ticks([viewport.begin, viewport.end]),
    })
  }

  private problem(): void {
    const text = this.charts.map(chart => chart.rows.problem).find(problem => problem !== null)
    const none = this.charts.every(chart => chart.rows.order.length === 0)
    this.status.textContent = text ?? (none ? 'No thread has such a name.' : '')
  }

  /** A segment was clicked, or a thread's name. */
  pick(chart: Chart, location: number, lane: number, time: number): void {
    const segment = chart.segment(location, lane, time)
    const code = segment?.code ?? ELIDED
    this.selected = { run: chart.index, location, lane, begin: segment?.begin ?? time, end: segment?.end ?? time, code }
    this.redraw()
    void this.follow(chart, location, lane, time)
  }

  /** The list goes where the chart was clicked; what was elided there becomes the one state at that time. */
  private async follow(chart: Chart, location: number, lane: number, time: number): Promise<void> {
    await this.list.open(chart.store, location)
    const entry = await this.list.find(time)
    if (!entry || this.selected?.location !== location || this.selected.run !== chart.index) return
    this.list.select(entry.number)
    if (lane === 0) this.selected = { ...this.selected, begin: entry.begin, end: entry.end, code: entry.code }
    this.describe()
    this.redraw()
  }

  private fromList(begin: number, end: number, code: number): void {
    if (!this.selected) return
    this.selected = { ...this.selected, lane: 0, begin, end, code }
    const chart = this.charts[this.selected.run]
    this.viewport.reveal(begin / chart.rate, end / chart.rate)
    chart.scrollToLocation(this.selected.location)
    this.describe()
    this.redraw()
  }

  /** From elsewhere on the page: a place in the timeline. */
  goTo(run: number, location: number | null, begin: number, end: number): void {
    const chart = this.charts[run]
    this.viewport.show(begin / chart.rate, end / chart.rate)
    if (location === null) return
    this.selected = { run, location, lane: 0, begin, end, code: ELIDED }
    chart.scrollToLocation(location)
    void this.list.open(chart.store, location).then(() => this.list.find(begin)).then(entry => {
      if (entry) this.list.select(entry.number)
    })
    this.redraw()
  }

  /** Select what a thread does at a time, and leave the view as it is. */
  select(run: number, location: number, time: number): void {
    const chart = this.charts[run]
    this.selected = { run, location, lane: 0, begin: time, end: time, code: ELIDED }
    void this.follow(chart, location, 0, time)
  }

  private describe(): void {
    if (this.selected) this.status.textContent = this.text(this.selected.run, this.selected.location, this.selected.begin, this.selected.end, this.selected.code)
    announce(this.status.textContent ?? '')
  }

  private text(run: number, location: number, begin: number, end: number, code: number): string {
    const { timeline } = this.runs[run]
    const [state, region] = timeline.codes[code]
    const place = region >= 0 ? timeline.regions[region] : null
    const what = code === ELIDED ? 'several states, each shorter than a pixel' : [state >= 0 ? timeline.states[state] : '', place ? short(place.name, 120) : ''].filter(Boolean).join(' in ')
    return [short(timeline.locations[location].name, 60), what, `from ${moment(begin, timeline.ticks_per_second)}`,
      code === ELIDED ? '' : `for ${duration((end - begin) / timeline.ticks_per_second)}`].filter(Boolean).join(' · ')
  }

  /** One of the program's events, or several, at a point of the canvas in CSS pixels. */
  private eventAt(chart: Chart, x: number, y: number): { location: number; cluster: Cluster; text: string } | null {
    const { points } = chart.marks
    const hit = chart.hit(x, y)
    const cluster = points && hit && chart.marks.at(hit.location, hit.x, y * chart.geometry.dpr)
    return cluster && hit && points ? { location: hit.location, cluster, text: eventText(chart.run, points, hit.location, cluster) } : null
  }

  pickEvent(chart: Chart, x: number, y: number): boolean {
    const event = this.eventAt(chart, x, y)
    if (!event || !chart.marks.points) return false
    this.eventDetails.show(chart, chart.marks.points, event.location, event.cluster)
    this.status.textContent = event.text
    announce(event.text)
    return true
  }

  hover(chart: Chart, x: number, y: number): void {
    const hit = chart.hit(x, y)
    if (!hit) return
    const event = this.eventAt(chart, x, y)
    if (event) {
      this.status.textContent = event.text
      return
    }
    const { dpr } = chart.geometry
    const interval = chart.spans.intervals && chart.spans.at(x * dpr, y * dpr)
    if (interval) {
      this.status.textContent = chart.spans.text(interval)
      return
    }
    const drawn = chart.drawn(hit.location, hit.lane).find(piece => piece.x0 <= hit.x && hit.x < piece.x1)
    const segment = drawn && drawn.code !== ELIDED ? chart.segment(hit.location, hit.lane, hit.time) : null
    this.status.textContent = segment ? this.text(chart.index, hit.location, segment.begin, segment.end, segment.code)
      : drawn?.code === ELIDED ? this.elidedText(chart, hit.location, hit.lane, hit.x, hit.time)
        : `${short(this.runs[chart.index].timeline.locations[hit.location].name, 60)} · ${moment(hit.time, this.runs[chart.index].timeline.ticks_per_second)}`
  }

  /** The shares of what a pixel holds. */
  private elidedText(chart: Chart, location: number, lane: number, x: number, time: number): string {
    const parts = chart.held(location, lane, Math.floor(x))
    const all = parts.reduce((sum, [, ticks]) => sum + ticks, 0)
    const shown = parts.slice(0, 6).map(([name, ticks]) => `${short(name, 60)} ${Math.round(ticks / all * 100)} %`).join(', ')
    const text = this.text(chart.index, location, time, time, ELIDED)
    return shown ? `${text} · in this pixel ${shown}` : text
  }

  leave(): void {
    if (this.selected) this.describe()
    else this.status.textContent = ''
  }

  measure(between: [number, number] | null): void {
    this.measured = between
    this.measureText.textContent = between
      ? `measured: ${duration(Math.abs(between[1] - between[0]) / this.viewport.ticksPerSecond)} from ${moment(Math.min(...between), this.viewport.ticksPerSecond)}` : ''
    this.redraw()
  }

  /** The next or previous state of the selected thread. */
  step(direction: 1 | -1): void {
    if (!this.selected) return
    void this.list.entry(this.list.selectedNumber + direction).then(entry => {
      if (!entry) return
      this.list.select(entry.number)
      this.fromList(entry.begin, entry.end, entry.code)
    })
  }

  /** Hide the selected thread. */
  hide(): void {
    const { selected } = this
    if (!selected) return
    this.selected = null
    this.charts[selected.run].hideThread(selected.location)
  }

  escape(): void {
    this.selected = null
    this.measured = null
    this.measureText.textContent = ''
    this.status.textContent = ''
    this.helpPane.hidden = true
    this.eventDetails.close()
    this.list.select(-1)
    this.redraw()
  }

  help(): void {
    this.helpPane.hidden = !this.helpPane.hidden
  }
}
