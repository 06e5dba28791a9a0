// Which constructs wait for their slowest thread: a row a construct, and for the picked one who was busy, who waited for whom,
// which chunks ran when, and what another schedule would do.

import type { App, Page } from '../app'
import type { Row, Run, Time } from '../bundle/types'
import { bars } from '../parts/bars'
import { h, short } from '../parts/dom'
import { field, pickable, Table, type Column } from '../parts/table'
import { duration } from '../time/format'
import { stateCss } from '../look/colors'
import { chunkMap } from './chunkmap'
import { rowsOf } from './states'

const COLUMNS: Column[] = [
  field('construct', 'construct', 'text'), field('executed', 'calls', 'count', 'how often'), field('threads', 'threads', 'count'),
  field('elapsed', 'time', 'time', 'from the first thread’s begin to the last one’s end, of all executions'),
  field('to win (elapsed)', 'lost', 'time', 'what an even share would save'), field('% of all', 'lost_percent', 'percent', 'of all threads’ measured time'),
  field('busy min', 'busy_min', 'time', 'of the threads of an execution'), field('mean', 'busy_mean', 'time'), field('max', 'busy_max', 'time'),
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
  const shown = [...rows].sort((a, b) => (a.location as number) - (b.location as number)).slice(0, MOST_BARS)
  const table = new Table({
    name: 'threads of the construct', rows, columns: [
      field('No.', 'location', 'count'), field('thread', 'thread', 'text'), field('busy', 'busy', 'time'), field('waited', 'wait', 'time'), field('was last', 'last', 'count', 'in how many executions'),
      field('others waited', 'waited_for', 'time', 'for this thread'), field('chunks', 'chunks', 'count'), field('iterations', 'iterations', 'count'),
    ],
  })
  return h('div', { class: 'part' }, h('h3', null, 'Busy and waiting, by thread'),
    bars(shown.map(row => ({
      name: String(row.thread),
      parts: [
        { value: ticks(row, 'busy'), color: stateCss('run', 0), title: `busy ${duration(seconds(row, 'busy'))}` },
        { value: ticks(row, 'wait'), color: stateCss('synch_implicit_barrier', 0), title: `waited ${duration(seconds(row, 'wait'))}` },
      ],
      text: `${duration(seconds(row, 'busy'))} busy, ${duration(seconds(row, 'wait'))} waiting`,
    }))),
    rows.length > shown.length ? h('p', { class: 'soft' }, `The first ${MOST_BARS} of ${rows.length} threads; the table has all.`) : null,
    h('details', null, h('summary', null, 'As a table'), table.element))
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
    schedule(run, name), threadBars(run, name), map ? chunkMap(app, run, index, map) : null, waits(run, name))
}

function build(app: App, run: Run, index: number): HTMLElement {
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
