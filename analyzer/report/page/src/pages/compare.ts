// Two runs: what differs. Of more runs, a table shows all, and any two of them are compared. The timeline shows all, one below the other.

import type { App, Page } from '../app'
import { rowsOf, type Row, type Run, type Time } from '../bundle/types'
import { button, clipped, h, short } from '../parts/dom'
import { Table, type Column } from '../parts/table'
import { count, duration, percent } from '../time/format'
import { kindCss, stateCss } from '../look/colors'
import { wordOf } from '../look/words'
import { stateKeys } from '../timeline/paint'
import { allRuns, letter } from './runs'

/** Two of the runs, and how they are compared: `factor` stretches the times of the second one. */
interface Two { runs: [Run, Run]; names: [string, string]; factor: number }

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
function change(pair: Pair, names: [string, string]): HTMLElement {
  const a = secondsOf(pair.a)
  const b = secondsOf(pair.b)
  if (a === b) return h('span', { class: 'soft' }, 'same')
  if (a === 0) return h('span', { class: 'soft' }, `only in ${names[1]}`)
  if (b === 0) return h('span', { class: 'soft' }, `only in ${names[0]}`)
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
function columns(first: string, chips: boolean, whole: number, { names }: Two, pairs: Pair[] = []): Column<Pair>[] {
  const most = Math.max(...pairs.map(pair => Math.abs(weight(pair, whole))), 0)
  return [
    { title: first, kind: 'text', value: pair => pair.name, draw: pair => {
      if (!chips || !pair.key) return clipped(pair.name)
      const chip = h('i', { class: 'chip' })
      chip.style.background = pair.color ?? stateCss(pair.key, 0)
      return h('span', { title: pair.hint ?? wordOf(pair.key) }, chip, pair.name)
    } },
    { title: names[0], kind: 'time', together: 'runs', value: pair => pair.a }, { title: names[1], kind: 'time', together: 'runs', value: pair => pair.b }, { title: `${names[1]} − ${names[0]}`, kind: 'time', together: 'runs', signed: true, value: difference },
    { title: `% of ${names[0]}`, kind: 'percent', hint: `the difference, as a share of all time of run ${names[0]}`, value: pair => Math.abs(weight(pair, whole)), draw: pair => {
      const share = weight(pair, whole)
      return h('span', { class: Math.abs(share) < 1 ? 'soft' : share < 0 ? 'better' : 'worse' }, signed(share))
    } },
    ...(pairs.length > 0 ? [{ title: 'less · more', kind: 'picture', value: () => null, draw: (pair: Pair) => balance(weight(pair, whole), most) } satisfies Column<Pair>] : []),
    { title: 'change', kind: 'ratio', hint: 'of the row itself', value: pair => secondsOf(pair.a) > 0 ? (secondsOf(pair.b) - secondsOf(pair.a)) / secondsOf(pair.a) : null, draw: pair => change(pair, names) },
  ]
}

function states({ runs: [a, b], factor }: Two): Pair[] {
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
  return [...names].map(([key, name]) => ({ name, key, a: inA.get(key) ?? null, b: stretched(inB.get(key) ?? null, factor) })).filter(({ a: x, b: y }) => secondsOf(x) > 0 || secondsOf(y) > 0)
}

const stretched = (time: Time | null, factor: number): Time | null => time && { ticks: time.ticks * factor, seconds: time.seconds * factor }

/** Rows of two documents put together by name, summed where a name occurs more than once. */
function matched(a: Row[], b: Row[], name: string, value: string, factor: number): Pair[] {
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
  for (const pair of pairs.values()) pair.b = stretched(pair.b, factor)
  return [...pairs.values()]
}

/** Names the numbers of threads where they differ: then not only the program was changed. */
function threads({ runs, names }: Two): string {
  const [a, b] = runs.map(run => Number(run.documents.info?.threads ?? 0))
  return a === b ? '' : ` ${names[0]} has ${count(a)} ${a === 1 ? 'thread' : 'threads'}, ${names[1]} ${count(b)}.`
}

function sentence(two: Two): string {
  const [first, second] = two.names
  const [x, y] = two.runs.map(run => run.timeline.duration / run.timeline.ticks_per_second)
  if (Math.abs(y / x - 1) < NOISE) return `Both take about the same time: ${first} ${duration(x)}, ${second} ${duration(y)}; one run of each can't show a difference of less than ${percent(100 * NOISE)}.${threads(two)}`
  const said = y < x ? `${second} is faster: ${duration(y)} against ${duration(x)}, ${(x / y).toFixed(2)} times as fast.` : `${second} is slower: ${duration(y)} against ${duration(x)}, it takes ${(y / x).toFixed(2)} times as long.`
  return said + threads(two)
}

/** The causes of both runs, by their accounts: the differences add up to the difference of the runs. */
function causes({ runs, factor }: Two): Pair[] {
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
  for (const pair of pairs.values()) pair.b = stretched(pair.b, factor)
  return [...pairs.values()]
}

const total = (pairs: Pair[], side: 'a' | 'b'): number => pairs.reduce((sum, pair) => sum + secondsOf(pair[side]), 0)

/** What became better and worse most, in words. */
function because(pairs: Pair[], whole: number, [first]: [string, string]): HTMLElement | null {
  const sorted = pairs.map(pair => ({ pair, share: weight(pair, whole) })).filter(({ share }) => Math.abs(share) >= 1).sort((a, b) => Math.abs(b.share) - Math.abs(a.share)).slice(0, 3)
  if (sorted.length === 0) return h('p', null, `No cause differs by more than 1 % of run ${first}.`)
  return h('ul', { class: 'notes because' }, ...sorted.map(({ pair, share }) => h('li', null, h('b', null, pair.name), `: ${share < 0 ? 'less' : 'more'} by `,
    h('span', { class: share < 0 ? 'better' : 'worse' }, `${percent(Math.abs(share))} of run ${first}`), ` (${duration(Math.abs(secondsOf(pair.b) - secondsOf(pair.a)))} of all processors)${pair.place ? `, mostly at ${short(pair.place, 90)}` : ''}. `,
    h('span', { class: 'soft' }, wordOf(pair.name)))))
}

function byCause(two: Two): HTMLElement | null {
  const pairs = causes(two)
  const whole = total(pairs, 'a')
  if (whole === 0 || total(pairs, 'b') === 0) return null
  const order = [...pairs].sort((x, y) => Math.abs(weight(y, whole)) - Math.abs(weight(x, whole)))
  return h('section', null, h('h2', null, 'What became better and worse, by cause'), because(pairs, whole, two.names),
    h('p', { class: 'soft' }, `Time of all processors, from the start of the run to its end, by the account. The differences add up to the difference of the runs${two.factor === 1 ? '' : ', after scaling'}.`),
    new Table({ name: 'causes of both runs', rows: order, columns: columns('cause', true, whole, two, pairs) }).element)
}

/** Profiles have sums of constructs in place of what needs events. */
function profiles(two: Two, all: number): HTMLElement | null {
  const [a, b] = two.runs
  if (!a.documents.profile || !b.documents.profile) return null
  const rows = ({ documents }: Run): Row[] => rowsOf(documents.constructs, 'constructs')
  const pairs = matched(rows(a), rows(b), 'construct', 'time', two.factor)
  return h('section', null, h('h2', null, 'Constructs: time of all threads'), new Table({ name: 'constructs of both profiles', rows: pairs, columns: columns('construct', false, all, two), sort: 4 }).element)
}

/** The phases of both runs, the first one of each beside the first one of the other: where in its course a run differs. */
function byPhase(two: Two, run: number): HTMLElement | null {
  const [a, b] = two.runs.map(({ documents }) => rowsOf(documents.phases, 'phases'))
  if (a.length === 0 || b.length === 0) return null
  const pairs = Array.from({ length: Math.max(a.length, b.length) }, (_, i): Pair => ({
    name: `phase ${i + 1}`, a: (a[i]?.duration as Time | undefined) ?? null, b: stretched((b[i]?.duration as Time | undefined) ?? null, two.factor),
  }))
  return h('section', null, h('h2', null, 'By phase'),
    h('p', { class: 'soft' }, a.length === b.length ? 'The page Model has what the threads do in each phase.' : `The runs have different numbers of phases: ${two.names[0]} ${count(a.length)}, ${two.names[1]} ${count(b.length)}. So later ones may not correspond.`),
    new Table({ name: 'phases of both runs', rows: pairs, columns: columns('phase', false, run, two, pairs) }).element)
}

function compared(two: Two): HTMLElement[] {
  const [a, b] = two.runs
  const imbalance = (value: string): Pair[] => matched(rowsOf(a.documents.imbalance, 'constructs'), rowsOf(b.documents.imbalance, 'constructs'), 'construct', value, two.factor)
  const locks = matched(rowsOf(a.documents.locks, 'locks'), rowsOf(b.documents.locks, 'locks'), 'name', 'wait', two.factor)
  const inStates = states(two)
  const all = secondsOf(inStates.find(({ key }) => key === 'lifetime')?.a ?? null)
  const run = a.timeline.duration / a.timeline.ticks_per_second
  const shared = (pairs: Pair[], title: string, name: string, empty: string): HTMLElement => h('section', null, h('h2', null, title),
    new Table({ name, rows: pairs, columns: columns(name.startsWith('locks') ? 'lock' : 'construct', false, name.startsWith('locks') ? all : run, two), sort: 4, empty }).element)
  const none = 'Neither run has constructs that threads share.'
  const events = !a.documents.profile
  return [
    byCause(two),
    h('section', null, h('h2', null, 'Time in each state, all threads together'), new Table({ name: 'states of both runs', rows: inStates, columns: columns('state', true, all, two) }).element),
    byPhase(two, run),
    profiles(two, all),
    events ? shared(imbalance('time'), 'Constructs: time', 'constructs of both runs', none) : null,
    events ? shared(imbalance('lost'), 'Constructs: what an even share would save', 'imbalance of both runs', none) : null,
    events ? shared(locks, 'Locks: time waited', 'locks of both runs', 'No locks were waited for, in neither run.') : null,
  ].filter(part => part !== null)
}

function whole(app: App): HTMLElement {
  const { runs } = app.bundle
  const choose = (label: string, at: number): HTMLSelectElement => {
    const select = h('select', { aria: { label } }, ...runs.map((run, i) => h('option', { value: String(i) }, `${letter(i)}: ${short(run.title, 60)}`)))
    select.value = String(at)
    return select
  }
  const picked = [choose('from run', 0), choose('to run', 1)]
  const times = h('select', { aria: { label: 'times' }, title: 'Scaled: as if both runs took as long as the first one. Then shares differ, not lengths.' },
    h('option', { value: 'as they are' }, 'times as they are'), h('option', { value: 'scaled' }, 'scaled to the same length'))
  const lead = h('p', { class: 'lead' })
  const body = h('div')
  const draw = (): void => {
    const [x, y] = picked.map(select => Number(select.value))
    const of = (i: number): number => runs[i].timeline.duration / runs[i].timeline.ticks_per_second
    const two: Two = { runs: [runs[x], runs[y]], names: [letter(x), x === y ? `${letter(y)}′` : letter(y)], factor: times.value === 'scaled' && of(y) > 0 ? of(x) / of(y) : 1 }
    lead.textContent = sentence(two)
    body.replaceChildren(...compared(two))
  }
  for (const select of [...picked, times]) select.addEventListener('change', draw)
  draw()
  const many = runs.length > 2
  return h('div', null,
    h('section', null, many ? null : lead,
      h('dl', { class: 'facts' }, ...runs.flatMap((run, i) => [h('dt', null, letter(i)), h('dd', null, clipped(`${run.title} · ${String(run.documents.info?.command ?? '')}`))])),
      runs[0].documents.profile ? null : h('p', null, button(`${many ? 'All' : 'Both'} in the timeline, with one time axis`, () => app.go('timeline'), undefined, 'plain'))),
    many ? allRuns(runs) : null,
    h('section', { class: 'choose-runs' }, many ? h('h2', null, 'Two of them') : null, h('p', { class: 'inputs' }, ...(many ? ['Compare ', picked[0], ' with ', picked[1], ' '] : []), times), many ? lead : null),
    body)
}

export const compare: Page = { id: 'compare', title: 'Compare', whole }
