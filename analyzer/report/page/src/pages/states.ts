// How long each thread was in which state, and how many threads were in each state when.

import type { App, Page } from '../app'
import { rowsOf, type Row, type Run, type Time } from '../bundle/types'
import { h } from '../parts/dom'
import { plot } from '../parts/plot'
import { field, Table, type Column } from '../parts/table'
import { sinceStart } from '../time/format'
import { stateColor, stateCss } from '../look/colors'
import { CAUSES, NAMES } from '../look/states'
import { wordOf } from '../look/words'
import { statesThatOccur } from '../timeline/legend'
import { stateKeys } from '../timeline/paint'
import { callers } from './callers'
import { isProfile } from './profile'

/** Number of threads in each state, over time. */
function aggregate(run: Run): HTMLElement {
  const { bins, duration, ticks_per_second } = run.timeline
  const keys = stateKeys(run)
  const states = statesThatOccur(run)
  if (states.length === 0) return h('p', { class: 'empty' }, 'No thread was ever in a state.')
  const width = duration / bins.count
  const x = Array.from({ length: bins.count }, (_, i) => sinceStart((i + 0.5) * width / ticks_per_second))
  return plot({
    x, stacked: true, height: 260, yLabel: 'threads',
    series: states.map(state => ({
      name: run.timeline.states[state], color: () => stateColor(keys[state], state),
      values: bins.ticks[state].map((ticks, i) => ticks / Math.max(1, Math.floor((i + 1) * width) - Math.floor(i * width))),
    })),
  })
}

const isZero = (rows: Row[], key: string): boolean => rows.every(row => ((row[key] as Time | undefined)?.ticks ?? 0) === 0)

/** A thread's states as a bar, as parts of its lifetime. */
function bar(run: Run, row: Row): HTMLElement {
  const element = h('span', { class: 'share-bar row' })
  const lifetime = (row.lifetime as Time | undefined)?.ticks ?? 0
  if (lifetime === 0) return element
  stateKeys(run).forEach((key, state) => {
    const ticks = (row[key] as Time | undefined)?.ticks ?? 0
    if (ticks === 0) return
    const part = h('i', { class: 'state-color', data: { state: key } })
    part.style.width = `${ticks / lifetime * 100}%`
    part.style.background = stateCss(key, state)
    element.append(part)
  })
  return element
}

function threadTable(app: App, run: Run, index: number): HTMLElement {
  const rows = rowsOf(run.documents.states, 'threads')
  const columns: Column[] = [
    field('No.', 'thread', 'count'), field('thread', 'thread_name', 'text'),
    ...(rows.some(row => row.process) ? [field('process', 'process', 'text')] : []),
    { title: 'states', kind: 'picture', value: () => null, draw: row => bar(run, row) },
    field('lifetime', 'lifetime', 'time'),
  ]
  for (const [key, title] of NAMES) {
    if (isZero(rows, key)) continue
    columns.push({ ...field(title, key, 'time', key === 'unmeasured' ? 'In percent: of the lifetime.' : `${wordOf(key)} In percent: of what was measured.`), shared: true })
  }
  return new Table({
    name: 'the states of each thread', rows, columns, empty: 'No thread was recorded.',
    last: row => typeof row.thread !== 'number',
    onpick: isProfile(run) ? undefined : row => {
      const { thread: location } = row
      if (typeof location !== 'number') return
      const { begin, end } = run.timeline.locations[location]
      app.showPlace(index, location, begin, end)
    },
  }).element
}

/** The states that have several causes, by cause; nothing if only one occurs. */
function causeTable(run: Run): HTMLElement | null {
  const rows = rowsOf(run.documents.states, 'threads')
  const causes = CAUSES.filter(([key]) => !isZero(rows, key))
  if (causes.length < 2) return null
  return h('section', null, h('h2', null, 'What threads waited for'), h('p', { class: 'soft' }, 'SYNCH and BLOCKED, by cause.'), new Table({
    name: 'what each thread waited for', rows, last: row => typeof row.thread !== 'number', columns: [
      field('No.', 'thread', 'count'), field('thread', 'thread_name', 'text'), ...(rows.some(row => row.process) ? [field('process', 'process', 'text')] : []),
      ...causes.map(([key, title]) => field(title, key, 'time', wordOf(key))),
    ],
  }).element)
}

function constructTable(run: Run): HTMLElement {
  const rows = rowsOf(run.documents.constructs, 'constructs')
  const columns: Column[] = [
    field('construct', 'construct', 'text'), field('function', 'function', 'text'), field('executed', 'executions', 'count', 'how often'),
    field('time (all threads)', 'time', 'time', 'without what is nested'), field('% of all', 'time', 'share', 'of all threads’ time'),
    ...(rows.some(row => row.time_of_all) ? [field('time of all calls', 'time_of_all', 'time', 'an estimate, where not all executions are recorded')] : []),
    ...NAMES.filter(([key]) => !isZero(rows, key)).map(([key, title]) => field(title, key, 'time', wordOf(key))),
  ]
  return new Table({ name: 'the states of each construct', rows, columns, empty: 'No construct was recorded.' }).element
}

function build(app: App, run: Run, index: number): HTMLElement {
  const sums = isProfile(run)
  return h('div', null,
    sums ? null : h('section', null, h('h2', null, 'Threads in each state over time'),
      h('p', { class: 'soft' }, 'A full height is all threads that live at that time. Drag to zoom, double click for all.'), aggregate(run)),
    h('section', null, h('h2', null, 'Threads'), h('p', { class: 'soft' }, `A thread’s states add up to its lifetime.${sums ? '' : ' Click a row to see the thread in the timeline.'}`), threadTable(app, run, index)),
    causeTable(run),
    h('section', null, h('h2', null, 'Constructs'), constructTable(run), callers(rowsOf(run.documents.constructs, 'callers'))))
}

export const states: Page = { id: 'states', title: 'States', build }
