// Why the threads do not do more work: the account, and below it the tree of reasons, what is ruled out and what is unknown.

import type { App, Page } from '../app'
import { rowsOf, type Row, type Run } from '../bundle/types'
import { button, h, short } from '../parts/dom'
import { bars } from '../parts/bars'
import { percent } from '../time/format'
import { kindCss } from '../look/colors'
import { wordOf } from '../look/words'

/** Where a kind of reason has its details. */
const PAGE_OF: Record<string, string> = {
  synchronization: 'locks', imbalance: 'imbalance', grain: 'imbalance', tasks: 'tasks', serial: 'states', processors: 'states', blocked: 'waits', threads: 'states',
  runtime: 'imbalance', collection: 'states', deadlock: 'locks',
}

/** What is known of a node, and a link to what shows it: its construct, its thread, or the page of its kind. */
function line(app: App, run: Run, index: number, row: Row): HTMLElement {
  const text = short(String(row.text), 600)
  const figure = typeof row.could_win_percent === 'number' ? `${row.confidence === 'estimate' ? '~' : ''}${percent(row.could_win_percent)}` : ''
  const aspect = row.aspect === 'root' || row.aspect === 'kind' ? '' : `${String(row.aspect)}: `
  const go = target(app, run, index, row)
  return h('div', { class: `reason ${String(row.aspect)}` }, h('span', { class: 'number' }, figure),
    h('span', null, aspect ? h('span', { class: 'soft' }, aspect) : null, go ? button(text, go, wordOf(String(row.key)), 'plain says') : text))
}

function target(app: App, run: Run, index: number, row: Row): (() => void) | null {
  const { timeline } = run
  if (row.aspect === 'who' && row.thread_name) {
    const location = timeline.locations.findIndex(({ name }) => name === row.thread_name)
    if (location >= 0 && !run.documents.profile) return () => app.showPlace(index, location, timeline.locations[location].begin, timeline.locations[location].end)
  }
  if (row.place && timeline.regions.some(({ name }) => name === row.place)) return () => app.showConstruct(index, String(row.place))
  const page = PAGE_OF[String(row.key)]
  return page && app.has(page) ? () => app.go(page) : null
}

/** The nodes below `from`, as nested lists. */
function tree(app: App, run: Run, index: number, rows: Row[]): HTMLElement {
  const root = h('ul', { class: 'reasons' })
  const open: HTMLElement[] = [root]
  for (const row of rows) {
    const depth = Math.min(Number(row.depth), open.length - 1)
    const below = h('ul')
    open.length = depth + 1
    open[depth].append(h('li', null, line(app, run, index, row), below))
    open.push(below)
  }
  root.querySelectorAll('ul:empty').forEach(list => list.remove())
  return root
}

function account(run: Run): HTMLElement | null {
  const rows = rowsOf(run.documents.why, 'account')
  if (rows.length === 0) return null
  return h('section', null, h('h2', null, 'What the processors’ time went to'), bars(rows.map(row => ({
    name: String(row.kind), hint: wordOf(String(row.kind)), text: `${percent(Number(row.percent))}${row.place ? `  ${short(String(row.place), 90)}` : ''}`,
    parts: [{ value: Number(row.percent), color: kindCss(String(row.kind)), title: wordOf(String(row.kind)) }],
  }))))
}

function efficiency(run: Run): HTMLElement | null {
  const found = run.documents.why?.efficiency as Record<string, number | null> | null | undefined
  if (!found || typeof found.parallel !== 'number') return null
  const part = (key: string): string => typeof found[key] === 'number' ? percent(found[key]) : 'unknown'
  return h('p', null, `Parallel efficiency: ${part('parallel')} = load balance ${part('load_balance')} × serialization ${part('serialization')} × transfer ${part('transfer')}.`)
}

function build(app: App, run: Run, index: number): HTMLElement {
  const document = run.documents.why
  const rows = rowsOf(document, 'hypotheses')
  const kinds = rows.filter(row => row.aspect === 'kind')
  const against = (verdict: string): Row[] => kinds.filter(row => row.verdict === verdict)
  const dropped = new Set([...against('ruled out'), ...against('unknown')])
  let kept = true
  const reasons = rows.filter(row => {
    if (Number(row.depth) <= 1) kept = !dropped.has(row)
    return kept
  })
  const section = (title: string, found: Row[], empty: string): HTMLElement => h('section', null, h('h2', null, title),
    found.length > 0 ? h('ul', { class: 'reasons' }, ...found.map(row => h('li', null, line(app, run, index, row)))) : h('p', { class: 'empty' }, empty))
  const advice = [...new Set(rows.map(row => row.advice).filter(Boolean).map(String))]
  return h('div', null,
    h('section', null, h('p', { class: 'lead' }, short(String(document?.verdict ?? ''), 1000)), efficiency(run)), account(run),
    h('section', null, h('h2', null, 'Reasons'), h('p', { class: 'soft' }, 'What could be won, and why. A line leads to what shows it.'), tree(app, run, index, reasons)),
    advice.length > 0 ? h('section', null, h('h2', null, 'What to do'), h('ol', null, ...advice.map(text => h('li', null, short(text, 1000))))) : null,
    h('div', { class: 'columns' },
      section(`Ruled out: less than ${percent(Number(document?.threshold ?? 3))}`, against('ruled out'), 'Nothing.'),
      section('Unknown: what to record', against('unknown'), 'Nothing: the trace has all that the tests need.')))
}

export const why: Page = { id: 'why', title: 'Why', build }
