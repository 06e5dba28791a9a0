// Steps of `heddle transform` that the page executes itself, by the same rules. A step is text, as in a list of steps: `filter-time 31ticks`.

import { aggregated, parsePattern } from './aggregate'
import { clipped, filtered, rareStates, type Threshold } from './filter'
import { beginOf, totalsOf, type Sequence } from './sequence'

/** apply() returns a sentence where the sequence has not what the step needs. */
export interface Step { text: string; apply(sequence: Sequence): Sequence | string }

/** Times and parts are compared exactly, so they are fractions of whole numbers. */
interface Quantity { mantissa: bigint; divisor: bigint; of: 'whole' | 'ticks' | 'seconds' }

const UNITS: Record<string, [divisor: bigint, of: Quantity['of']]> = {
  '': [1n, 'whole'], '%': [100n, 'whole'], ticks: [1n, 'ticks'], s: [1n, 'seconds'], ms: [1000n, 'seconds'], us: [1_000_000n, 'seconds'], ns: [1_000_000_000n, 'seconds'],
}

function quantity(text: string): Quantity | null {
  const found = /^(\d{1,18})?(?:\.(\d{1,9}))? ?(%|ticks|s|ms|us|ns)?$/.exec(text)
  if (!found || (found[1] === undefined && found[2] === undefined)) return null
  const [, whole = '', decimals = '', unit = ''] = found
  const [divisor, of] = UNITS[unit]
  return { mantissa: BigInt(whole + decimals), divisor: divisor * 10n ** BigInt(decimals.length), of }
}

/** What the fraction is of: ticks. Null: the length of a tick is unknown. */
function scale({ of }: Quantity, sequence: Sequence, ticksPerSecond: number): bigint | null {
  if (of === 'ticks') return 1n
  if (of === 'whole') return BigInt(sequence.end - beginOf(sequence))
  return ticksPerSecond > 0 ? BigInt(ticksPerSecond) : null
}

const floor = (of: Quantity, by: bigint): number => Number(of.mantissa * by / of.divisor)
const ceiling = (of: Quantity, by: bigint): number => Number((of.mantissa * by + of.divisor - 1n) / of.divisor)

function filter(text: string, threshold: (sequence: Sequence) => Threshold): Step {
  return { text, apply: sequence => filtered(sequence, rareStates(totalsOf(sequence), threshold(sequence))) }
}

function filterTime(text: string, argument: string, ticksPerSecond: number): Step | string {
  const least = quantity(argument)
  if (!least) return `${argument} is no time: 0.01, 1%, 5ms, 31ticks`
  if (least.of === 'seconds' && ticksPerSecond === 0) return 'the length of a tick is unknown; give ticks or a percentage'
  // A whole number of ticks is less than a fraction if it is less than the next whole number.
  return filter(text, sequence => ({ by: 'time', least: ceiling(least, scale(least, sequence, ticksPerSecond) ?? 1n) }))
}

function clipTime(text: string, argument: string, ticksPerSecond: number): Step | string {
  const bounds = argument.split(',').map(word => word === '' ? undefined : quantity(word))
  if (bounds.length !== 2 || bounds.some(bound => bound === null)) return `${argument}: give two times since the beginning, such as 5%,95%`
  const [from, to] = bounds as (Quantity | undefined)[]
  if ([from, to].some(bound => bound?.of === 'whole' && bound.divisor === 1n)) return `${argument}: times of the page need a unit: %, ticks, ns, us, ms or s since the beginning`
  if ([from, to].some(bound => bound?.of === 'seconds') && ticksPerSecond === 0) return 'the length of a tick is unknown; give ticks or a percentage'
  return {
    text, apply: sequence => {
      const at = (bound: Quantity | undefined, round: typeof floor, otherwise: number): number => bound ? beginOf(sequence) + round(bound, scale(bound, sequence, ticksPerSecond) ?? 1n) : otherwise
      const [low, high] = [at(from, ceiling, -Infinity), at(to, floor, Infinity)]
      const { entry, end } = sequence
      const first = entry.findIndex(time => time >= low)
      const behind = entry.findIndex(time => time > high)
      return clipped(sequence, first < 0 ? entry.length : first, behind < 0 ? entry.length : behind, end >= low && end <= high)
    },
  }
}

function clipRange(text: string, argument: string): Step | string {
  const found = /^(\d{0,15}),(\d{0,15})$/.exec(argument)
  const [first, last] = found ? [found[1] === '' ? 1 : Number(found[1]), found[2] === '' ? Infinity : Number(found[2])] : [0, 0]
  if (first < 1 || last < first) return `${argument}: give numbers of records from 1 on, the first one first`
  return { text, apply: sequence => clipped(sequence, Math.min(first - 1, sequence.entry.length), Math.min(last, sequence.entry.length), true) }
}

/** The step that a text says; a sentence if it says none. */
export function parseStep(text: string, ticksPerSecond: number): Step | string {
  const [, keyword = '', argument = ''] = /^(?:--)?(\S+) +(.*\S)\s*$/.exec(text.trim()) ?? []
  const normal = `${keyword} ${argument}`
  if (keyword === 'filter-time') return filterTime(normal, argument, ticksPerSecond)
  if (keyword === 'filter-count') {
    const least = /^\d{1,15}$/.test(argument) ? Number(argument) : null
    return least === null ? `${argument} is not a whole number` : filter(normal, () => ({ by: 'count', least }))
  }
  if (keyword === 'clip-time') return clipTime(normal, argument, ticksPerSecond)
  if (keyword === 'clip-range') return clipRange(normal, argument)
  if (keyword === 'aggregate') {
    const pattern = parsePattern(argument)
    return typeof pattern === 'string' ? pattern : { text: normal, apply: sequence => aggregated(sequence, pattern) }
  }
  return 'the page executes filter-time T, filter-count N, clip-time A,B, clip-range I,F and aggregate S,...=NAME; heddle transform has further steps'
}

/** As one word of a shell. */
const shellWord = (text: string): string => /^[\w.,%=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const optionOf = (step: string): string => {
  const blank = step.indexOf(' ')
  return `--${step.slice(0, blank)} ${shellWord(step.slice(blank + 1))}`
}

/** The command that executes steps; `word` is the file as a word of a shell. */
export function commandOf(word: string, steps: string[]): string {
  return `heddle transform ${word}${steps.map(step => ` ${optionOf(step)}`).join('')} -o ${steps.length > 0 ? 'shorter' : 'copy'}.pes`
}
