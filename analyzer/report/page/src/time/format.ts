// Times and counts as text. A unit always stands with its number.

const UNITS: [least: number, unit: string, factor: number][] = [
  [1000, 'ks', 1e-3], [1, 's', 1], [1e-3, 'ms', 1e3], [1e-6, 'µs', 1e6], [0, 'ns', 1e9],
]

let counted = false

/** From now on times are ticks, as their length is unknown: where functions take seconds, they take ticks. */
export function countTicks(): void {
  counted = true
}

let origin = 0

/** From now on moments count from `seconds` before the timeline's start: from the start of the run. */
export function countFrom(seconds: number): void {
  origin = seconds
}

/** A time of the timeline, in seconds since the start of the run. */
export const sinceStart = (seconds: number): number => origin + seconds

/** Per second, or per tick. */
export const frequency = (value: number): string => `${count(value)} ${counted ? 'a tick' : 'Hz'}`

/** Four significant digits: 924.0 ms, 1.316 ms, 12 ns. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–'
  if (counted) return `${count(seconds)} ${seconds === 1 ? 'tick' : 'ticks'}`
  if (seconds === 0) return '0 s'
  const size = Math.abs(seconds)
  const [, unit, factor] = UNITS.find(([least]) => size >= least) ?? UNITS[UNITS.length - 1]
  const value = seconds * factor
  if (unit === 'ns') return minus(`${trimmed(value, 1)} ns`)
  return minus(`${value.toFixed(Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value)))))} ${unit}`)
}

function trimmed(value: number, decimals: number): string {
  return value.toFixed(decimals).replace(/\.0+$/, '')
}

/** As people say it: 0.5 s, 12 s, 3 min 04 s, 2 h 05 min. */
export function span(seconds: number): string {
  if (seconds < 10) return `${trimmed(seconds, 1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const [least, unit, next] = whole < 3600 ? [60, 'min', 's'] : [3600, 'h', 'min']
  const rest = Math.floor(whole % least / (least / 60))
  return `${Math.floor(whole / least)} ${unit}${rest > 0 ? ` ${String(rest).padStart(2, '0')} ${next}` : ''}`
}

export interface ColumnUnit { unit: string; factor: number; decimals: number }

/** One unit for a whole column, by its largest value: numbers below one another can be compared. */
export function unitFor(largestSeconds: number): ColumnUnit {
  const size = Math.abs(largestSeconds)
  if (counted) return { unit: 'ticks', factor: 1, decimals: size < 1000 ? 1 : 0 }
  if (size === 0) return { unit: 's', factor: 1, decimals: 0 }
  // Thousands of seconds are told in seconds: a column of 0.144 ks says little.
  const [, unit, factor] = UNITS.slice(size < 1e6 ? 1 : 0).find(([least]) => size >= least) ?? UNITS[1]
  return { unit, factor, decimals: unit === 'ns' ? 1 : 3 }
}

/** One unit for several columns, by the largest value of each: the least of them has two digits, too. */
export function commonUnit(largest: number[]): ColumnUnit {
  const sizes = largest.map(Math.abs).filter(size => size > 0)
  if (counted || sizes.length === 0) return unitFor(Math.max(...largest, 0))
  return unitFor(Math.min(Math.max(...sizes), Math.min(...sizes) * 99))
}

export function inUnit(seconds: number, column: ColumnUnit): string {
  const value = seconds * column.factor
  const least = Math.pow(10, -column.decimals)
  if (value !== 0 && Math.abs(value) < least / 2) return `${value < 0 ? '>\u2212' : '<'}${least.toFixed(column.decimals)}`
  return minus(grouped(value.toFixed(column.decimals)))
}

/** The same sign of minus everywhere. */
export const minus = (text: string): string => text.replace(/^-/, '\u2212')

export function percent(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.05) return '<0.1 %'
  return minus(`${grouped(value.toFixed(1))} %`)
}

/** Digits in groups of three, by thin spaces; also of a number with decimals. */
export function grouped(text: string): string {
  const [whole, rest] = text.split('.')
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009')
  return rest === undefined ? spaced : `${spaced}.${rest}`
}

export function count(value: number): string {
  return minus(Number.isInteger(value) ? grouped(String(value)) : String(Number(value.toPrecision(4))))
}

/** As few decimals as tell neighbours apart: the labels of an axis. */
function decimalsFor(values: number[]): number {
  const step = values.slice(1).reduce((least, value, i) => Math.min(least, Math.abs(value - values[i]) || Infinity), Infinity)
  if (!Number.isFinite(step)) return 0
  return Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9) + (Number((step / Math.pow(10, Math.floor(Math.log10(step) + 1e-9))).toFixed(6)) % 1 ? 1 : 0)))
}

const largestOf = (values: number[]): number => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)

function labels(values: number[], factor: number, unit: string): string[] {
  const scaled = values.map(value => value * factor)
  const decimals = decimalsFor(scaled)
  return values.map((value, i) => value === 0 ? '0' : `${minus(grouped(scaled[i].toFixed(decimals)))}${unit && `\u00a0${unit}`}`)
}

/** Labels of an axis of times, all in one unit. */
export function timeLabels(seconds: number[]): string[] {
  const { unit, factor } = unitFor(largestOf(seconds))
  return labels(seconds, factor, unit)
}

/** Labels of an axis of numbers: 2 000 000, but 20 million and more as 20 M. */
export function numberLabels(values: number[]): string[] {
  const most = largestOf(values)
  if (most >= 1e15 || (most > 0 && most < 1e-6)) return values.map(value => value === 0 ? '0' : value.toExponential(2))
  if (most >= 1e10) return labels(values, 1e-9, 'G')
  if (most >= 1e7) return labels(values, 1e-6, 'M')
  return labels(values, 1, '')
}

/** A time of the timeline since the start of the run, as the commands have it. */
export function moment(ticks: number, ticksPerSecond: number): string {
  const seconds = sinceStart(ticks / ticksPerSecond)
  return `${grouped(seconds.toFixed(9))} s`
}

export function scaleText(ticksAPixel: number, ticksPerSecond: number): string {
  return `${duration(ticksAPixel / ticksPerSecond)}/px`
}
