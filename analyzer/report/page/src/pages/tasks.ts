// Tasks: how many, how long they waited and ran, who made and who executed them, and how parallel they could be.

import type { App, Page } from '../app'
import { rowsOf, type Document, type Row, type Run, type Time } from '../bundle/types'
import { button, h, short } from '../parts/dom'
import { bars } from '../parts/bars'
import { plot } from '../parts/plot'
import { field, pickable, Table } from '../parts/table'
import { count, duration, sinceStart } from '../time/format'
import { stateColor } from '../look/colors'
import { where } from './callers'

const seconds = (cell: unknown): number => (cell as Time | null | undefined)?.seconds ?? 0

/** Figures of all tasks, as far as they are known. */
function facts(document: Document): HTMLElement {
  const list = h('dl', { class: 'facts' })
  const add = (title: string, text: string | null): void => {
    if (text !== null) list.append(h('dt', null, title), h('dd', null, text))
  }
  const number = (key: string): string | null => typeof document[key] === 'number' ? count(document[key]) : null
  const time = (key: string): string | null => document[key] ? duration(seconds(document[key])) : null
  add('Tasks made', number('made'))
  add('Tasks ended', number('ended'))
  add('Most that waited at one time', number('most_waiting'))
  add('Work', time('work'))
  add('Span', time('span'))
  add('Work by span', typeof document.parallelism === 'number' ? `${document.parallelism.toFixed(2)}: so many threads could work at a time, on average` : null)
  return list
}

/** How many tasks were between their creation and the end of their wait, by the arrows that the page has. */
function queue(run: Run): HTMLElement | null {
  const { arrows, duration: length, ticks_per_second } = run.timeline
  const waits = arrows.filter(([kind]) => kind === 'task')
  if (waits.length === 0 || length <= 0) return null
  const BINS = 256
  const ticks = new Float64Array(BINS)
  for (const [, , from, , until] of waits) {
    for (let bin = Math.max(0, Math.floor(from / length * BINS)); bin < BINS; bin++) {
      const part = Math.min(until, (bin + 1) * length / BINS) - Math.max(from, bin * length / BINS)
      if (part <= 0 && bin * length / BINS >= until) break
      ticks[bin] += Math.max(0, part)
    }
  }
  return h('section', null, h('h2', null, 'Tasks that wait to be executed, over time'),
    h('p', { class: 'soft' }, waits.length >= 5000 ? 'By the 5,000 longest waits from a creation to the execution.' : `By ${count(waits.length)} waits between threads, from a creation to the execution.`),
    plot({
      x: Array.from(ticks, (_, i) => sinceStart((i + 0.5) * length / BINS / ticks_per_second)), stacked: true, height: 200, yLabel: 'tasks',
      series: [{ name: 'waiting', color: () => stateColor('synch_taskwait', 0), values: Array.from(ticks, sum => sum / (length / BINS)) }],
    }))
}

function details(app: App, run: Run, index: number, site: Row): HTMLElement {
  const document = run.documents.tasks
  const of = (key: string): Row[] => rowsOf(document, key).filter(row => row.site === site.site)
  const threads = of('threads')
  const name = String(site.name)
  const ran = (row: Row): number => Number(row.ran ?? 0)
  return h('div', null, h('h2', null, short(name, 200)),
    run.timeline.regions.some(region => region.name === name) ? h('p', null, button('executions of this construct', () => app.showConstruct(index, name), undefined, 'plain')) : null,
    h('div', { class: 'part' }, h('h3', null, 'Who made and who executed them'), bars(threads.slice(0, 64).map(row => ({
      name: String(row.thread_name), text: `made ${count(Number(row.made ?? 0))}, executed ${count(ran(row))}, of others ${count(Number(row.stolen ?? 0))}`,
      parts: [
        { value: ran(row) - Number(row.stolen ?? 0), color: 'var(--state-run)', title: 'executed, made by this thread' },
        { value: Number(row.stolen ?? 0), color: 'var(--state-synch_taskwait)', title: 'executed, made by another thread' },
      ],
    }))), h('details', null, h('summary', null, 'As a table'), new Table({
      name: 'threads', rows: threads, columns: [field('No.', 'thread', 'count'), field('thread', 'thread_name', 'text'), field('made', 'made', 'count'), field('executed', 'ran', 'count'), field('of others', 'stolen', 'count'), field('run', 'run', 'time')],
    }).element)),
    h('div', { class: 'part' }, h('h3', null, 'How long they ran and waited'), new Table({
      name: 'lengths', rows: of('lengths'), columns: [
        field('run median', 'run_median', 'time'), field('90 %', 'run_90', 'time'), field('longest', 'run_max', 'time'),
        field('waited median', 'queue_median', 'time', 'from the creation to the execution'), field('90 %', 'queue_90', 'time'), field('longest', 'queue_max', 'time'),
      ].map(column => ({ ...column, together: 'lengths' })),
    }).element))
}

function build(app: App, run: Run, index: number): HTMLElement {
  const document = run.documents.tasks
  if (!document) return h('p', { class: 'empty' }, 'The run made no tasks.')
  const sites = rowsOf(document, 'sites')
  const holder = h('section')
  const table = pickable({
    name: 'places that make tasks', rows: sites, empty: 'No place made tasks.', columns: [
      field('task', 'name', 'text'), ...where(sites, 'function', 'function'), field('made', 'made', 'count'), field('at once', 'at_once', 'count', 'executed by the thread that made it, without a wait'),
      field('of others', 'stolen', 'count', 'executed by another thread than the one that made it'), field('run', 'run', 'time', 'of all threads'), field('% of all', 'run', 'share'),
      field('creation', 'make', 'time', 'of one task'), field('grain', 'grain', 'text'),
    ],
  }, site => details(app, run, index, site), holder)
  const pools = rowsOf(document, 'pools')
  return h('div', null,
    h('section', null, ...['grain', 'few_tasks'].map(key => document[key] ? h('p', { class: 'lead' }, short(String(document[key]), 1000)) : null), facts(document)),
    queue(run), h('section', null, h('h2', null, 'Places that make tasks'), table), holder,
    pools.length > 0 ? h('section', null, h('h2', null, 'Pools'), new Table({
      name: 'pools', rows: pools, columns: Object.keys(pools[0]).map(key => field(key.replaceAll('_', ' '), key, typeof pools[0][key] === 'object' ? 'time' : typeof pools[0][key] === 'number' ? 'count' : 'text')),
    }).element) : null)
}

export const tasks: Page = { id: 'tasks', title: 'Tasks', build }
