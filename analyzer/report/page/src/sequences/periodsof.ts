// The periodogram of a sequence as it is after steps: the formulas of `heddle spectrum`, which also tests whether a line is a period.

import type { Document, Row } from '../bundle/types'
import { beginOf, type Sequence } from './sequence'

const [SAMPLES, BINS, TOP] = [4096, 200, 10]

/** States are numbered in the order of their first appearance. */
function numbersOf({ state }: Sequence): Float64Array {
  const order = new Map<number, number>()
  return Float64Array.from(state, one => {
    if (!order.has(one)) order.set(one, order.size)
    return order.get(one) as number
  })
}

/** The state's number at equal distances, which are at least a tick. */
function sampled(sequence: Sequence, numbers: Float64Array): { samples: Float64Array; delta: number } {
  const begin = beginOf(sequence)
  const duration = sequence.end - begin
  const samples = new Float64Array(Math.min(SAMPLES, duration))
  const delta = duration / Math.max(1, samples.length)
  let record = 0
  samples.forEach((_, i) => {
    while (record + 1 < numbers.length && sequence.entry[record + 1] - begin <= i * delta) record++
    samples[i] = numbers[record]
  })
  return { samples, delta }
}

/** P_0 to P_(N/2). */
function powersOf(samples: Float64Array): Float64Array {
  const count = samples.length
  const cosines = Float64Array.from({ length: count }, (_, i) => Math.cos(2 * Math.PI * i / count))
  const sines = Float64Array.from({ length: count }, (_, i) => Math.sin(2 * Math.PI * i / count))
  return Float64Array.from({ length: Math.floor(count / 2) + 1 }, (_, k) => {
    let [real, imaginary, at] = [0, 0, 0]
    for (let i = 0; i < count; i++) {
      real += samples[i] * cosines[at]
      imaginary += samples[i] * sines[at]
      at += k
      if (at >= count) at -= count
    }
    return (real * real + imaginary * imaginary) * (k === 0 || 2 * k === count ? 1 : 2) / count
  })
}

export function periodsOf(sequence: Sequence, domain: 'time' | 'event', ticksPerSecond: number): Document | null {
  const numbers = numbersOf(sequence)
  const { samples, delta } = domain === 'event' ? { samples: numbers.subarray(0, SAMPLES), delta: 1 } : sampled(sequence, numbers)
  if (samples.length < 4) return null
  const powers = powersOf(samples)
  const varying = powers.slice(1).reduce((all, power) => all + power, 0)
  const unit = domain === 'time' ? delta / (ticksPerSecond || 1) : 1
  const part = (power: number): number => varying > 0 ? power / varying * 100 : 0
  const lines = Array.from(powers, (power, line): Row => {
    const period = samples.length / line * delta
    return { line, frequency: line / (samples.length * unit), period: domain === 'time' ? { ticks: period, seconds: period / (ticksPerSecond || 1) } : period, power, part: part(power), p: null }
  }).slice(1)
  const bins = Array.from({ length: BINS }, (_, i): Row => ({ from: i / BINS / 2 / unit, to: (i + 1) / BINS / 2 / unit, power: 0, part: 0 }))
  lines.forEach(({ power, line }) => {
    const bin = bins[Math.min(BINS - 1, Math.max(0, Math.ceil(Number(line) * 2 * BINS / samples.length) - 1))]
    bin.power = Number(bin.power) + Number(power)
    bin.part = part(Number(bin.power))
  })
  const left = domain === 'event' && numbers.length > SAMPLES ? ` It has the first ${SAMPLES} records.` : ''
  return {
    domain, samples: samples.length, bins, strongest: varying > 0 ? [...lines].sort((a, b) => Number(b.power) - Number(a.power)).slice(0, TOP) : [],
    verdict: `This page computed it after the steps.${left} \`heddle spectrum\` also says whether a line is a period.`,
  }
}
