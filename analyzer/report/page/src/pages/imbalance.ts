// Which constructs wait for their slowest thread: a row a construct, and for the picked one who was busy, who waited for whom,
// which chunks ran when, and what another schedule would do.

import type { App, Page } from '../app'
import { rowsOf, type Row, type Run, type Time } from '../bundle/types'
import { bars } from '../parts/bars'
import { button, h, short } from '../parts/dom'
import { field, pickable, Table, type Column } from '../parts/table'
import { count, duration, percent } from '../time/format'
import { stateCss } from '../look/colors'
import { chunkMap } from './chunkmap'
import { isProfile } from './profile'

const COLUMNS: Column[] = [
  field('construct', 'construct', 'text'), field('executed', 'executions', 'count', 'how often'), field('threads', 'threads', 'count'),
  field('elapsed', 'time', 'time', 'from the first thread’s begin to the last one’s end, of all executions'),
  field('to win (elapsed)', 'lost', 'time', 'what an even share would save'), field('% of all', 'lost_percent', 'percent', 'of all threads’ measured time'),
  ...[field('busy min', 'busy_min', 'time', 'of the threads of an execution'), field('mean', 'busy_mean', 'time'), field('max', 'busy_max', 'time')].map(column => ({ ...column, together: 'busy' })),
  field('imbalance', 'imbalance_percent', 'percent', 'how much of its work the slowest thread does beyond the mean, scaled so that 100 % is one thread doing all'),
  field('balance', 'load_balance', 'ratio', 'mean busy time by the largest: 1 is even'),
  field('late begin', 'late', 'time', 'from the fork until the last thread begins'), field('waited (all threads)', 'barrier_wait', 'time', 'at the barrier'),
  field('mostly for', 'waited_for', 'text'), field('schedule', 'schedule', 'text'),
]

/** Threads beyond these are in the table only. */
const MOST_BARS = 64

const ticks = (row: Row, key: string): number => (row[key] as Time | null | undefined)?.ticks ?? 0
const seconds = (row: Row, key: string): number => (row[key] as Time | null | undefined)?.seconds ?? 0

function threadBars(run: Run, construct: string): HTMLElement {
  const rows = rowsOf(run.documents.imbalance, 'threads').filter(row => row.construct === construct)
  if (rows.length === 0) return h('p', { class: 'empty' }, 'This report has no figures by thread: there are too many. `heddle imbalance --threads` prints them.')
  const shown = [...rows].sort((a, b) => (a.thread as number) - (b.thread as number)).slice(0, MOST_BARS)
  const table = new Table({
    name: 'threads of the construct', rows, columns: [
      field('No.', 'thread', 'count'), field('thread', 'thread_name', 'text'), field('busy', 'busy', 'time'), field('waited', 'wait', 'time'), field('was last', 'last', 'count', 'in how many executions'),
      field('others waited', 'waited_for', 'time', 'for this thread'), field('chunks', 'chunks', 'count'), field('iterations', 'iterations', 'count'),
    ],
  })
  return h('div', { class: 'part' }, h('h3', null, 'Busy and waiting, by thread'),
    bars(shown.map(row => ({
      name: String(row.thread_name),
      parts: [
        { value: ticks(row, 'busy'), color: stateCss('run', 0), title: `busy ${duration(seconds(row, 'busy'))}` },
        { value: ticks(row, 'wait'), color: stateCss('synch_implicit_barrier', 0), title: `waited ${duration(seconds(row, 'wait'))}` },
      ],
      text: `${duration(seconds(row, 'busy'))} busy, ${duration(seconds(row, 'wait'))} waiting`,
    }))),
    rows.length > shown.length ? h('p', { class: 'soft' }, `The first ${MOST_BARS} of ${rows.length} threads; the table has all.`) : null,
    h('details', null, h('summary', null, 'As a table'), table.element))
}

/** How its executions differ, and its imbalance in each tenth of the run. */
function overTime(app: App, run: Run, index: number, construct: string): HTMLElement | null {
  const [row, tenths] = ['over_time', 'parts'].map(key => rowsOf(run.documents.imbalance, key).find(of => of.construct === construct))
  if (!row || !tenths || Number(row.executions) < 2) return null
  const begin = ticks(row, 'worst_begin') - (run.timeline.since_begin ?? 0)
  return h('div', { class: 'part over-time' }, h('h3', null, 'Over time'),
    h('p', null, `Half of its ${count(Number(row.executions))} executions take ${duration(seconds(row, 'elapsed_median'))} at most, nine of ten ${duration(seconds(row, 'elapsed_90'))}, the longest ${duration(seconds(row, 'elapsed_max'))}. `
      + `The worst one loses ${duration(seconds(row, 'imbalance_max'))} of ${duration(seconds(row, 'worst_elapsed'))} `, button('show it', () => app.showPlace(index, null, begin, begin + ticks(row, 'worst_elapsed')), 'The worst execution in the timeline', 'small')),
    h('p', { class: 'soft' }, 'Its imbalance in each tenth of the run:'),
    bars(Array.from({ length: 10 }, (_, i) => {
      const value = tenths[`part_${i + 1}`] as number | null
      return { name: `${i * 10} to ${i * 10 + 10} %`, text: value === null ? 'not executed' : percent(value), parts: [{ value: value ?? 0, color: stateCss('synch_implicit_barrier', 0), title: 'imbalance' }] }
    })))
}

function waits(run: Run, construct: string): HTMLElement {
  const rows = rowsOf(run.documents.imbalance, 'waits').filter(row => row.construct === construct)
  return h('div', { class: 'part' }, h('h3', null, 'Who waited for whom'),
    new Table({
      name: 'who waited for whom', rows, sort: 2, empty: 'Nobody waited for another thread here, or this report has no figures of it.',
      columns: [field('waited', 'waiter', 'text'), field('for', 'last', 'text', 'the thread that came last'), field('time', 'time', 'time'), field('times', 'count', 'count')],
    }).element)
}

function schedule(run: Run, construct: string): HTMLElement | null {
  const advice = rowsOf(run.documents.schedule, 'loops').find(row => row.loop === construct)
  if (!advice) return null
  const rows = rowsOf(run.documents.schedule, 'schedules').filter(row => row.loop === construct)
  return h('div', { class: 'part' }, h('h3', null, 'Another schedule'), h('p', null, short(String(advice.advice ?? ''), 800)),
    h('details', null, h('summary', null, 'What each schedule would take'), new Table({
      name: 'schedules', rows, sort: undefined, columns: [field('schedule', 'schedule', 'text'), field('time', 'time', 'time'), field('least', 'least', 'time'), field('most', 'most', 'time'), field('', 'note', 'text')],
    }).element))
}

function details(app: App, run: Run, index: number, row: Row): HTMLElement {
  const name = String(row.construct)
  const map = run.timeline.chunks.find(({ region }) => run.timeline.regions[region]?.name === name)
  return h('div', null, h('h2', null, short(name, 200)),
    row.file ? h('p', { class: 'soft' }, short(`${String(row.file)}:${String(row.line)}${row.function ? `, in ${String(row.function)}` : ''}`, 300)) : null,
    schedule(run, name), threadBars(run, name), overTime(app, run, index, name), map ? chunkMap(app, run, index, map) : null, waits(run, name))
}

/** Sums alone bound what could be won. */
function ofSums(run: Run): HTMLElement {
  const document = run.documents.imbalance
  return h('section', null, h('p', { class: 'soft' }, short(String(document?.profile ?? ''), 1000)), new Table({
    name: 'waits at barriers', rows: rowsOf(document, 'waits'), empty: 'No threads waited for each other at a barrier.', columns: [
      field('construct', 'construct', 'text'), field('executed', 'executions', 'count', 'how often'), field('threads', 'threads', 'count'),
      field('waited (all threads)', 'waiting', 'time', 'at the barrier'), field('% of all', 'waiting', 'share', 'of all threads’ time'),
      field('waited least', 'waiting_least', 'time', 'of the threads'), field('most', 'waiting_most', 'time'),
      field('to win, at least', 'win_at_least', 'time', 'what an even share would save'), field('at most', 'win_at_most', 'time'),
    ],
  }).element)
}

function build(app: App, run: Run, index: number): HTMLElement {
  if (isProfile(run)) return ofSums(run)
  const document = run.documents.imbalance
  const rows = rowsOf(document, 'constructs')
  const holder = h('section', { class: 'details' })
  const table = pickable({
    name: 'constructs', rows, columns: COLUMNS, empty: 'No construct was shared by several threads, so none of them could wait for another.',
  }, row => details(app, run, index, row), holder)
  return h('div', null,
    h('section', null, h('p', { class: 'lead' }, short(String(document?.verdict ?? ''), 1000)), h('p', { class: 'soft' }, 'Sorted by what could be won. Click a construct for its threads.'), document?.estimated ? h('p', { class: 'soft' }, short(String(document.estimated), 1000)) : null, table),
    holder)
}

export const imbalance: Page = { id: 'imbalance', title: 'Imbalance', build }
