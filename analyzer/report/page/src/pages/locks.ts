// Which locks were waited for, who had them, and where.

import type { App, Page } from '../app'
import { rowsOf, type Row, type Run } from '../bundle/types'
import { h, short } from '../parts/dom'
import { type Column, field, pickable, Table } from '../parts/table'
import { callers, where } from './callers'
import { isProfile } from './profile'

/** Times of a row of locks have one unit. */
const time = (title: string, key: string, hint?: string): Column => ({ ...field(title, key, 'time', hint), together: 'locks' })

/** The columns of Java's holds and those of POSIX threads, where a row has them. */
function seen(rows: Row[]): Column[] {
  return [...where(rows, 'holds seen', 'holds', 'count', 'holds during which others waited'), ...where(rows, 'held at least', 'held_seen', 'time', 'the sum of these holds').map(column => ({ ...column, together: 'locks' }))]
}

function details(run: Run, lock: Row): HTMLElement {
  const of = (key: string): Row[] => rowsOf(run.documents.locks, key).filter(row => row.lock === lock.lock)
  const common = [
    field('acquired', 'acquired', 'count'), field('waited', 'waited', 'count', 'how often'), time('wait', 'wait'), time('longest', 'wait_max'),
    time('held', 'held'), ...seen([lock]), time('others waited', 'others_waited', 'while it was held by this thread, or from this place'),
  ]
  return h('div', null, h('h2', null, short(String(lock.name), 200)),
    h('div', { class: 'part' }, h('h3', null, 'Threads'), new Table({ name: 'threads', rows: of('threads'), columns: [field('No.', 'thread', 'count'), field('thread', 'thread_name', 'text'), ...common] }).element),
    h('div', { class: 'part' }, h('h3', null, 'Places'), new Table({
      name: 'places', rows: of('places'), columns: [field('place', 'place', 'text'), field('function', 'function', 'text'), field('file', 'file', 'text'), field('line', 'line', 'count'), ...common],
    }).element), callers(of('callers')))
}

/** Sums have the source lines of locks. */
function ofSums(run: Run): HTMLElement {
  const document = run.documents.locks
  return h('section', null, h('p', { class: 'soft' }, short(String(document?.profile ?? ''), 1000)), new Table({
    name: 'places of locks', rows: rowsOf(document, 'places'), empty: 'No locks were acquired.', columns: [
      field('place', 'place', 'text'), field('acquired', 'acquired', 'count'), field('waited', 'contended', 'count', 'how often a thread had to wait'),
      time('wait (all threads)', 'wait'), field('% of all', 'wait', 'share', 'of all threads’ time'), time('longest', 'wait_max'),
      time('held', 'held'), time('longest hold', 'held_max'),
    ],
  }).element)
}

function build(app: App, run: Run, index: number): HTMLElement {
  if (isProfile(run)) return ofSums(run)
  const document = run.documents.locks
  const rows = rowsOf(document, 'locks')
  const holder = h('section')
  const table = pickable({
    name: 'locks', rows, empty: 'No locks were waited for.',
    columns: [
      field('lock', 'name', 'text'), field('kind', 'kind', 'text'), ...(rows.some(row => row.process) ? [field('process', 'process', 'text')] : []), field('acquired', 'acquired', 'count'),
      field('waited', 'waited', 'count', 'how often a thread had to wait'), time('wait (all threads)', 'wait'), field('% of all', 'wait', 'share', 'of all threads’ measured time'),
      time('mean', 'wait_mean'), time('longest', 'wait_max'), time('held', 'held'), ...seen(rows),
    ],
  }, row => details(run, row), holder)
  const shown = run.timeline.arrows.some(arrow => arrow[0] === 'lock')
  const link = h('button', { type: 'button', class: 'plain', onclick: () => {
    const longest = run.timeline.arrows.find(arrow => arrow[0] === 'lock')
    if (!longest) return
    const [, holder, released, waiter, until, region, since] = longest
    app.go('timeline')
    app.timeline.showWait(index, waiter, since ?? Math.min(released, until), until, holder, Number(region))
  } }, 'Show the longest wait in the timeline, with an arrow from the thread that held the lock')
  return h('div', null, h('section', null, h('p', { class: 'lead' }, short(String(document?.verdict ?? ''), 1000)), ...['unwaited', 'holders_unknown'].map(key => document?.[key] ? h('p', null, short(String(document[key]), 1000)) : null), shown ? h('p', null, link) : null, table), holder)
}

export const locks: Page = { id: 'locks', title: 'Locks', build }
