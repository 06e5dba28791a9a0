// Where a run changes: its phases, and of one of them the states with most time.

import type { App } from '../app'
import { rowsOf, type Document, type Row, type Run, type Time } from '../bundle/types'
import { button, h, short } from '../parts/dom'
import { field, pickable, Table } from '../parts/table'

const ticks = (cell: unknown): number => (cell as Time | null | undefined)?.ticks ?? 0

function details(app: App, run: Run, index: number, document: Document, row: Row): HTMLElement {
  const begin = ticks(row.begin) + ticks(document.since_begin) - (run.timeline.since_begin ?? 0)
  return h('div', { class: 'part' }, h('h3', null, `Phase ${String(row.phase)}: states of most time `, button('show it in the timeline', () => app.showPlace(index, null, begin, begin + ticks(row.duration)), 'This phase, on all threads', 'small')),
    new Table({
      name: 'states of the phase', rows: rowsOf(document, 'states').filter(({ phase }) => phase === row.phase), columns: [
        field('state', 'state', 'text'), field('time', 'part', 'percent', 'of the phase'), field('before', 'before', 'percent', 'in the phase before'),
        field('visits', 'visits', 'count'), field('mean', 'mean', 'time', 'of a visit'),
      ],
    }).element)
}

export function phases(app: App, run: Run, index: number): HTMLElement | null {
  const { phases: document } = run.documents
  if (!document) return null
  const holder = h('div')
  return h('section', null, h('h2', null, 'Phases'), h('p', null, short(String(document.verdict ?? ''), 600)),
    pickable({
      name: 'phases', rows: rowsOf(document, 'phases'), columns: [
        field('phase', 'phase', 'count'), field('begin', 'begin', 'time', 'since the first change of state'), field('duration', 'duration', 'time'), field('records', 'records', 'count', 'changes of the program’s state'),
        field('period', 'period_time', 'time', 'after which it repeats'), field('difference', 'difference', 'ratio', 'from the phase before, from 0 to 1'), field('p', 'p', 'ratio', 'probability that chance makes such a change'),
      ],
    }, row => details(app, run, index, document, row), holder), holder)
}
