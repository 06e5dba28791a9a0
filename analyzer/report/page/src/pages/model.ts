// The semi-Markov model of the run's program states: what follows what, how long states last, which periods there are.

import type { App, Page } from '../app'
import { rowsOf, type Document, type Row, type Run, type Time } from '../bundle/types'
import { h, short } from '../parts/dom'
import { plot } from '../parts/plot'
import { field, Table } from '../parts/table'
import { count, duration, frequency, percent } from '../time/format'
import { themeColor } from '../look/colors'
import { modelGraph } from './graph'
import { matrix } from './matrix'
import { phases } from './phases'
import { predicted } from './predicted'
import { byTime, edgesOf } from './transitions'

/** States in the graph; the table has all. */
const GRAPH_STATES = 40
/** Pictures of more states have a line of their own each. */
const SIDE_BY_SIDE = 12

const timeOf = (row: Row, key: string): Time => (row[key] as Time | null) ?? { ticks: 0, seconds: 0, percent: 0 }

export function stateTable(document: Document): HTMLElement {
  const rows = rowsOf(document, 'states')
  const longRun = rows.length > 0 && 'longrun' in rows[0]
  return new Table({
    name: 'states of the model', rows, sort: 3, columns: [
      field('No.', 'number', 'count'), field('state', 'state', 'text'), field('visits', 'visits', 'count'), field('total', 'total', 'time'), field('%', 'total', 'share'),
      field('mean', 'mean', 'time', 'of a visit'), field('min', 'min', 'time'), field('max', 'max', 'time'), field('deviation', 'deviation', 'time'),
      ...(longRun ? [field('stationary', 'stationary', 'ratio', 'share of visits in the long run'), field('long run', 'longrun', 'ratio', 'share of time in the long run'), field('recurrence', 'recurrence', 'time', 'mean time from visit to visit')] : []),
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


export function spectrum(document: Document): HTMLElement {
  const bins = rowsOf(document, 'bins')
  const picture = bins.length > 1
    ? plot({
      x: bins.map(bin => (Number(bin.from) + Number(bin.to)) / 2), height: 200, bars: true, yLabel: 'part of the power, %', xText: value => document.domain === 'time' ? frequency(value) : String(value),
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

/** A run that passes through most of its time once does not come back, whatever recurs at its end. */
const LEAST_RECURRING = 0.5
const LEAST_VISITS = 3

/** What the model says of repetition, as far as it holds of the run itself. */
function repetition(document: Document): string {
  const cycle = document.cycle as Time | null | undefined
  if (!cycle || !document.cycle_state) return ''
  const rows = rowsOf(document, 'states').filter(row => row.kind === undefined || row.kind === 'basic')
  const seconds = (of: Row[]): number => of.reduce((sum, row) => sum + timeOf(row, 'total').seconds, 0)
  const recurring = rows.filter(row => Number(row.stationary ?? 0) > 0)
  const part = seconds(rows) > 0 ? seconds(recurring) / seconds(rows) : 0
  const reference = rows.find(row => row.state === document.cycle_state)
  const visits = Number(reference?.visits ?? 0), name = short(String(document.cycle_state), 60)
  if (part >= LEAST_RECURRING && visits >= LEAST_VISITS) return `The run comes back to ${name} every ${duration(cycle.seconds)} in the long run.`
  if (part >= LEAST_RECURRING) return `The run has no cycle: it was in ${name}, its longest state, ${visits === 1 ? 'once' : `${count(visits)} times`}.`
  return `The run has no cycle: ${count(recurring.length)} of ${count(rows.length)} states recur, with ${percent(100 * part)} of the time.`
}

/** Matrix and graph. */
export function transitions(document: Document): HTMLElement {
  return h('section', null, h('h2', null, 'What follows what'),
    h('p', { class: 'soft' }, 'From the row’s state to the column’s: the darker, the more probable.'),
    document.letters ? h('p', { class: 'soft', data: { part: 'letters' } }, short(String(document.letters), 4000)) : null,
    h('div', { class: rowsOf(document, 'states').length > SIDE_BY_SIDE ? 'stacked' : 'columns pictures' }, matrix(document), modelGraph(byTime(document).slice(0, GRAPH_STATES), edgesOf(document))))
}

function build(app: App, run: Run, index: number): HTMLElement {
  const { model, spectrum: periods, occupancies, prediction } = run.documents
  if (!model) {
    return h('div', null, h('section', null, h('p', { class: 'empty' }, 'This report has no model. A model needs a sequence of program states: `heddle pes` makes one of the trace, `heddle model` shows its model.'),
      periods ? spectrum(periods) : null), phases(app, run, index), prediction ? predicted(prediction, null) : null)
  }
  const period = periods?.domain === 'time' ? periods.period as Time | null | undefined : null
  return h('div', null,
    h('section', null, h('p', { class: 'lead' }, `${count(Number(model.basic_states))} program states, ${count(Number(model.transitions))} transitions${model.parameter ? `; ${short(String(model.parameter), 120)}` : ''}. `
      + repetition(model)
      + (period ? ` The spectrum has a period of ${duration(period.seconds)}.` : '')),
    h('p', { class: 'soft' }, short(String(model.described ?? ''), 600))),
    prediction ? predicted(prediction, model) : null,
    phases(app, run, index),
    transitions(model),
    h('section', null, h('h2', null, 'States'), stateTable(model)),
    occupancies && occupancies.length > 0 ? h('section', null, h('h2', null, 'How long visits last'), h('div', { class: 'columns' }, ...occupancies.map(occupancy))) : null,
    h('section', null, h('h2', null, 'Periods'), periods ? spectrum(periods) : h('p', { class: 'empty' }, 'This report has no periodogram.')))
}

export const model: Page = { id: 'model', title: 'Model', build }
