// Aggregating a pattern, S1,S2,...=NAME: each occurrence of a sequence of states becomes one record, by the rule of
// `heddle transform --aggregate`: from left to right, without overlap.

import { cutText, textOfRuns } from './texts'
import { nameOf, type Sequence } from './sequence'

const LENGTH_MOST = 1000

export interface Pattern { states: string[]; name: string | null }

/** The word at `at`, up to one of `stops`, and where it ends. In "..." any character may stand, \" and \\ for these two. */
function wordAt(text: string, at: number, stops: string): { word: string; end: number } | string {
  let [word, end, least] = ['', at, 0]
  while (/[ \t]/.test(text.charAt(end))) end++
  while (end < text.length && !stops.includes(text[end])) {
    if (text[end] !== '"') {
      word += text[end++]
      continue
    }
    for (end++; text[end] !== '"'; end++) {
      if (text[end] === '\\' && /["\\]/.test(text.charAt(end + 1))) end++
      if (end >= text.length) return 'a quotation mark is not closed'
      word += text[end]
    }
    end++
    least = word.length
  }
  while (word.length > least && /[ \t]$/.test(word)) word = word.slice(0, -1)
  return word === '' ? 'a word is missing' : { word, end }
}

/** A sentence if it is none. */
export function parsePattern(argument: string): Pattern | string {
  const states: string[] = []
  for (let at = 0; ;) {
    const found = wordAt(argument, at, ',=')
    if (typeof found === 'string') return found
    states.push(found.word)
    at = found.end
    if (states.length > LENGTH_MOST) return `there are more than ${LENGTH_MOST} names`
    if (argument[at] === ',') at++
    else if (at >= argument.length) return { states, name: null }
    else {
      const name = wordAt(argument, at + 1, '')
      if (typeof name === 'string') return name
      return name.word.startsWith('#') ? 'a name cannot begin with #: #NUMBER is the state with that number' : { states, name: name.word }
    }
  }
}

function find({ names, table }: Sequence, name: string): number | string {
  if (/^#\d+$/.test(name)) return Number(name.slice(1)) < table ? Number(name.slice(1)) : `the sequence has no state ${name}`
  const found = [...names].filter(([, named]) => named.name === name)
  if (found.length === 1) return found[0][0]
  return found.length === 0 ? `the sequence has no state ${name}` : `${found.length} states have the name ${name}; give a number instead: #NUMBER`
}

/** The number in a name as T12; 0: it is no such name. */
const numbered = (name: string, letter: string): number => name.startsWith(letter) && /^[1-9]\d{0,8}$/.test(name.slice(1)) ? Number(name.slice(1)) : 0

export function aggregated(sequence: Sequence, pattern: Pattern): Sequence | string {
  const states: number[] = []
  for (const name of pattern.states) {
    const state = find(sequence, name)
    if (typeof state === 'string') return state
    states.push(state)
  }
  if (pattern.name !== null && typeof find(sequence, pattern.name) === 'number') return `a state has the name ${pattern.name} already; give another name`
  const { entry, state } = sequence
  const [toEntry, toState] = [new Float64Array(state.length), new Uint32Array(state.length)]
  let [made, occurrences] = [0, 0]
  for (let i = 0; i < state.length; made++) {
    const here = states.every((one, k) => state[i + k] === one)
    toEntry[made] = entry[i]
    toState[made] = here ? sequence.table : state[i]
    i += here ? states.length : 1
    if (here) occurrences++
  }
  const name = pattern.name ?? `P${sequence.patternsNamed + 1}`
  const standsFor = cutText(occurrences > 0 ? textOfRuns([[states.map(one => nameOf(sequence.names, one)), occurrences]], 0) : '')
  return {
    ...sequence, entry: toEntry.slice(0, made), state: toState.slice(0, made), table: sequence.table + 1, names: new Map(sequence.names).set(sequence.table, { name, kind: 'pattern', standsFor }),
    filtersNamed: Math.max(sequence.filtersNamed, numbered(name, 'T')), patternsNamed: Math.max(sequence.patternsNamed, numbered(name, 'P')),
  }
}
