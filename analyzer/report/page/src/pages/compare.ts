// Two runs: what differs. The timeline shows both, one below the other, with one time axis.

import type { App, Page } from '../app'
import type { Row, Run, Time } from '../bundle/types'
import { button, clipped, h } from '../parts/dom'
import { Table, type Column } from '../parts/table'
import { count, duration, percent } from '../time/format'
import { stateCss } from '../look/colors'
import { stateKeys } from '../timeline/paint'
import { rowsOf } from './states'

interface Pair { name: string; key?: string; a: Time | null; b: Time | null }

const secondsOf = (time: Time | null): number => time?.seconds ?? 0

function difference(pair: Pair): Time {
  return { ticks: secondsOf(pair.b) - secondsOf(pair.a), seconds: secondsOf(pair.b) - secondsOf(pair.a) }
}

/** Two runs of one program differ by as much for reasons of their own; so one run of each can't show a smaller difference. */
const NOISE = 0.05

/** Less time is better, except for time that does the program's work. */
function change(pair: Pair): HTMLElement {
  const a = secondsOf(pair.a)
  const b = secondsOf(pair.b)
  if (a === b) return h('span', { class: 'soft' }, 'same')
  if (a === 0) return h('span', { class: 'soft' }, 'only in B')
  if (b === 0) return h('span', { class: 'soft' }, 'only in A')
  const part = (b - a) / a * 100
  return h('span', { class: Math.abs(part) < 100 * NOISE ? 'soft' : part < 0 ? 'better' : 'worse' }, `${part > 0 ? '+' : '−'}${percent(Math.abs(part))}`)
}

function columns(first: string, chips: boolean): Column<Pair>[] {
  return [
    { title: first, kind: 'text', value: pair => pair.name, draw: pair => {
      if (!chips || !pair.key) return clipped(pair.name)
      const chip = h('i', { class: 'chip' })
      chip.style.background = stateCss(pair.key, 0)
      return h('span', null, chip, pair.name)
    } },
    { title: 'A', kind: 'time', value: pair => pair.a }, { title: 'B', kind: 'time', value: pair => pair.b }, { title: 'B − A', kind: 'time', value: difference },
    { title: 'change', kind: 'ratio', value: pair => secondsOf(pair.a) > 0 ? (secondsOf(pair.b) - secondsOf(pair.a)) / secondsOf(pair.a) : null, draw: change },
  ]
}

function states([a, b]: Run[]): Pair[] {
  const totals = (run: Run): Map<string, Time> => {
    const sums = new Map<string, Time>()
    for (const row of rowsOf(run.documents.states, 'threads')) {
      if (typeof row.location !== 'number') continue // the sum of all
      for (const key of ['lifetime', ...stateKeys(run)]) {
        const time = row[key] as Time | undefined
        if (!time) continue
        const sum = sums.get(key) ?? { ticks: 0, seconds: 0 }
        sums.set(key, { ticks: sum.ticks + time.ticks, seconds: (sum.ticks + time.ticks) / run.timeline.ticks_per_second })
      }
    }
    return sums
  }
  const inA = totals(a)
  const inB = totals(b)
  const names = new Map([['lifetime', 'all threads’ lifetimes'], ...[a, b].flatMap(run => stateKeys(run).map((key, i): [string, string] => [key, run.timeline.states[i]]))])
  return [...names].map(([key, name]) => ({ name, key, a: inA.get(key) ?? null, b: inB.get(key) ?? null })).filter(({ a: x, b: y }) => secondsOf(x) > 0 || secondsOf(y) > 0)
}

/** Rows of two documents put together by name, summed where a name occurs more than once. */
function matched(a: Row[], b: Row[], name: string, value: string): Pair[] {
  const pairs = new Map<string, Pair>()
  const add = (rows: Row[], side: 'a' | 'b'): void => {
    for (const row of rows) {
      const key = String(row[name])
      const pair = pairs.get(key) ?? { name: key, a: null, b: null }
      const time = row[value] as Time | null
      if (time) pair[side] = { ticks: (pair[side]?.ticks ?? 0) + time.ticks, seconds: (pair[side]?.seconds ?? 0) + time.seconds }
      pairs.set(key, pair)
    }
  }
  add(a, 'a')
  add(b, 'b')
  return [...pairs.values()]
}

/** Names the numbers of threads where they differ: then not only the program was changed. */
function threads(runs: Run[]): string {
  const [a, b] = runs.map(run => Number(run.documents.info?.threads ?? 0))
  return a === b ? '' : ` A has ${count(a)} ${a === 1 ? 'thread' : 'threads'}, B ${count(b)}.`
}

function sentence(runs: Run[]): string {
  const [x, y] = runs.map(run => run.timeline.duration / run.timeline.ticks_per_second)
  if (Math.abs(y / x - 1) < NOISE) return `Both take about the same time: A ${duration(x)}, B ${duration(y)}; one run of each can't show a difference of less than ${percent(100 * NOISE)}.${threads(runs)}`
  const said = y < x ? `B is faster: ${duration(y)} against ${duration(x)}, ${(x / y).toFixed(2)} times as fast.` : `B is slower: ${duration(y)} against ${duration(x)}, it takes ${(y / x).toFixed(2)} times as long.`
  return said + threads(runs)
}

function whole(app: App): HTMLElement {
  const { runs } = app.bundle
  const [a, b] = runs
  const imbalance = (value: string): Pair[] => matched(rowsOf(a.documents.imbalance, 'constructs'), rowsOf(b.documents.imbalance, 'constructs'), 'construct', value)
  const locks = matched(rowsOf(a.documents.locks, 'locks'), rowsOf(b.documents.locks, 'locks'), 'name', 'wait')
  return h('div', null,
    h('section', null, h('p', { class: 'lead' }, sentence(runs)),
      h('dl', { class: 'facts' }, h('dt', null, 'A'), h('dd', null, clipped(`${a.title} · ${String(a.documents.info?.command ?? '')}`)), h('dt', null, 'B'), h('dd', null, clipped(`${b.title} · ${String(b.documents.info?.command ?? '')}`))),
      h('p', null, button('Both in the timeline, with one time axis', () => app.go('timeline'), undefined, 'plain'))),
    h('section', null, h('h2', null, 'Time in each state, all threads together'), new Table({ name: 'states of both runs', rows: states(runs), columns: columns('state', true) }).element),
    h('section', null, h('h2', null, 'Constructs: time'), new Table({ name: 'constructs of both runs', rows: imbalance('time'), columns: columns('construct', false), sort: 1, empty: 'Neither run has constructs that threads share.' }).element),
    h('section', null, h('h2', null, 'Constructs: what an even share would save'), new Table({ name: 'imbalance of both runs', rows: imbalance('lost'), columns: columns('construct', false), sort: 1, empty: 'Neither run has constructs that threads share.' }).element),
    h('section', null, h('h2', null, 'Locks: time waited'), new Table({ name: 'locks of both runs', rows: locks, columns: columns('lock', false), sort: 1, empty: 'No locks were waited for, in neither run.' }).element))
}

export const compare: Page = { id: 'compare', title: 'Compare', whole }
