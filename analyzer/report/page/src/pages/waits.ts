// Where threads waited, who ended their waits, and the chain of work that the length of the run depends on.

import type { App, Page } from '../app'
import { rowsOf, type Row, type Run } from '../bundle/types'
import { h, short } from '../parts/dom'
import { field, pickable, Table } from '../parts/table'
import { PATH } from '../timeline/overlay'
import { callers, where } from './callers'

function enders(run: Run, wait: Row): HTMLElement {
  const of = (key: string): Row[] => rowsOf(run.documents.waits, key).filter(row => row.wait === wait.wait)
  const rows = of('wakers')
  return h('div', null, h('h2', null, 'What ended the waits at ', short(String(wait.place), 200)), new Table({
    name: 'wakers', rows,
    columns: [
      field('ended by', 'ended_by', 'text'), field('thread', 'thread_name', 'text'), field('at', 'at', 'text', 'what it did'),
      ...where(rows, 'or thread', 'or_thread_name'), ...where(rows, 'or at', 'or_at'), field('waits', 'times', 'count'), field('time', 'time', 'time'), field('%', 'time', 'share'),
      ...where(rows, 'until it went on', 'woken', 'time', 'from what ended the waits until the thread ran again'), field('it waited itself', 'meanwhile', 'time', 'during these waits'), ...where(rows, 'mostly at', 'meanwhile_for'),
    ],
  }).element, callers(of('callers')))
}

function waitTables(run: Run): HTMLElement {
  const rows = rowsOf(run.documents.waits, 'waits')
  const holder = h('section')
  const table = pickable({
    name: 'waits', rows, empty: 'No thread waited at a recorded place.',
    columns: [
      field('place', 'place', 'text'), ...where(rows, 'object', 'object'), ...where(rows, 'in', 'function'), field('waits', 'times', 'count'),
      field('time (all threads)', 'time', 'time'), field('% of all', 'time', 'share', 'of all threads’ measured time'), field('mean', 'time_mean', 'time'), field('longest', 'time_max', 'time'),
      ...(rows.some(row => Number(row.omitted) > 0) ? [field('not recorded', 'omitted', 'count', 'executions that the recorded ones stand for')] : []),
    ],
  }, row => enders(run, row), holder)
  return h('div', null, h('section', null, h('h2', null, 'Where threads waited'), table), holder)
}

/** Takes the reader to the line of the path, whole. */
function link(app: App, run: Run): HTMLElement | null {
  if (!run.timeline.paths?.some(line => line.length > 0)) return null
  return h('p', null, h('button', { type: 'button', class: 'plain', onclick: () => {
    app.go('timeline')
    app.timeline.options.arrows.add(PATH)
    app.timeline.options.changed(false)
    app.timeline.viewport.fit()
  } }, 'Show the path in the timeline'))
}

function path(app: App, run: Run): HTMLElement {
  const document = run.documents.path
  const parts = rowsOf(document, 'parts')
  return h('section', null, h('h2', null, 'The critical path'),
    h('p', { class: 'lead' }, 'Where a thread waited, the path follows the thread that ended the wait.'),
    ...['no_path', 'at_most'].map(key => document?.[key] ? h('p', null, short(String(document[key]), 1000)) : null),
    link(app, run),
    new Table({
      name: 'path', rows: parts, empty: 'There is none.',
      columns: [
        ...where(parts, 'process', 'process'), field('construct', 'construct', 'text'), ...where(parts, 'in', 'function'), field('thread', 'thread_name', 'text'),
        field('state', 'state', 'text'), field('on the path', 'time', 'time'), field('%', 'time', 'share', 'of the run'),
      ],
    }).element)
}

function build(app: App, run: Run): HTMLElement {
  return h('div', null, path(app, run), waitTables(run))
}

export const waits: Page = { id: 'waits', title: 'Waits', build }
