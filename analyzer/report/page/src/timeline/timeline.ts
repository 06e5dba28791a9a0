// The page "Timeline": controls, strip, axis, a chart a run, and the list of one thread's states.

import { ELIDED, type Run } from '../bundle/types'
import { announce, append, h, short } from '../parts/dom'
import { duration, moment } from '../time/format'
import { Viewport } from '../time/viewport'
import type { LaneStore } from '../lanes/store'
import { ontheme } from '../look/theme'
import type { Cluster } from '../events/clusters'
import { pointsOf } from '../events/points'
import { stylesFor } from '../events/style'
import { intervalsOf } from '../intervals/intervals'
import { intervalStyles } from '../intervals/style'
import { TrackPane } from '../tracks/pane'
import { AreaPane } from '../area/pane'
import type { Area } from '../area/area'
import { FindBar } from '../find/findbar'
import type { Match } from '../find/matches'
import type { Thing } from '../find/things'
import { AxisView } from './axisview'
import { Chart } from './chart'
import { ConstructLegend } from './constructlegend'
import type { Selected } from './chartview'
import { Controls } from './controls'
import { EventDetails, eventText } from './eventdetails'
import { EventLegend } from './eventlegend'
import { IntervalLegend } from './intervallegend'
import { keysHelp } from './help'
import { listenToKeys, listenToMouse, type Actions } from './input'
import { Legend } from './legend'
import { regionName } from './names'
import { Notes } from './notes'
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
  /** what is said about the selection in place of its state */
  private said = ''
  /** a stretch of time on some threads */
  area: Area | null = null
  readonly areaPane: AreaPane
  readonly finder: FindBar
  readonly notes: Notes
  /** called before the view becomes another one */
  onleave: () => void = () => undefined
  /** shows a function of the page of calls */
  onfunction: (run: number, code: number) => void = () => undefined
  /** called when the view, the options or the selection changed */
  onchange: () => void = () => undefined

  private readonly strips: Strip[]
  private readonly tracks: TrackPane[]
  private readonly axis: AxisView
  private readonly legend: Legend
  private readonly constructLegend: ConstructLegend
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
    this.tracks = runs.map((run, i) => new TrackPane(run, stores[i], this.options, text => {
      this.status.textContent = text
    }))
    this.axis = new AxisView(this.viewport)
    this.legend = new Legend(runs, this.options)
    this.eventLegend = new EventLegend(runs, this.options)
    this.intervalLegend = new IntervalLegend(runs, this.options)
    this.constructLegend = new ConstructLegend(runs)
    this.helpPane = keysHelp()
    this.notes = new Notes(runs, ticks_per_second)
    this.sampled = runs.some(run => run.documents.calls && !run.documents.calls.exact) ? new Sampled(runs) : null
    this.areaPane = new AreaPane(runs, stores, ticks_per_second, {
      zoom: () => this.zoomToSelection(), note: () => this.note(), close: () => this.selectArea(null),
      show: (run, location, begin, end) => this.goTo(run, location, begin, end), openFunction: (run, code) => this.onfunction(run, code),
    })
    this.finder = new FindBar(runs, stores, { go: (match, thing) => this.goToMatch(match, thing), now: () => this.viewport.begin / ticks_per_second, leave: () => this.charts[0].scroller.focus() })
    this.element = h('section', { class: 'timeline' })
    this.build(runs)
    for (const chart of this.charts) this.connect(chart)
    this.listen()
    this.viewport.fit()
  }

  private build(runs: Run[]): void {
    const controls = new Controls(runs, this.viewport, this.options, Math.max(...this.charts.map(chart => chart.maxDepth)), this.finder.element, {
      tracks: this.tracks.flatMap(({ offered }) => offered), zoomToSelection: () => this.zoomToSelection(), fit: () => this.fit(), foldAll: () => this.foldAll(), help: () => this.help(),
    })
    const list = this.sampled ? h('div', { class: 'list-and-sampled' }, this.list.element, this.sampled.element) : this.list.element
    append(this.element, controls.element, this.legend.element, this.constructLegend.element, this.eventLegend.element, this.intervalLegend.element, this.notes.element, this.notice,
      ...this.strips.map((strip, i) => h('div', { class: 'beside-names' }, h('div', { class: 'names-title' }, runs.length > 1 ? short(runs[i].title, 40) : 'whole run'), strip.element)),
      h('div', { class: 'beside-names' }, this.axis.corner, this.axis.element),
      ...this.charts.flatMap((chart, i) => [chart.element, this.tracks[i].element]),
      h('div', { class: 'status-line' }, this.status, this.measureText), this.eventDetails.element, this.areaPane.element, list, this.helpPane)
  }

  private listen(): void {
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
      this.constructLegend.draw()
      this.eventLegend.draw()
      this.intervalLegend.draw()
      this.redraw()
    })
    this.list.onpick = entry => this.fromList(entry.begin, entry.end, entry.code)
    for (const part of [this.axis, ...this.strips]) part.onpick = () => this.onleave()
    this.axis.onselect = (begin, end) => this.selectArea({ begin: Math.max(0, begin), end: Math.min(end, this.viewport.duration), locations: this.runs.map(() => null) })
    this.constructLegend.onpick = name => void this.finder.pickNamed('construct', name).then(() => this.finder.step(1))
    this.finder.onchange = () => {
      this.markStrips()
      this.redraw()
    }
    this.notes.onchange = this.finder.onchange
    this.notes.onpick = ({ begin, end }) => {
      this.onleave()
      this.viewport.focus(begin, end)
    }
    this.areaPane.onchange = () => this.onchange()
  }

  /** Matches of the search, and notes, in the strips. */
  private markStrips(): void {
    const { list } = this.finder.matches ?? { list: [] }
    const { ticksPerSecond } = this.viewport
    this.strips.forEach((strip, run) => {
      const { ticks_per_second: rate } = this.runs[run].timeline
      strip.mark(Float64Array.from(list.filter(match => match.run === run), ({ begin }) => begin / rate), this.notes.list.map(({ begin }) => begin / ticksPerSecond))
    })
  }

  private goToMatch({ run, location, begin, end, line, code }: Match, { kind }: Thing): void {
    const chart = this.charts[run]
    this.onleave()
    if (kind !== 'thread') this.viewport.focus(begin / chart.rate, end / chart.rate)
    chart.scrollToLocation(location)
    // What no line has is found in the line of states.
    if (code === ELIDED) return this.select(run, location, kind === 'thread' ? Math.max(begin, chart.window.begin) : begin)
    this.selected = { run, location, lane: line, begin, end, code }
    this.openList(chart, location, begin)
    this.describe()
    this.redraw()
  }

  private connect(chart: Chart): void {
    listenToMouse(chart, this)
    listenToKeys(chart, this)
    chart.element.addEventListener('pick', event => {
      const location = (event as CustomEvent<number>).detail
      this.pick(chart, location, 0, Math.max(chart.window.begin, this.runs[chart.index].timeline.locations[location].begin))
    })
    const tracks = this.tracks[chart.index]
    chart.onwork = (palette, until) => tracks.work(chart, palette, until)
    chart.onframe = palette => tracks.draw(chart, palette)
    this.options.onchange(() => tracks.arrange(chart))
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
      const locations = this.area?.locations[chart.index]
      chart.mark = { selected: this.selected, area: this.area && { ...this.area, locations: locations ? new Set(locations) : null }, notes: this.notes.list, gridline: this.axis.middle }
      chart.invalidate()
    }
    this.showSampled()
    this.onchange()
  }

  private showSampled(): void {
    const { selected, area, viewport } = this
    if (!selected) return this.sampled?.hide()
    const { rate } = this.charts[selected.run]
    const ticks = ([a, b]: [number, number]): [number, number] => [Math.min(a, b) * rate, Math.max(a, b) * rate]
    this.sampled?.show(selected.run, selected.location, {
      state: [selected.begin, selected.end], measured: area && ticks([area.begin, area.end]), window: ticks([viewport.begin, viewport.end]),
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
    this.said = ''
    this.selected = { run: chart.index, location, lane, begin: segment?.begin ?? time, end: segment?.end ?? time, code }
    this.redraw()
    void this.follow(chart, location, lane, time)
  }

  /** The list goes where the chart was clicked; what was elided there becomes the one state at that time. */
  private async follow(chart: Chart, location: number, lane: number, time: number): Promise<void> {
    await this.list.open(chart.store, location)
    this.panes()
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
    this.onleave()
    this.viewport.show(begin / chart.rate, end / chart.rate)
    if (location === null) return
    this.said = ''
    this.selected = { run, location, lane: 0, begin, end, code: ELIDED }
    chart.scrollToLocation(location)
    this.openList(chart, location, begin)
    this.describe()
    this.redraw()
  }

  /** The list of a thread's states, at a time. */
  private openList(chart: Chart, location: number, time: number): void {
    void this.list.open(chart.store, location).then(() => this.list.find(time)).then(entry => {
      if (entry && this.selected?.location === location) this.list.select(entry.number)
      this.panes()
    })
  }

  /** Charts keep the height of their lines while there is a pane below. */
  private panes(): void {
    this.element.classList.toggle('has-pane', this.area !== null || !this.list.element.classList.contains('closed'))
    this.element.classList.toggle('has-area', this.area !== null)
  }

  /** Select what a thread does at a time, and leave the view as it is. */
  select(run: number, location: number, time: number): void {
    const chart = this.charts[run]
    this.selected = { run, location, lane: 0, begin: time, end: time, code: ELIDED }
    void this.follow(chart, location, 0, time)
  }

  private describe(): void {
    if (this.said) this.status.textContent = this.said
    else if (this.selected) this.status.textContent = this.text(this.selected.run, this.selected.location, this.selected.begin, this.selected.end, this.selected.code)
    announce(this.status.textContent ?? '')
  }

  private text(run: number, location: number, begin: number, end: number, code: number): string {
    const { timeline } = this.runs[run]
    const [state, region] = timeline.codes[code]
    const place = region >= 0 ? short(regionName(this.runs[run], region), 120) : ''
    const what = code === ELIDED ? 'several states, each shorter than a pixel' : [state >= 0 ? timeline.states[state] : '', place].filter(Boolean).join(' in ')
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

  /** A drag with Shift: the time between two points, on the threads between them. */
  drag(chart: Chart, from: number, to: number, y0: number, y1: number, done: boolean): void {
    const limit = (time: number): number => Math.max(0, Math.min(time, this.viewport.duration))
    const [begin, end] = [limit(Math.min(from, to)), limit(Math.max(from, to))]
    const locations = this.runs.map((_, i) => i === chart.index ? chart.locationsBetween(y0, y1) : [])
    this.selectArea({ begin, end, locations }, done)
  }

  /** @param done whether the statistics are wanted: while the mouse is dragged they are not */
  selectArea(area: Area | null, done = true): void {
    this.area = area && area.end > area.begin ? area : null
    const { ticksPerSecond } = this.viewport
    this.measureText.textContent = this.area ? `measured: ${duration((this.area.end - this.area.begin) / ticksPerSecond)} from ${moment(this.area.begin, ticksPerSecond)}` : ''
    if (!this.area) this.areaPane.close()
    else if (done) void this.areaPane.show(this.area, this.options.level)
    this.panes()
    this.redraw()
  }

  /** What is selected, or in sight, becomes a selected part; if there is one, it is forgotten. */
  mark(): void {
    if (this.area) return this.selectArea(null)
    const { selected, viewport } = this
    if (!selected || selected.code === ELIDED) return this.selectArea({ begin: Math.max(0, viewport.begin), end: Math.min(viewport.end, viewport.duration), locations: this.charts.map(chart => chart.locationsBetween(0, chart.scroller.clientHeight)) })
    const { rate } = this.charts[selected.run]
    this.selectArea({ begin: selected.begin / rate, end: selected.end / rate, locations: this.runs.map((_, i) => i === selected.run ? [selected.location] : []) })
  }

  /** The selected part, or the chosen state; when that is in view already, and when there is none, the whole run. */
  zoomToSelection(): void {
    const { selected, area, viewport } = this
    this.onleave()
    const rate = selected ? this.charts[selected.run].rate : 1
    const stretch = area ? [area.begin, area.end] : selected && selected.end > selected.begin ? [selected.begin / rate, selected.end / rate] : null
    const { begin, scale } = viewport
    if (stretch) viewport.show(stretch[0], stretch[1])
    if (!stretch || (viewport.begin === begin && viewport.scale === scale)) viewport.fit()
  }

  leaveView(): void {
    this.onleave()
  }

  fit(): void {
    this.onleave()
    this.viewport.fit()
  }

  /** Marks the selection, or what is in sight, for the reader to write something about it. */
  note(): void {
    const { selected, area, viewport } = this
    const rate = selected ? this.charts[selected.run].rate : 1
    if (area) this.notes.add(area.begin, area.end)
    else if (selected) this.notes.add(selected.begin / rate, selected.end / rate)
    else this.notes.add(Math.max(0, viewport.begin), Math.min(viewport.end, viewport.duration))
  }

  find(): void {
    this.finder.focus()
  }

  findNext(direction: 1 | -1): void {
    this.finder.step(direction)
  }

  pin(): void {
    if (this.selected) this.charts[this.selected.run].pin(this.selected.location)
  }

  /** Folds or unfolds the group of the chosen thread, or all groups. */
  fold(): void {
    const { selected } = this
    const headings = selected ? this.charts[selected.run].rows.headings : []
    const around = headings.find(({ members }) => members.includes(selected?.location ?? -1))
    if (selected && around) this.charts[selected.run].fold(around)
    else this.foldAll()
  }

  private foldAll(): void {
    const { folded } = this.options
    if (folded.size > 0) folded.clear()
    else for (const chart of this.charts) for (const { key } of chart.rows.headings) folded.add(key)
    this.options.changed(true)
  }

  /** A thread's wait for another one: the whole wait, both threads on top, and what is known about it. */
  showWait(run: number, waiter: number, since: number, until: number, holder: number, region: number): void {
    const chart = this.charts[run]
    const { timeline } = this.runs[run]
    this.viewport.show(since / chart.rate, until / chart.rate)
    this.options.arrows.add('lock')
    for (const location of [waiter, holder]) this.options.pinned.add(`${run}/${location}`)
    this.options.changed(true)
    this.selected = { run, location: waiter, lane: 0, begin: since, end: until, code: ELIDED }
    this.openList(chart, waiter, since)
    const name = (location: number): string => short(timeline.locations[location].name, 60)
    const place = region >= 0 ? ` in ${short(regionName(this.runs[run], region), 80)}` : ''
    this.status.textContent = `${name(waiter)} waited ${duration((until - since) / timeline.ticks_per_second)}${place} for a lock that ${name(holder)} held, from ${moment(since, timeline.ticks_per_second)}`
    this.said = this.status.textContent
    announce(this.said)
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

  /** First the help, then the selected part, then the chosen state. */
  escape(): void {
    if (!this.helpPane.hidden) {
      this.helpPane.hidden = true
      return
    }
    this.selected = null
    this.said = ''
    this.selectArea(null)
    this.status.textContent = ''
    this.eventDetails.close()
    this.list.select(-1)
    this.redraw()
  }

  help(): void {
    this.helpPane.hidden = !this.helpPane.hidden
  }
}
