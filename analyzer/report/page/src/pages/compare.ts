// Two runs: what differs. The timeline shows both, one below the other, with one time axis.

import type { App, Page } from '../app'
import { rowsOf, type Row, type Run, type Time } from '../bundle/types'
import { button, clipped, h, short } from '../parts/dom'
import { Table, type Column } from '../parts/table'
import { count, duration, percent } from '../time/format'
import { kindCss, stateCss } from '../look/colors'
import { wordOf } from '../look/words'
import { stateKeys } from '../timeline/paint'

interface Pair { name: string; key?: string; a: Time | null; b: Time | null; color?: string; hint?: string; place?: string }

const secondsOf = (time: Time | null): number => time?.seconds ?? 0

function difference(pair: Pair): Time {
  return { ticks: secondsOf(pair.b) - secondsOf(pair.a), seconds: secondsOf(pair.b) - secondsOf(pair.a) }
}

/** Two runs of one program differ by as much for reasons of their own; so one run of each can't show a smaller difference. */
const NOISE = 0.05

/** From so many times on, percents say little. */
const MANY = 10

/** Less time is better, except for time that does the program's work. */
function change(pair: Pair): HTMLElement {
  const a = secondsOf(pair.a)
  const b = secondsOf(pair.b)
  if (a === b) return h('span', { class: 'soft' }, 'same')
  if (a === 0) return h('span', { class: 'soft' }, 'only in B')
  if (b === 0) return h('span', { class: 'soft' }, 'only in A')
  const part = (b - a) / a * 100
  return h('span', { class: Math.abs(part) < 100 * NOISE ? 'soft' : part < 0 ? 'better' : 'worse' }, b > MANY * a ? `${count(Math.round(b / a))} times` : `${part > 0 ? '+' : '−'}${percent(Math.abs(part))}`)
}

/** What a difference is of the first run: small ones are no news, however large they are of their row. */
function weight(pair: Pair, whole: number): number {
  return whole > 0 ? (secondsOf(pair.b) - secondsOf(pair.a)) / whole * 100 : 0
}

const signed = (value: number): string => Math.abs(value) < 0.05 ? percent(Math.abs(value)) : `${value > 0 ? '+' : ''}${percent(value)}`

/** A bar from the middle: to the left is less time, to the right more. */
function balance(share: number, most: number): HTMLElement {
  const part = h('i', { class: share < 0 ? 'less' : 'more-time' })
  part.style.width = `${most > 0 ? Math.abs(share) / most * 50 : 0}%`
  part.style[share < 0 ? 'right' : 'left'] = '50%'
  return h('span', { class: 'balance' }, part)
}

/** @param whole seconds of the first run that a difference is a share of */
function columns(first: string, chips: boolean, whole: number, pairs: Pair[] = []): Column<Pair>[] {
  const most = Math.max(...pairs.map(pair => Math.abs(weight(pair, whole))), 0)
  return [
    { title: first, kind: 'text', value: pair => pair.name, draw: pair => {
      if (!chips || !pair.key) return clipped(pair.name)
      const chip = h('i', { class: 'chip' })
      chip.style.background = pair.color ?? stateCss(pair.key, 0)
      return h('span', { title: pair.hint ?? wordOf(pair.key) }, chip, pair.name)
    } },
    { title: 'A', kind: 'time', together: 'runs', value: pair => pair.a }, { title: 'B', kind: 'time', together: 'runs', value: pair => pair.b }, { title: 'B − A', kind: 'time', together: 'runs', signed: true, value: difference },
    { title: '% of A', kind: 'percent', hint: 'the difference, as a share of all time of run A', value: pair => Math.abs(weight(pair, whole)), draw: pair => {
      const share = weight(pair, whole)
      return h('span', { class: Math.abs(share) < 1 ? 'soft' : share < 0 ? 'better' : 'worse' }, signed(share))
    } },
    ...(pairs.length > 0 ? [{ title: 'less · more', kind: 'picture', value: () => null, draw: (pair: Pair) => balance(weight(pair, whole), most) } satisfies Column<Pair>] : []),
    { title: 'change', kind: 'ratio', hint: 'of the row itself', value: pair => secondsOf(pair.a) > 0 ? (secondsOf(pair.b) - secondsOf(pair.a)) / secondsOf(pair.a) : null, draw: change },
  ]
}

function states([a, b]: Run[]): Pair[] {
  const totals = (run: Run): Map<string, Time> => {
    const sums = new Map<string, Time>()
    for (const row of rowsOf(run.documents.states, 'threads')) {
      if (typeof row.thread !== 'number') continue // the sum of all
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

/** The causes of both runs, by their accounts: the differences add up to the difference of the runs. */
function causes(runs: Run[]): Pair[] {
  const pairs = new Map<string, Pair>()
  runs.forEach((run, side) => {
    for (const row of rowsOf(run.documents.imbalance, 'account')) {
      const kind = String(row.kind)
      const pair = pairs.get(kind) ?? { name: kind, key: kind, a: null, b: null, color: kindCss(kind), hint: wordOf(kind) }
      pair[side === 0 ? 'a' : 'b'] = { ticks: Number(row.ticks), seconds: Number(row.ticks) / run.timeline.ticks_per_second }
      pair.place = row.place ? String(row.place) : pair.place
      pairs.set(kind, pair)
    }
  })
  return [...pairs.values()]
}

const total = (pairs: Pair[], side: 'a' | 'b'): number => pairs.reduce((sum, pair) => sum + secondsOf(pair[side]), 0)

/** What became better and worse most, in words. */
function because(pairs: Pair[], whole: number): HTMLElement | null {
  const sorted = pairs.map(pair => ({ pair, share: weight(pair, whole) })).filter(({ share }) => Math.abs(share) >= 1).sort((a, b) => Math.abs(b.share) - Math.abs(a.share)).slice(0, 3)
  if (sorted.length === 0) return h('p', null, 'No cause differs by more than 1 % of run A.')
  return h('ul', { class: 'notes because' }, ...sorted.map(({ pair, share }) => h('li', null, h('b', null, pair.name), `: ${share < 0 ? 'less' : 'more'} by `,
    h('span', { class: share < 0 ? 'better' : 'worse' }, `${percent(Math.abs(share))} of run A`), ` (${duration(Math.abs(secondsOf(pair.b) - secondsOf(pair.a)))} of all processors)${pair.place ? `, mostly at ${short(pair.place, 90)}` : ''}. `,
    h('span', { class: 'soft' }, wordOf(pair.name)))))
}

function byCause(runs: Run[]): HTMLElement | null {
  const pairs = causes(runs)
  const whole = total(pairs, 'a')
  if (whole === 0 || total(pairs, 'b') === 0) return null
  const order = [...pairs].sort((x, y) => Math.abs(weight(y, whole)) - Math.abs(weight(x, whole)))
  return h('section', null, h('h2', null, 'What became better and worse, by cause'), because(pairs, whole),
    h('p', { class: 'soft' }, 'Time of all processors, from the start of the run to its end, by the account. The differences add up to the difference of the runs.'),
    new Table({ name: 'causes of both runs', rows: order, columns: columns('cause', true, whole, pairs) }).element)
}

/** Profiles have sums of constructs in place of what needs events. */
function profiles([a, b]: Run[], all: number): HTMLElement | null {
  if (!a.documents.profile || !b.documents.profile) return null
  const rows = ({ documents }: Run): Row[] => rowsOf(documents.constructs, 'constructs')
  const pairs = matched(rows(a), rows(b), 'construct', 'time')
  return h('section', null, h('h2', null, 'Constructs: time of all threads'), new Table({ name: 'constructs of both profiles', rows: pairs, columns: columns('construct', false, all), sort: 4 }).element)
}

function whole(app: App): HTMLElement {
  const { runs } = app.bundle
  const [a, b] = runs
  const imbalance = (value: string): Pair[] => matched(rowsOf(a.documents.imbalance, 'constructs'), rowsOf(b.documents.imbalance, 'constructs'), 'construct', value)
  const locks = matched(rowsOf(a.documents.locks, 'locks'), rowsOf(b.documents.locks, 'locks'), 'name', 'wait')
  const inStates = states(runs)
  const all = secondsOf(inStates.find(({ key }) => key === 'lifetime')?.a ?? null)
  const run = a.timeline.duration / a.timeline.ticks_per_second
  const shared = (pairs: Pair[], title: string, name: string, empty: string): HTMLElement => h('section', null, h('h2', null, title),
    new Table({ name, rows: pairs, columns: columns(name.startsWith('locks') ? 'lock' : 'construct', false, name.startsWith('locks') ? all : run), sort: 4, empty }).element)
  const none = 'Neither run has constructs that threads share.'
  const events = !a.documents.profile
  return h('div', null,
    h('section', null, h('p', { class: 'lead' }, sentence(runs)),
      h('dl', { class: 'facts' }, h('dt', null, 'A'), h('dd', null, clipped(`${a.title} · ${String(a.documents.info?.command ?? '')}`)), h('dt', null, 'B'), h('dd', null, clipped(`${b.title} · ${String(b.documents.info?.command ?? '')}`))),
      events ? h('p', null, button('Both in the timeline, with one time axis', () => app.go('timeline'), undefined, 'plain')) : null),
    byCause(runs),
    h('section', null, h('h2', null, 'Time in each state, all threads together'), new Table({ name: 'states of both runs', rows: inStates, columns: columns('state', true, all) }).element),
    profiles(runs, all),
    events ? shared(imbalance('time'), 'Constructs: time', 'constructs of both runs', none) : null,
    events ? shared(imbalance('lost'), 'Constructs: what an even share would save', 'imbalance of both runs', none) : null,
    events ? shared(locks, 'Locks: time waited', 'locks of both runs', 'No locks were waited for, in neither run.') : null)
}

export const compare: Page = { id: 'compare', title: 'Compare', whole }
