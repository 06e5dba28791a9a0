// What `heddle fit` of other runs predicts for this one, beside what was measured.

import { rowsOf, type Document, type Row, type Time } from '../bundle/types'
import { h, short } from '../parts/dom'
import { field, Table } from '../parts/table'
import { duration, percent } from '../time/format'

const seconds = (cell: unknown): number | null => (cell as Time | null | undefined)?.seconds ?? null

function difference(measured: number, predicted: number): string {
  if (predicted <= 0) return measured > 0 ? 'predicted: none' : 'as predicted'
  const more = (measured / predicted - 1) * 100
  if (Math.abs(more) < 0.05) return 'as predicted'
  return more >= 100 ? `${(measured / predicted).toFixed(1)} times the prediction` : `${percent(Math.abs(more))} ${more > 0 ? 'more' : 'less'} than predicted`
}

/** "5.0 % more than predicted, inside the interval" */
function verdict(measured: number, predicted: number, low: number | null, high: number | null): string {
  const differs = difference(measured, predicted)
  if (low === null || high === null) return differs
  return `${differs}, ${measured >= low && measured <= high ? 'inside' : 'outside'} the interval`
}

/** "size = 36", and the second parameter of a fit that has two. */
function asked(prediction: Document): string {
  const part = (name: unknown, value: unknown) => `${short(String(name), 60)} = ${short(String(value), 60)}`
  const first = part(prediction.parameter, prediction.value)
  return prediction.parameter2 === undefined ? first : `${first} and ${part(prediction.parameter2, prediction.value2)}`
}

function totals(prediction: Document, model: Document | null | undefined): string {
  const predicted = seconds(prediction.total) ?? 0
  const [low, high] = [seconds(prediction.total_low), seconds(prediction.total_high)]
  const between = low === null || high === null ? '' : `, from ${duration(low)} to ${duration(high)} with 95 %`
  const said = `Predicted for ${asked(prediction)}: ${duration(predicted)}${between}.`
  if (!model) return said
  const measured = rowsOf(model, 'states').reduce((sum, row) => sum + (seconds(row.total) ?? 0), 0)
  return `${said} Measured: ${duration(measured)}, ${verdict(measured, predicted, low, high)}.`
}

/** A row a state that was predicted or measured. */
function compared(prediction: Document, model: Document): Row[] {
  const measured = new Map(rowsOf(model, 'states').map(row => [String(row.state), row]))
  const rows: Row[] = rowsOf(prediction, 'states').map(row => {
    const total = measured.get(String(row.state))?.total ?? null
    measured.delete(String(row.state))
    return { state: row.state, predicted: row.time, low: row.time_low, high: row.time_high, measured: total,
      verdict: seconds(total) === null ? 'not there' : verdict(seconds(total)!, seconds(row.time) ?? 0, seconds(row.time_low), seconds(row.time_high)) }
  })
  for (const [state, { total }] of measured) rows.push({ state, predicted: null, low: null, high: null, measured: total, verdict: 'not predicted' })
  return rows
}

export function predicted(prediction: Document, model: Document | null | undefined): HTMLElement {
  const rows = model ? compared(prediction, model) : []
  const common = rows.filter(({ predicted: a, measured: b }) => a !== null && b !== null).length
  return h('section', null, h('h2', null, 'Predicted against measured'), h('p', null, totals(prediction, model)),
    prediction.outside ? h('p', { class: 'soft' }, short(String(prediction.outside), 600)) : null,
    common > 0
      ? new Table({
        name: 'predicted against measured', rows, sort: 1, columns: [
          field('state', 'state', 'text'), field('predicted', 'predicted', 'time'), field('from', 'low', 'time', 'of the interval that holds one new run with 95 %'), field('to', 'high', 'time'),
          field('measured', 'measured', 'time', 'in this run'), field('', 'verdict', 'text'),
        ],
      }).element
      : h('p', { class: 'soft' }, 'The fit and this page have no state in common: fit sequences that `heddle pes --vector counts` makes, to compare states.'))
}
