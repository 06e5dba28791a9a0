// What a report carries: the documents that the commands print with --json, and the lanes of the timeline.
// All times are ticks since the start of the trace.

export interface Time { ticks: number; seconds: number; percent?: number }
export type Cell = string | number | boolean | null | Time
export type Row = Record<string, Cell>
export type Document = Record<string, Cell | Row[] | Time>

/** The rows of a document's table; none if it has no such table. */
export function rowsOf(document: Record<string, unknown> | null | undefined, key: string): Row[] {
  const rows = document?.[key]
  return Array.isArray(rows) ? rows as Row[] : []
}

/** Samples: which code the threads ran. Numbers of nodes, functions, ... are places in these lists; -1: none. */
export interface CallsDocument {
  /** exact calls in place of samples: `taken` is their number, a trigger is a figure of them */
  exact?: boolean
  taken: number
  lost: number
  /** percent of a trigger's samples: nodes with less are told as others; 0: all nodes are there */
  least: number
  /** whether sums are told by thread */
  by_thread: boolean
  triggers: { name: string; timed: boolean; period: number; samples: number }[]
  states: { key: string; name: string }[]
  /** [name, file, line, module] */
  functions: [string, string, number, string][]
  /** [function, node above], those above first; function -1: others */
  nodes: [number, number][]
  /** [node, location, region, state, trigger, samples] */
  cells: [number, number, number, number, number, number][]
  /** time in the kernel, estimated: [location, region, ticks, standard deviation] */
  kernel: { trigger: number; cells: [number, number, number, number][] } | null
  /** when samples were taken: the first of each `every`; times since the one before, and since the start of the timeline */
  times: { location: number; every: number; later: number[]; nodes: number[]; triggers: number[] }[]
}

/** The program's own events of one type on one thread, in order of time. */
export interface PointList {
  location: number
  region: number
  /** 1: all events are here; else the first of each so many */
  every: number
  /** events that were not recorded */
  missing: number
  /** ticks since the one before, of the first one since the start of the timeline */
  later: number[]
  /** events that each stands for; missing: 1 */
  weights?: number[]
  /** places in the document's list, and the values of each: null where an event has none */
  attributes: number[]
  values: (number | string | null)[][]
}

export interface PointsDocument { attributes: (string | null)[]; lists: PointList[] }

/** Readings of metrics, in order of time. */
export interface ReadingsDocument {
  /** a value of 1 is 10^exponent of the unit; adds: values are sums since the beginning */
  metrics: { name: string; unit: string; exponent: number; adds: boolean }[]
  /** by thread; columns are places in `metrics`. `later` as of events; `changes`: by column, since the reading before; null: no number */
  lists: { location: number; every: number; later: number[]; metrics: number[]; changes: (number | null)[][] }[]
}

/** Intervals of one kind that a specification defines. Columns are in the order of begins. */
export interface IntervalKind {
  name: string
  /** how the specification has them drawn; null: not at all */
  drawn: 'line' | 'rectangle' | null
  count: number
  unmatched_starts: number
  unmatched_ends: number
  /** ticks, as all times here */
  mean: number
  min: number
  median: number
  p99: number
  max: number
  /** 1: all intervals are here; else the longest of each so many */
  every: number
  from: number[]
  to: number[]
  /** ticks since the begin of the one before, of the first one since the start of the timeline */
  later: number[]
  length: number[]
  /** intervals that each stands for, and the sum of their lengths; missing: 1, and its own */
  weights?: number[]
  totals?: number[]
  /** of the events at both ends, with the labels of the specification: s.src; null where an event has none */
  attributes?: { name: string; values: (number | string | null)[] }[]
}

export interface IntervalsDocument {
  /** the symbols that the specification gives to events */
  events: { name: string; symbol: string; offset: number }[]
  kinds: IntervalKind[]
  assertions: { text: string; held: number; violated: number }[]
}

export interface Documents {
  calls?: CallsDocument | null
  points?: PointsDocument | null
  readings?: ReadingsDocument | null
  intervals?: IntervalsDocument | null
  info?: Document | null
  states?: Document | null
  constructs?: Document | null
  imbalance?: Document | null
  locks?: Document | null
  waits?: Document | null
  /** the critical path */
  path?: Document | null
  schedule?: Document | null
  why?: Document | null
  tasks?: Document | null
  /** lines around constructs, if the report was made with --source */
  source?: { file: string; first: number; lines: string[] }[] | null
  /** the sums of a run that was recorded without events */
  profile?: Document | null
  model?: Document | null
  spectrum?: Document | null
  phases?: Document | null
  occupancies?: Document[] | null
  /** of a fit of other runs, where one was given */
  prediction?: Document | null
}

export interface Finding {
  kind: string
  text: string
  seconds?: number
  link?: { page: string; row?: string }
  lane?: number
  begin?: number
  end?: number
  source?: string
}

export interface Region {
  name: string
  function?: string
  file?: string
  line?: number
  role?: string
  longest?: number
  /** key of the state that it stands for */
  state?: string
}

/** [first time, end time, segments, longest segment in ticks, offset in the blob, bytes] */
export type Block = [number, number, number, number, number, number]

/** A level is a list of blocks, or the number of the level in the same array that it equals. */
export type Level = Block[] | number

export interface Lane { kind: 'states' | 'constructs' | 'threads'; depth?: number; levels: Level[] | null }

export interface Location {
  name: string
  process?: string
  group?: string
  /** missing: a thread */
  kind?: 'processor' | 'device'
  begin: number
  end: number
  lanes: Lane[]
}

/** [kind, from location, from time, to location, to time, region or name, of a lock: since when it was waited for] */
export type Arrow = [string, number, number, number, number, number | string, number?]

/** [location, begin, end, first iteration, iterations] */
export type Chunk = [number, number, number, number, number]

export interface ChunkMap {
  region: number
  instance_begin: number
  instance_end: number
  first: number
  iterations: number
  list: Chunk[]
}

export interface Timeline {
  ticks_per_second: number
  start: string
  /** ticks from the start of the run's first process to `start` */
  since_begin?: number
  duration: number
  states: string[]
  state_keys?: string[]
  regions: Region[]
  codes: [number, number][]
  locations: Location[]
  level_thresholds: number[]
  levels_kept_from: number
  bins: { count: number; ticks: number[][] }
  arrows: Arrow[]
  /** where each critical path was, in order: [location, begin, end] */
  paths?: [number, number, number][][]
  chunks: ChunkMap[]
  /** what the lines of states add up to: [location, code, ticks, count] */
  sums?: [number, number, number, number][] | null
  /** visits that took no time: [location, region, bin, how many] */
  instants?: { bins: number; list: [number, number, number, number][] } | null
}

export interface Run {
  title: string
  documents: Documents
  findings: Finding[]
  notes: string[]
  log: { what: string; text: string }[]
  timeline: Timeline
}

export interface Bundle {
  version: number
  generator: string
  mode: 'file' | 'view'
  runs: Run[]
}

/** Code of a stretch in which nothing is. */
export const NOTHING = 0
/** Code of a stretch of segments that are too short to be seen. */
export const ELIDED = 1
