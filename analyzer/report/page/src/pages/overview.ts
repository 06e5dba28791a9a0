// The first page: what ran, what to look at first and why, and what the figures do not cover.

import type { App, Page } from '../app'
import { rowsOf, type Finding, type Row, type Run, type Time } from '../bundle/types'
import { button, h, short } from '../parts/dom'
import { count, duration, percent } from '../time/format'
import { kindCss, stateCss } from '../look/colors'
import { stateKeys } from '../timeline/paint'
import { leadsTo } from './leads'
import { isProfile } from './profile'
import { wordOf } from '../look/words'

/** What a finding's time is: what is won of the run, but for the measurement, which took it from one thread. */
const TIME_OF: Record<string, string> = { measurement: 'of one thread' }

function finding(app: App, run: Run, index: number, found: Finding, rank: number): HTMLElement {
  const places: HTMLElement[] = []
  if (found.begin !== undefined && found.end !== undefined) {
    const { lane, begin, end } = found
    places.push(button('show in the timeline', () => app.showPlace(index, lane ?? null, begin, end), undefined, 'plain'))
  }
  const page = found.link && leadsTo(run, found.link.page)
  if (page) {
    places.push(button(`${page} page`, () => app.go(page), undefined, 'plain'))
  }
  const { row } = found.link ?? {}
  if (row && !isProfile(app.bundle.runs[index])) places.push(button('its executions', () => app.showConstruct(index, row), undefined, 'plain'))
  if (found.source) places.push(h('span', { class: 'soft' }, short(found.source, 200)))
  return h('li', null, h('span', { class: 'rank' }, String(rank)), h('span', null, short(found.text, 1000)),
    h('span', { class: 'cost' }, !found.seconds ? '' : duration(found.seconds), found.seconds ? h('span', { class: 'soft' }, ` ${TIME_OF[found.kind] ?? 'of the run'}`) : null),
    places.length > 0 ? h('span', { class: 'where' }, ...places) : null)
}

/** Ticks of all threads in each state: of a profile by its table, as it has no times. */
function sumsByState(run: Run): number[] {
  if (!isProfile(run)) return run.timeline.bins.ticks.map(bins => bins.reduce((sum, ticks) => sum + ticks, 0))
  const threads = rowsOf(run.documents.states, 'threads').filter(row => typeof row.thread === 'number')
  return stateKeys(run).map(key => threads.reduce((sum, row) => sum + ((row[key] as Time | undefined)?.ticks ?? 0), 0))
}

/** All threads' time by state, as one bar; percentages are of what was measured, that of UNMEASURED of all. */
export function stateShares(run: Run): HTMLElement {
  const keys = stateKeys(run)
  const sums = sumsByState(run)
  const total = sums.reduce((a, b) => a + b, 0)
  const unmeasured = keys.indexOf('unmeasured')
  const measured = total - (unmeasured < 0 ? 0 : sums[unmeasured])
  const element = h('div', { class: 'shares' })
  const draw = (): void => {
    const bar = h('div', { class: 'share-bar' })
    const legend = h('div', { class: 'share-legend' })
    sums.forEach((ticks, state) => {
      if (ticks === 0) return
      const part = h('i', { title: `${run.timeline.states[state]}: ${wordOf(keys[state])}` })
      part.style.width = `${ticks / total * 100}%`
      part.style.background = stateCss(keys[state], state)
      bar.append(part)
      const chip = h('i', { class: 'chip' })
      chip.style.background = stateCss(keys[state], state)
      legend.append(h('span', { title: wordOf(keys[state]) }, chip, `${run.timeline.states[state]} ${percent(ticks / (state === unmeasured ? total : measured) * 100)} · ${duration(ticks / run.timeline.ticks_per_second)}`))
    })
    element.replaceChildren(bar, legend)
  }
  draw()
  return total > 0 ? element : h('p', { class: 'empty' }, 'No thread was ever in a state.')
}

/** What the processors' time went to, by the account, as one bar; null: the run has no account. */
function accountShares(run: Run): HTMLElement | null {
  const rows = run.documents.imbalance?.account
  if (!Array.isArray(rows) || rows.length === 0) return null
  const bar = h('div', { class: 'share-bar' })
  const legend = h('div', { class: 'share-legend' })
  for (const row of rows as Row[]) {
    const kind = String(row.kind), share = Number(row.percent)
    const part = h('i', { title: `${kind}: ${wordOf(kind)}` })
    part.style.width = `${share}%`
    part.style.background = kindCss(kind)
    bar.append(part)
    const chip = h('i', { class: 'chip' })
    chip.style.background = kindCss(kind)
    legend.append(h('span', { title: wordOf(kind) }, chip, `${kind} ${percent(share)}`))
  }
  return h('div', { class: 'shares account' }, bar, legend)
}

/** The account, and the threads' states with the sentence that adds up to them. */
function shares(run: Run): HTMLElement[] {
  const account = accountShares(run)
  const said = run.findings.find(({ kind }) => kind === 'states')
  return [
    ...(account ? [h('section', null, h('h2', null, 'What the processors’ time went to'), account)] : []),
    h('section', null, h('h2', null, 'Where all threads’ time went'), said ? h('p', null, short(said.text, 1000)) : null, stateShares(run)),
  ]
}

/** Findings that are shown at once; the others are a click away. */
const FIRST = 8

function findingsOf(app: App, run: Run, index: number): HTMLElement {
  const all = run.findings.filter(({ kind }) => kind !== 'states')
  if (all.length === 0) return h('p', { class: 'empty' }, 'Nothing stands out.')
  const list = (found: Finding[], first: number): HTMLElement => h('ol', { class: 'findings', start: first }, ...found.map((one, i) => finding(app, run, index, one, first + i)))
  const rest = all.slice(FIRST)
  return h('div', null, list(all.slice(0, FIRST), 1),
    rest.length > 0 ? h('details', { class: 'more-findings' }, h('summary', null, `${rest.length} more, each of which costs less`), list(rest, FIRST + 1)) : null)
}

const FACTS: [key: string, title: string][] = [
  ['program', 'Program'], ['command', 'Command'], ['executable', 'Executable'], ['host', 'Machine'], ['runtime', 'Runtime'], ['start', 'Started'],
  ['duration', 'Duration'], ['ended', 'Ended'], ['processes', 'Processes'], ['threads', 'Threads'], ['events', 'Events'], ['creator', 'Recorded with'], ['archive', 'Trace'],
]

function facts(run: Run): HTMLElement {
  const info = run.documents.info ?? {}
  const list = h('dl', { class: 'facts' })
  for (const [key, title] of FACTS) {
    const value = info[key]
    if (value === undefined || value === null) continue
    const text = typeof value === 'object' ? duration((value as Time).seconds) : typeof value === 'number' ? count(value) : String(value)
    list.append(h('dt', null, title), h('dd', null, short(text, 500)))
  }
  return list
}

function environment(run: Run): HTMLElement | null {
  const rows = run.documents.info?.environment
  if (!Array.isArray(rows) || rows.length === 0) return null
  return h('details', null, h('summary', null, `Environment (${rows.length})`),
    h('dl', { class: 'facts' }, ...(rows as Row[]).flatMap(row => [h('dt', null, short(String(row.variable), 80)), h('dd', null, short(String(row.value), 500))])))
}

function build(app: App, run: Run, index: number): HTMLElement {
  const notes = run.notes.length > 0
    ? h('ul', { class: 'notes' }, ...run.notes.map(note => h('li', null, short(note, 1000))))
    : h('p', { class: 'empty' }, 'Everything was recorded; nothing was lost, derived or summed.')
  return h('div', null,
    h('section', null, h('h2', null, 'Look at this first'), findingsOf(app, run, index)),
    ...shares(run),
    h('div', { class: 'columns' },
      h('section', null, h('h2', null, 'The run'), facts(run), environment(run)),
      h('section', null, h('h2', null, 'What to keep in mind'), notes)))
}

export const overview: Page = { id: 'overview', title: 'Overview', build }
