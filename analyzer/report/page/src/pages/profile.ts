// A profile: how often each construct was executed, how long it took, and how long threads waited in it, as sums alone.

import type { App, Page } from '../app'
import { rowsOf, type Row, type Run } from '../bundle/types'
import { h, short } from '../parts/dom'
import { bars } from '../parts/bars'
import { field, pickable, Table, type Column } from '../parts/table'
import { count, duration } from '../time/format'

/** Whether the run was recorded without events: no timeline, and no times. */
export const isProfile = (run: Run): boolean => Boolean(run.documents.profile)

const PARTS: Record<string, string> = { construct: '', member: 'code of threads', acquire: 'waits', hold: 'holds' }

const COLUMNS: Column[] = [
  field('construct', 'construct', 'text'), { title: 'part', kind: 'text', value: row => PARTS[String(row.part)] ?? '' },
  field('executed', 'executions', 'count', 'how often'), field('self (all threads)', 'self', 'time', 'without constructs inside'), field('% of all', 'self', 'share', 'of all threads’ time'),
  field('inclusive', 'inclusive', 'time', 'with constructs inside'), field('longest', 'longest', 'time'), field('waited', 'contended', 'count', 'executions that waited'),
  field('wait', 'waiting', 'time', 'of these executions; for the code of threads, at the last barrier of the region'),
]

/** Tables of the profile besides its rows, and the titles of their columns. */
const TABLES: [key: string, title: string, columns: Column[]][] = [
  ['tasks_made', 'Tasks made', [field('construct', 'construct', 'text'), field('in', 'inside', 'text'), field('made', 'made', 'count')]],
  ['chunks', 'Chunks of loops', [field('construct', 'construct', 'text'), field('in', 'inside', 'text'), field('chunks', 'chunks', 'count'), field('iterations', 'iterations', 'count')]],
  ['objects', 'Locks and objects by name', [
    field('name', 'name', 'text'), field('construct', 'construct', 'text'), field('acquired', 'acquired', 'count'), field('waited', 'contended', 'count'),
    field('wait', 'wait', 'time'), field('longest', 'wait_max', 'time'), field('held', 'held', 'time'),
  ]],
  ['events', 'The program’s events', [field('name', 'name', 'text'), field('value', 'attribute', 'text'), field('count', 'count', 'count'), field('sum', 'sum', 'count'), field('last', 'last', 'count')]],
  ['gc', 'Garbage collection', [field('in', 'inside', 'text'), field('pauses', 'pauses', 'count'), field('time', 'time', 'time'), field('longest', 'longest', 'time')]],
  ['measuring', 'Measurement', [field('updates of sums', 'updates', 'count'), field('time', 'time', 'time'), field('events lost', 'events_lost', 'count'), field('without room', 'without_room', 'count')]],
]

/** How many executions of a row took how long, in powers of two. */
function durations(run: Run, row: Row): HTMLElement {
  const rows = rowsOf(run.documents.profile, 'durations').filter(entry => entry.row === row.row)
  const seconds = (entry: Row): number => (entry.shorter_than as { seconds: number } | null)?.seconds ?? 0
  return h('div', { class: 'part' }, h('h2', null, short(String(row.construct), 200)),
    row.file ? h('p', { class: 'soft' }, short(`${String(row.file)}:${String(row.line)}`, 300)) : null,
    rows.length > 0 ? h('h3', null, 'Executions by duration') : h('p', { class: 'empty' }, 'It has no executions.'),
    bars(rows.map(entry => ({
      name: `below ${duration(seconds(entry))}`, text: count(Number(entry.executions)),
      parts: [{ value: Number(entry.executions), color: 'var(--accent)', title: `at least ${duration(seconds(entry) / 2)}` }],
    }))))
}

function build(_: App, run: Run): HTMLElement {
  const document = run.documents.profile
  const rows = rowsOf(document, 'rows')
  const holder = h('section')
  const table = pickable({ name: 'sums of constructs', rows, columns: COLUMNS, empty: 'No construct was executed.' }, row => durations(run, row), holder)
  return h('div', null, h('section', null, h('p', { class: 'soft' }, 'Self times add up to the lifetimes of all threads. Click a row for its durations.'), document?.full ? h('p', null, short(String(document.full), 1000)) : null, table), holder,
    ...TABLES.map(([key, title, columns]) => {
      const found = rowsOf(document, key)
      return found.length > 0 ? h('section', null, h('h2', null, title), new Table({ name: title, rows: found, columns }).element) : null
    }))
}

export const profile: Page = { id: 'profile', title: 'Constructs', build }
