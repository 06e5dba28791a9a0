// The lists of a reading: threads with their states, constructs, locks.

import { h } from '../parts/dom'
import { stateCss } from '../look/colors'
import { count, duration, percent } from '../time/format'
import type { Row } from '../bundle/types'
import { Grid, numberColumn, placeColumn, put, textColumn, threadColumn, type Column } from './grid'
import { nameOfPart, parts, percentOf, secondsOf, textOf, type Construct, type Metric, type Thread } from './reading'

const NONE = '–'
const time = (seconds: number): string => seconds > 0 ? duration(seconds) : '0'
const timeOfOne = (seconds: number): string => seconds > 0 ? duration(seconds) : NONE
const share = (value: number): string => value > 0 ? percent(value) : '0'

/** A bar in a cell: its pieces are made once, and get other widths. */
function pieces(cell: HTMLElement, count: number): HTMLElement[] {
  if (cell.children.length !== 1) cell.replaceChildren(h('span', { class: 'track' }))
  const track = cell.firstElementChild as HTMLElement
  while (track.children.length < count) track.append(h('i'))
  return [...track.children] as HTMLElement[]
}

/** A thread's states, as shares of its time. */
function drawStates(cell: HTMLElement, { states }: Thread): void {
  const lifetime = secondsOf(states?.lifetime)
  const held = parts.map((key, i) => ({ key, i, percent: lifetime > 0 ? secondsOf(states?.[key]) / lifetime * 100 : 0 })).filter(part => part.percent > 0)
  pieces(cell, held.length).forEach((piece, n) => {
    const part = held[n]
    piece.hidden = !part
    if (!part) return
    piece.style.width = `${part.percent}%`
    piece.style.background = stateCss(part.key, part.i)
    piece.dataset.state = part.key
  })
  const title = held.map(part => `${nameOfPart(part.key)} ${percent(part.percent)}`).join(', ')
  if (cell.title !== title) cell.title = title
}

const runOf = ({ states }: Thread): number => percentOf(states?.run)

export function threadGrid(onpick: (thread: Thread) => void): Grid<Thread> {
  return new Grid<Thread>({
    name: 'threads', sort: 0, key: ({ location }) => String(location), empty: 'No thread yet.', onpick,
    columns: [
      { title: 'No.', width: '50px', kind: 'number', ascending: true, value: ({ location }) => location, draw: (cell, { location }) => put(cell, String(location), '') },
      threadColumn('thread', 'minmax(134px, 1fr)', ({ now }) => textOf(now.thread_name)),
      { title: 'states', width: 'minmax(70px, 0.8fr)', kind: 'picture', value: runOf, draw: drawStates, hint: 'as shares of the thread’s time; sorts by RUN' },
      numberColumn('RUN', '64px', runOf, share, 'share of the thread’s time'),
      placeColumn('is in', 'minmax(110px, 2fr)', ({ now }) => `${now.part === 'waits' ? 'waits: ' : ''}${textOf(now.inside)}`, 'the construct that the thread is in now'),
      textColumn('k', '24px', ({ now }) => textOf(now.kernel_state), 'the kernel’s state: R runs or is ready, S sleeps, D waits for a device'),
    ],
  })
}

const PARTS: Record<string, string> = { member: 'code in ', acquire: 'waits: ' }
/** What could be won, as a share of the time that passed: at most. */
const won = (stretch: () => number) => ({ waits }: Construct): number => stretch() > 0 ? secondsOf(waits?.win_at_most) / stretch() * 100 : 0

function drawShare(cell: HTMLElement, value: number): void {
  const [piece] = pieces(cell, 1)
  piece.style.width = `${value}%`
  piece.className = 'share'
}

/** @param stretch seconds that the figures are of */
export function constructGrid(stretch: () => number, onpick: (construct: Construct) => void): Grid<Construct> {
  const gain = won(stretch)
  const self = ({ row }: Construct): number => percentOf(row.self)
  return new Grid<Construct>({
    name: 'constructs', sort: 2, tie: self, key: ({ key }) => key, empty: 'No construct yet.', onpick,
    columns: [
      placeColumn('construct', 'minmax(120px, 1fr)', ({ row }) => `${PARTS[textOf(row.part)] ?? ''}${textOf(row.construct)}`),
      numberColumn('executed', '84px', ({ row }) => Number(row.executions), value => value > 0 ? count(value) : NONE),
      numberColumn('could be won', '114px', gain, (value, { waits }) => value > 0 ? `≤ ${percent(value)}` : waits ? '0' : '',
        'of the time that passed: at most so much less, if threads did not wait for each other here'),
      numberColumn('self time', '82px', ({ row }) => secondsOf(row.self), time, 'of all threads, without constructs inside'),
      { title: 'part', width: '66px', kind: 'picture', value: self, draw: (cell, row) => drawShare(cell, self(row)), hint: 'self time, as a share of all threads’ time' } satisfies Column<Construct>,
      numberColumn('%', '66px', self, share, 'self time, as a share of all threads’ time'),
      numberColumn('longest', '82px', ({ row }) => secondsOf(row.longest), timeOfOne, 'since the program began'),
    ],
  })
}

/** @param stretch seconds that the figures are of */
export function metricGrid(stretch: () => number): Grid<Metric> {
  return new Grid<Metric>({
    name: 'metrics', sort: 0, key: ({ name, of }) => `${name}\n${of}`, empty: 'Nothing else was counted.',
    columns: [
      { ...textColumn<Metric>('metric', 'minmax(90px, 0.8fr)', ({ name }) => name), ascending: true },
      placeColumn('of', 'minmax(80px, 1fr)', ({ of }) => of || 'the program'),
      numberColumn('number', '76px', ({ number }) => number, value => count(value)),
      numberColumn('a second', '76px', ({ number }) => stretch() > 0 ? number / stretch() : 0, value => count(Math.round(value))),
      numberColumn('time', '76px', ({ time }) => time ?? 0, (value, { time: known }) => known === undefined ? '' : time(value), 'of all threads'),
    ],
  })
}

export function lockGrid(): Grid<Row> {
  const waits = (row: Row): number => percentOf(row.wait)
  return new Grid<Row>({
    name: 'locks', sort: 3, tie: row => Number(row.acquired), key: row => textOf(row.place), empty: 'No lock was acquired.',
    columns: [
      placeColumn('place', 'minmax(120px, 1fr)', row => textOf(row.place)),
      numberColumn('acquired', '84px', row => Number(row.acquired), value => count(value)),
      numberColumn('contended', '84px', row => Number(row.contended), value => count(value), 'acquisitions that waited'),
      numberColumn('wait', '82px', row => secondsOf(row.wait), time, 'of all threads'),
      numberColumn('%', '66px', waits, share, 'waits, as a share of all threads’ time'),
      numberColumn('held', '82px', row => secondsOf(row.held), time),
      numberColumn('longest wait', '96px', row => secondsOf(row.wait_max), timeOfOne, 'since the program began'),
    ],
  })
}
