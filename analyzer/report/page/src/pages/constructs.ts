// Constructs, and of one of them its executions: how long they took, in order, the slowest ones, by thread, and its lines of source.

import type { App, Page } from '../app'
import { rowsOf, type Row, type Run, type Time } from '../bundle/types'
import { announce, button, h, short } from '../parts/dom'
import { bars } from '../parts/bars'
import { copyText } from '../parts/csv'
import { field, Table, type Column } from '../parts/table'
import { count, duration, percent, sinceStart } from '../time/format'
import { NAMES } from '../look/states'
import { wordOf } from '../look/words'
import { executionsOf, stepOf, type Execution, type Executions } from './executions'

/** Where the construct is in the source: its lines if the report has them, else its place to copy, and a link for editors. */
function source(run: Run, file: string, line: number): HTMLElement {
  const place = `${file}:${line}`
  const link = h('a', { href: `vscode://file${file.startsWith('/') ? '' : '/'}${encodeURI(file)}:${line}` }, 'open in an editor')
  const found = run.documents.source?.find(part => part.file === file && line >= part.first && line < part.first + part.lines.length)
  return h('div', { class: 'part' }, h('p', { class: 'soft' }, short(place, 300), ' ', button('copy', () => void copyText(place).then(() => announce('copied')), 'Copy the place', 'plain'), ' ', link),
    found ? h('pre', { class: 'source', tabIndex: 0, aria: { label: 'lines of source' } }, ...found.lines.map((text, i) => h('span', { class: found.first + i === line ? 'here' : '' }, `${String(found.first + i).padStart(5)}  ${short(text, 400)}\n`))) : null)
}

function histogram(run: Run, { histogram: steps }: Executions): HTMLElement {
  const tps = run.timeline.ticks_per_second
  const keys = [...steps.keys()].sort((a, b) => a - b)
  const all: number[] = []
  for (let key = keys[0]; key <= keys[keys.length - 1] * 1.01; key = key === 0 ? stepOf(1) : stepOf(key * Math.pow(10, 0.25) * 1.0001)) all.push(key)
  return bars(all.map(step => ({
    name: `from ${duration(step / tps)}`, text: count(steps.get(step) ?? 0), parts: [{ value: steps.get(step) ?? 0, color: 'var(--accent)', title: 'executions' }],
  })))
}

function table(app: App, run: Run, index: number, name: string, rows: Execution[]): HTMLElement {
  const { ticks_per_second: tps, locations } = run.timeline
  const time = (ticks: number): Time => ({ ticks, seconds: ticks / tps })
  return new Table<Execution>({
    name, rows, empty: 'None.', onpick: ({ location, begin, end }) => app.showPlace(index, location, begin, end),
    columns: [
      { title: 'execution', kind: 'count', value: ({ number }) => number }, { title: 'thread', kind: 'text', value: ({ location }) => locations[location].name },
      { title: 'begin', kind: 'time', value: ({ begin }) => ({ ticks: begin, seconds: sinceStart(begin / tps) }), hint: 'since the start of the run' },
      { title: 'duration', kind: 'time', value: ({ begin, end }) => time(end - begin) },
    ],
  }).element
}

function figures(app: App, run: Run, index: number, found: Executions): HTMLElement {
  const { timeline } = run
  const tps = timeline.ticks_per_second
  const threads = [...found.threads].sort(([a], [b]) => a - b)
  const cut = timeline.levels_kept_from > 0 ? timeline.level_thresholds[timeline.levels_kept_from] : 0
  return h('div', null,
    cut > 0 ? h('p', { class: 'soft' }, `To stay small, this file has no executions shorter than ${duration(cut / tps)}. heddle view shows all.`) : null,
    h('div', { class: 'columns' },
      h('div', { class: 'part' }, h('h3', null, 'Durations'), histogram(run, found)),
      h('div', { class: 'part' }, h('h3', null, 'By thread'), bars(threads.slice(0, 64).map(([location, { count: times, ticks, longest }]) => ({
        name: timeline.locations[location].name, text: `${count(times)} in ${duration(ticks / tps)}, longest ${duration(longest / tps)}`,
        parts: [{ value: ticks, color: 'var(--state-run)', title: 'time in it, with all that is nested' }],
      }))))),
    h('div', { class: 'columns' },
      h('div', { class: 'part slowest' }, h('h3', null, 'The slowest'), h('p', { class: 'soft' }, 'Click one to see it in the timeline.'), table(app, run, index, 'the slowest executions', found.slowest)),
      h('div', { class: 'part in-order' }, h('h3', null, 'In order'), h('p', { class: 'soft' }, found.every > 1 ? `The first of each ${count(found.every)} of ${count(found.count)} executions.` : `${count(found.count)} executions on all threads.`),
        table(app, run, index, 'executions in order', found.list))))
}

class Constructs {
  readonly element: HTMLElement
  private readonly holder = h('section', { class: 'construct' })
  private readonly rows: Row[]
  private readonly list: Table
  private picked: string
  private turn = 0

  constructor(private readonly app: App, private readonly run: Run, private readonly index: number) {
    this.rows = rowsOf(run.documents.constructs, 'constructs')
    this.picked = String((this.rows.find(row => Number(row.executions) > 0) ?? this.rows[0])?.construct ?? '')
    const has = (key: string): boolean => this.rows.some(row => ((row[key] as Time | undefined)?.ticks ?? 0) > 0)
    const columns: Column[] = [
      field('construct', 'construct', 'text'), field('function', 'function', 'text'), field('executed', 'executions', 'count', 'how often'),
      field('time (all threads)', 'time', 'time', 'without what is nested'), field('% of all', 'time', 'share', 'of all threads’ time'),
      ...NAMES.filter(([key]) => has(key)).map(([key, title]) => field(title, key, 'time', wordOf(key))),
    ]
    this.list = new Table({
      name: 'constructs and their time', rows: this.rows, columns, empty: 'No construct was recorded.', picked: row => row.construct === this.picked, onpick: row => this.open(String(row.construct)),
    })
    this.element = h('div', null, h('section', null, h('p', { class: 'soft' }, 'Click a construct for its executions.'), this.list.element), this.holder)
    if (this.picked) this.open(this.picked)
  }

  open(name: string): void {
    this.picked = name
    this.list.refresh()
    void this.show(name)
  }

  private async show(name: string): Promise<void> {
    const { app, run, index } = this
    const turn = ++this.turn
    const row = this.rows.find(({ construct }) => construct === name)
    const region = run.timeline.regions.findIndex(one => one.name === name)
    const place = run.timeline.regions[region]
    const body = h('div', null, h('p', { class: 'empty' }, 'Reading its executions …'))
    const share = (row?.time as Time | undefined)?.percent
    this.holder.replaceChildren(h('h2', null, short(name, 200)),
      row ? h('p', null, `${count(Number(row.executions))} executions, ${duration((row.time as Time).seconds)} of all threads${share === undefined ? '' : ` (${percent(share)})`}${row.function ? `, in ${short(String(row.function), 120)}` : ''}.`) : '',
      place?.file && place.line ? source(run, place.file, place.line) : '', body)
    if (region < 0) return body.replaceChildren()
    try {
      const found = await executionsOf(run, app.stores[index], region, () => turn !== this.turn)
      if (!found || turn !== this.turn) return
      body.replaceChildren(found.count > 0 ? figures(app, run, index, found) : h('p', { class: 'empty' }, 'The page has no single execution of it.'))
    } catch (error) {
      body.replaceChildren(h('p', { class: 'empty' }, `Its executions cannot be read: ${error instanceof Error ? error.message : String(error)}`))
    }
  }
}

function build(app: App, run: Run, index: number): HTMLElement {
  const page = new Constructs(app, run, index)
  app.constructs[index] = page
  return page.element
}

export const constructs: Page = { id: 'constructs', title: 'Constructs', build }
