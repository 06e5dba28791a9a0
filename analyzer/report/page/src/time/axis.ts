// The time axis: a unit that suits what is visible, and ticks at round times that are as close as their labels allow.
// Labels are times since a round start, which stands once beside the axis: far into a run they stay short.

export interface Tick { x: number; label: string }
export interface Axis { unit: string; start: string; ticks: Tick[] }

const UNITS: [limit: number, unit: string, nanoseconds: number][] = [
  [1e3, 'ns', 1], [1e6, 'µs', 1e3], [1e9, 'ms', 1e6], [1e12, 's', 1e9], [Infinity, 'ks', 1e12],
]

function roundedUp(value: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(value)))
  return Math.ceil(value / power - 1e-9) * power
}

/** @param beginNs time at pixel 0 in nanoseconds @param spanNs nanoseconds in `width` pixels @param labelWidth pixels a text takes */
export function axisFor(beginNs: number, spanNs: number, width: number, labelWidth: (text: string) => number): Axis {
  const [, unit, factor] = UNITS.find(([limit]) => spanNs < limit) ?? UNITS[UNITS.length - 1]
  const span = spanNs / factor
  // The longest label: integer part of the span, a point, three decimals; and air.
  const digits = Math.floor(Math.log10(Math.max(1, span))) + 1
  const longest = labelWidth('0'.repeat(digits) + '.000') + 14
  const fitting = Math.max(1, Math.floor(width / longest))
  let interval = roundedUp(span / fitting)
  while (interval / span * width >= 2 * longest) interval /= 2
  const decimals = interval >= 1 ? (Number.isInteger(interval) ? 0 : 1) : Math.min(3, Math.ceil(-Math.log10(interval) - 1e-9) + (isRound(interval) ? 0 : 1))
  // A start that is a multiple of the interval, so that labels are multiples, too.
  const begin = beginNs / factor
  const start = Math.floor(begin / interval + 1e-9) * interval
  const ticks: Tick[] = []
  for (let i = 0; i < 10_000; i++) {
    const x = ((start + i * interval) - begin) / span * width
    if (x > width) break
    if (x >= 0) ticks.push({ x, label: (i * interval).toFixed(decimals) })
  }
  return { unit, start: start.toFixed(Math.max(decimals, Number.isInteger(interval) ? 1 : decimals)), ticks }
}

function isRound(value: number): boolean {
  const mantissa = value / Math.pow(10, Math.floor(Math.log10(value) + 1e-9))
  return Math.abs(mantissa - Math.round(mantissa)) < 1e-6
}
