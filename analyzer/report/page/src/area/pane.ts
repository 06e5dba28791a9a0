// The pane of a selected part: its statistics, as tables, and what can be done with it.

import type { Run } from '../bundle/types'
import { copyText } from '../parts/csv'
import { announce, button, h } from '../parts/dom'
import { duration } from '../time/format'
import type { LaneStore } from '../lanes/store'
import { metricsOf } from '../tracks/metrics'
import { areaText, exportCommand, locationsOf, type Area } from './area'
import { statisticsOf, type Statistics } from './statistics'
import { constructsTable, countersTable, eventsTable, functionsTable, locksTable, statesTable, threadsTable, type Go, type Part } from './tables'

const TABS = ['States', 'Constructs', 'Threads', 'Functions', 'Counters', 'Locks', 'Events'] as const
export type Tab = typeof TABS[number]

export interface PaneActions {
  zoom(): void
  note(): void
  close(): void
  /** a thread's stretch in ticks of the run */
  show(run: number, location: number, begin: number, end: number): void
  /** a function of the page of calls */
  openFunction(run: number, code: number): void
}

export class AreaPane {
  readonly element = h('aside', { class: 'area-pane', hidden: true, aria: { label: 'Statistics of the selection' } })
  tab: Tab = 'States'
  /** the reader chose another table */
  onchange: () => void = () => undefined
  private readonly title = h('b')
  private readonly tabs = h('div', { class: 'tabs', role: 'tablist' })
  private readonly body = h('div', { class: 'area-body', role: 'tabpanel', tabIndex: 0 })
  private readonly note = h('span', { class: 'soft', role: 'status' })
  private turn = 0
  private shown: { area: Area; found: (Statistics | null)[] } | null = null

  constructor(private readonly runs: Run[], private readonly stores: LaneStore[], private readonly ticksPerSecond: number, private readonly actions: PaneActions) {
    this.element.append(
      h('div', { class: 'area-head' }, this.title, this.note,
        button('Zoom to it', () => actions.zoom(), 'Show this part as wide as the chart (f)', 'small'),
        button('Copy link', () => void copyText(location.href).then(() => announce('Link copied.')), 'The address of this view, with the selection', 'small'),
        button('Export this part', () => void this.export(), 'Copies the command that writes this part for Perfetto; other formats: heddle export --help', 'small'),
        button('Note', () => actions.note(), 'Write a note on this part (b)', 'small'),
        button('×', () => actions.close(), 'Close (Esc)', 'small')),
      this.tabs, this.body)
    this.tabs.addEventListener('keydown', event => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
      if (step === 0) return
      const offered = this.offered()
      this.open(offered[(offered.indexOf(this.tab) + step + offered.length) % offered.length])
      this.tabs.querySelector<HTMLElement>('[aria-selected="true"]')?.focus()
      event.preventDefault()
    })
  }

  private async export(): Promise<void> {
    if (!this.shown) return
    const { area } = this.shown
    await copyText(this.runs.map((run, i) => exportCommand(area, run, i, this.ticksPerSecond)).join('\n'))
    this.note.textContent = 'The command is copied.'
    announce('The command is copied.')
  }

  /** Tables that the runs have something for. */
  private offered(): Tab[] {
    const has: Record<string, boolean> = {
      Functions: this.runs.some(run => run.documents.calls && !run.documents.calls.exact), Locks: this.runs.some(run => run.timeline.arrows.some(([kind]) => kind === 'lock')),
      Counters: this.runs.some(run => metricsOf(run).some(({ adds }) => adds)),
      Events: this.runs.some(run => (run.documents.points?.lists.length ?? 0) > 0),
    }
    return TABS.filter(tab => has[tab] ?? true)
  }

  close(): void {
    this.turn++
    this.shown = null
    this.element.hidden = true
  }

  open(tab: Tab): void {
    this.tab = tab
    this.draw()
    this.onchange()
  }

  async show(area: Area, level: 'model' | 'threads'): Promise<void> {
    const turn = ++this.turn
    this.element.hidden = false
    this.title.textContent = areaText(area, this.runs, this.ticksPerSecond)
    this.note.textContent = 'Adding up …'
    const found: (Statistics | null)[] = []
    for (let i = 0; i < this.runs.length; i++) {
      const { begin, end } = this.stretch(area, i)
      found.push(await statisticsOf(this.stores[i], locationsOf(area, this.runs[i], i), begin, end, level, () => turn === this.turn))
      if (turn !== this.turn) return
    }
    this.shown = { area, found }
    const rounded = Math.max(...found.map((of, i) => (of?.rounded ?? 0) / this.runs[i].timeline.ticks_per_second))
    this.note.textContent = rounded > 0 ? `What lasts less than ${duration(rounded)} is summed here, its shares are rounded and its number is not counted: zoom in for exact figures.` : ''
    this.draw()
  }

  /** In ticks of the run. */
  private stretch(area: Area, index: number): { begin: number; end: number } {
    const rate = this.runs[index].timeline.ticks_per_second / this.ticksPerSecond
    return { begin: Math.round(area.begin * rate), end: Math.round(area.end * rate) }
  }

  private draw(): void {
    const { shown } = this
    if (!shown) return
    const offered = this.offered()
    if (!offered.includes(this.tab)) this.tab = 'States'
    this.tabs.replaceChildren(...offered.map(tab => h('button', { type: 'button', role: 'tab', tabIndex: tab === this.tab ? 0 : -1, aria: { selected: String(tab === this.tab) }, onclick: () => this.open(tab) }, tab)))
    const tables = shown.found.map((found, i) => found && this.table({ run: this.runs[i], locations: locationsOf(shown.area, this.runs[i], i), ...this.stretch(shown.area, i), found }, i))
    this.body.replaceChildren(...tables.flatMap((table, i) => table ? [this.runs.length > 1 ? h('h3', null, `${String.fromCharCode(65 + i)}: ${this.runs[i].title}`) : '', table] : []))
  }

  private table(part: Part, index: number): HTMLElement | null {
    const go: Go = (location, begin, end) => this.actions.show(index, location, begin, end)
    switch (this.tab) {
      case 'States': return statesTable(part, go)
      case 'Constructs': return constructsTable(part, go)
      case 'Threads': return threadsTable(part, go, part.begin, part.end)
      case 'Functions': return functionsTable(part, code => this.actions.openFunction(index, code))
      case 'Counters': return countersTable(part)
      case 'Locks': return locksTable(part, go)
      case 'Events': return eventsTable(part)
    }
  }
}
