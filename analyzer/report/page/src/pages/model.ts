// The semi-Markov model of the run's program states: what follows what, how long states last, which periods there are.

import type { App, Page } from '../app'
import type { Document, Row, Run, Time } from '../bundle/types'
import { h, short, svg } from '../parts/dom'
import { plot } from '../parts/plot'
import { field, Table } from '../parts/table'
import { count, duration, percent } from '../time/format'
import { themeColor } from '../look/colors'
import { modelGraph } from './graph'
import { predicted } from './predicted'
import { rowsOf } from './states'

/** States in the matrix and the graph; the table has all. */
const MATRIX_STATES = 40
const GRAPH_STATES = 24

export interface Edge { from: string; to: string; count: number; probability: number }

const timeOf = (row: Row, key: string): Time => (row[key] as Time | null) ?? { ticks: 0, seconds: 0, percent: 0 }

function byTime(document: Document): Row[] {
  return [...rowsOf(document, 'states')].sort((a, b) => timeOf(b, 'total').ticks - timeOf(a, 'total').ticks)
}

export function edgesOf(document: Document): Edge[] {
  return rowsOf(document, 'edges') as unknown as Edge[]
}

/** Transition probabilities, as a picture: rows from, columns to. */
function matrix(document: Document): HTMLElement {
  const states = byTime(document)
  const names = states.slice(0, MATRIX_STATES).map(row => String(row.state))
  const rowOf = new Map(names.map((name, i) => [name, i]))
  const cell = names.length > 24 ? 18 : 24
  const margin = 110
  const size = names.length * cell
  const picture = svg('svg', { class: 'matrix', width: margin + size + 4, height: margin + size + 4, role: 'img', 'aria-label': 'Matrix of transition probabilities' })
  names.forEach((name, i) => {
    const text = short(name, 16)
    picture.append(svg('text', { x: margin - 6, y: margin + (i + 0.7) * cell, 'text-anchor': 'end' }, text, svg('title', {}, short(name, 200))),
      svg('text', { transform: `translate(${margin + (i + 0.65) * cell} ${margin - 6}) rotate(-60)` }, text))
  })
  picture.append(svg('rect', { x: margin, y: margin, width: size, height: size, fill: 'var(--panel)' }))
  for (const edge of edgesOf(document)) {
    const from = rowOf.get(edge.from)
    const to = rowOf.get(edge.to)
    if (from === undefined || to === undefined) continue
    const x = margin + to * cell
    const y = margin + from * cell
    const square = svg('rect', { x, y, width: cell - 1, height: cell - 1, fill: 'var(--accent)', 'fill-opacity': (0.12 + 0.88 * edge.probability).toFixed(3) },
      svg('title', {}, `${short(edge.from, 80)} → ${short(edge.to, 80)}: ${percent(edge.probability * 100)}, ${count(edge.count)} times`))
    picture.append(square)
  }
  return h('div', null, states.length > names.length ? h('p', { class: 'soft' }, `The ${names.length} states of most time, of ${states.length}.`) : null, h('div', { class: 'scroll-x' }, picture))
}

function stateTable(document: Document): HTMLElement {
  return new Table({
    name: 'states of the model', rows: rowsOf(document, 'states'), sort: 3, columns: [
      field('No.', 'number', 'count'), field('state', 'state', 'text'), field('visits', 'visits', 'count'), field('total', 'total', 'time'), field('%', 'total', 'share'),
      field('mean', 'mean', 'time', 'of a visit'), field('min', 'min', 'time'), field('max', 'max', 'time'), field('deviation', 'deviation', 'time'),
      field('stationary', 'stationary', 'ratio', 'share of visits in the long run'), field('long run', 'longrun', 'ratio', 'share of time in the long run'), field('recurrence', 'recurrence', 'time', 'mean time from visit to visit'),
    ],
  }).element
}

/** How long visits lasted: a histogram on a logarithmic scale of time, from the steps of the distribution. */
function occupancy(document: Document): HTMLElement | null {
  const steps = rowsOf(document, 'occupancy')
  if (steps.length === 0) return null
  const least = Math.max(1e-9, Math.min(...steps.map(row => timeOf(row, 'low').seconds).filter(value => value > 0), Infinity))
  const most = Math.max(...steps.map(row => timeOf(row, 'high').seconds), least)
  const bins = 24
  const span = Math.log(most / least) || 1
  const counts = new Array<number>(bins).fill(0)
  for (const row of steps) {
    const middle = Math.sqrt(Math.max(timeOf(row, 'low').seconds, least) * Math.max(timeOf(row, 'high').seconds, least))
    counts[Math.min(bins - 1, Math.floor(Math.log(middle / least) / span * bins))] += Number(row.count)
  }
  return h('div', { class: 'part' }, h('h3', null, `${short(String(document.state), 60)}: ${count(counts.reduce((a, b) => a + b, 0))} visits`),
    plot({
      x: counts.map((_, i) => i + 0.5), height: 150, bars: true, yLabel: 'visits', xText: value => duration(least * Math.exp(value / bins * span)),
      series: [{ name: 'visits', color: () => themeColor('accent'), values: counts }],
    }))
}


function spectrum(document: Document): HTMLElement {
  const bins = rowsOf(document, 'bins')
  const picture = bins.length > 1
    ? plot({
      x: bins.map(bin => (Number(bin.from) + Number(bin.to)) / 2), height: 200, bars: true, yLabel: 'part of the power, %', xText: value => document.domain === 'time' ? `${count(value)} Hz` : String(value),
      series: [{ name: 'part, %', color: () => themeColor('accent'), values: bins.map(bin => Number(bin.part)) }],
    })
    : null
  return h('div', null, h('p', null, short(String(document.verdict ?? ''), 1000)), picture,
    new Table({
      name: 'strongest lines', rows: rowsOf(document, 'strongest'), empty: 'The signal never changes: it has no lines.', columns: [
        field('line', 'line', 'count'), field('frequency', 'frequency', 'count', document.domain === 'time' ? 'hertz' : 'a record'), field('period', 'period', 'time'), field('power', 'power', 'count'),
        field('part', 'part', 'percent', 'of the power that varies'), field('p', 'p', 'ratio', 'probability that chance makes a line as strong'),
      ],
    }).element, h('p', { class: 'soft' }, short(String(document.limits ?? ''), 1000)))
}

function build(_: App, run: Run): HTMLElement {
  const { model, spectrum: periods, occupancies, prediction } = run.documents
  if (!model) {
    return h('div', null, h('section', null, h('p', { class: 'empty' }, 'This report has no model. A model needs a sequence of program states: `heddle pes` makes one of the trace, `heddle model` shows its model.'),
      periods ? spectrum(periods) : null), prediction ? predicted(prediction, null) : null)
  }
  const edges = edgesOf(model)
  const cycle = model.cycle as Time | null | undefined
  const period = periods?.domain === 'time' ? periods.period as Time | null | undefined : null
  return h('div', null,
    h('section', null, h('p', { class: 'lead' }, `${count(Number(model.basic_states))} program states, ${count(Number(model.transitions))} transitions${model.parameter ? `; ${short(String(model.parameter), 120)}` : ''}. `
      + (cycle && model.cycle_state ? `The run comes back to ${short(String(model.cycle_state), 60)} every ${duration(cycle.seconds)} in the long run.` : '')
      + (period ? ` The spectrum has a period of ${duration(period.seconds)}.` : '')),
    h('p', { class: 'soft' }, short(String(model.described ?? ''), 600))),
    prediction ? predicted(prediction, model) : null,
    h('section', null, h('h2', null, 'What follows what'),
      h('p', { class: 'soft' }, 'From the row’s state to the column’s: the darker, the more probable. A program state says how many threads are in which state: R running, I idle, O overhead, B implicit barrier, M critical or lock …'),
      h('div', { class: 'columns' }, matrix(model), modelGraph(byTime(model).slice(0, GRAPH_STATES), edges))),
    h('section', null, h('h2', null, 'States'), stateTable(model)),
    occupancies && occupancies.length > 0 ? h('section', null, h('h2', null, 'How long visits last'), h('div', { class: 'columns' }, ...occupancies.map(occupancy))) : null,
    h('section', null, h('h2', null, 'Periods'), periods ? spectrum(periods) : h('p', { class: 'empty' }, 'This report has no periodogram.')))
}

export const model: Page = { id: 'model', title: 'Model', build }
