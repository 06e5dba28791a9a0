// The kinds of tracks that a run has something for: threads by state, processors, samples, counters, and values of other tools and of the program's events.

import type { Run } from '../bundle/types'
import { sampleTimesOf } from '../calls/times'
import { pointsOf } from '../events/points'
import type { Window } from '../lanes/line'
import type { LaneStore } from '../lanes/store'
import { themeColor } from '../look/colors'
import { short } from '../parts/dom'
import { count } from '../time/format'
import { Summary } from '../timeline/summary'
import { metricsOf, place, type Metric } from './metrics'
import type { Track } from './track'

/** Device pixels of a bar of samples. */
const BAR = 4
/** Tracks of values that are offered. */
const VALUES_MOST = 12

/** How many threads are in which state, or processors run which thread. */
class Stack implements Track {
  private readonly summary: Summary

  constructor(readonly key: string, readonly label: string, readonly hint: string, private readonly run: Run, store: LaneStore, private readonly members: number[]) {
    this.summary = new Summary(run, store, members)
  }

  work(...[window, palette, level, until]: Parameters<NonNullable<Track['work']>>): boolean {
    return this.summary.work(window, palette, level, until)
  }

  draw(context: CanvasRenderingContext2D, _width: number, height: number, window: Window, palette: Parameters<Track['draw']>[4]): void {
    this.summary.draw(context, 0, height, window, palette)
  }

  text(x: number): string {
    const { held } = this.summary
    if (!held || x >= held.window.width) return ''
    const { states } = this.run.timeline
    const { mixture, window: { scale } } = held
    const parts = mixture.used.map(slot => [slot, mixture.ticks[slot * mixture.width + x] / scale] as const).filter(([, threads]) => threads >= 0.005)
    const named = parts.filter(([slot]) => slot < states.length).map(([slot, threads]) => `${this.run.timeline.locations[this.members[0]].kind === 'processor' ? 'not this program' : states[slot]} ${threads.toFixed(2)}`)
    const others = parts.filter(([slot]) => slot >= states.length).reduce((sum, [, threads]) => sum + threads, 0)
    return `${[...named, others > 0 ? `this program ${others.toFixed(2)}` : ''].filter(Boolean).join(', ') || 'none'} of ${this.members.length}`
  }
}

/** How much there was in each part of the time, as bars. */
abstract class Bars implements Track {
  constructor(readonly key: string, readonly label: string, readonly hint: string) {}

  /** In parts of the window, the first one from `begin` on. */
  protected abstract parts(begin: number, step: number, number: number): number[]
  protected abstract said(value: number, step: number): string

  draw(context: CanvasRenderingContext2D, width: number, height: number, { begin, scale }: Window): void {
    const bars = this.parts(begin, BAR * scale, Math.ceil(width / BAR))
    const most = bars.reduce((a, b) => Math.max(a, b), 0) || 1
    context.fillStyle = themeColor('accent')
    bars.forEach((value, i) => context.fillRect(i * BAR, height - value / most * (height - 2), BAR - 1, value / most * (height - 2)))
  }

  text(x: number, { begin, scale }: Window): string {
    const step = BAR * scale
    return this.said(this.parts(begin + Math.floor(x / BAR) * step, step, 1)[0], step)
  }
}

class Samples extends Bars {
  private readonly times: Float64Array

  constructor(run: Run) {
    super('samples', 'samples', 'How many samples were taken, of all threads')
    const all: number[] = []
    const times = run.documents.calls && sampleTimesOf(run.documents.calls)
    if (times) run.timeline.locations.forEach((_, location) => times.each(location, at => all.push(at)))
    this.times = Float64Array.from(all).sort()
  }

  get any(): boolean {
    return this.times.length > 0
  }

  protected parts(begin: number, step: number, number: number): number[] {
    return Array.from({ length: number }, (_, i) => place(this.times, begin + (i + 1) * step) - place(this.times, begin + i * step))
  }

  protected said(value: number): string {
    return `${count(value)} samples`
  }
}

/** A counter of all threads: its rate. */
class Counter extends Bars {
  constructor(private readonly metric: Metric, private readonly ticksPerSecond: number) {
    super(`counter:${metric.name.replaceAll(',', ' ')}`, short(metric.name, 40), 'How much was counted, of all threads')
  }

  protected parts(begin: number, step: number, number: number): number[] {
    return this.metric.parts(begin, step, number)
  }

  protected said(value: number, step: number): string {
    return `${this.metric.text(value)} here, ${this.metric.text(value / step * this.ticksPerSecond)} per second`
  }
}

/** Values of all threads, as a line from value to value. */
class Values implements Track {
  private readonly times: Float64Array
  private readonly values: Float64Array
  private readonly range: [number, number]

  constructor(readonly key: string, readonly label: string, readonly hint: string, all: [time: number, value: number][], private readonly shown: (value: number) => string) {
    all.sort((a, b) => a[0] - b[0])
    this.times = Float64Array.from(all, ([at]) => at)
    this.values = Float64Array.from(all, ([, value]) => value)
    this.range = this.values.reduce<[number, number]>(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity])
  }

  private y(value: number, height: number): number {
    const [least, most] = this.range
    return most > least ? height - 2 - (value - least) / (most - least) * (height - 4) : height / 2
  }

  draw(context: CanvasRenderingContext2D, width: number, height: number, { begin, scale }: Window): void {
    context.strokeStyle = themeColor('accent')
    context.lineWidth = window.devicePixelRatio || 1
    context.beginPath()
    const first = Math.max(0, place(this.times, begin) - 1)
    let started = false
    for (let i = first; i < this.times.length; i++) {
      const x = (this.times[i] - begin) / scale
      if (started) context.lineTo(x, this.y(this.values[i - 1], height))
      else context.moveTo(x, this.y(this.values[i], height))
      started = true
      context.lineTo(x, this.y(this.values[i], height))
      if (x > width) break
    }
    if (started && this.times[this.times.length - 1] < begin + width * scale) context.lineTo(width, this.y(this.values[this.values.length - 1], height))
    context.stroke()
  }

  text(x: number, { begin, scale }: Window): string {
    const i = place(this.times, begin + (x + 1) * scale) - 1
    return i < 0 ? 'no value yet' : `${this.shown(this.values[i])} (from ${this.shown(this.range[0])} to ${this.shown(this.range[1])})`
  }
}

/** An attribute of the program's events. */
function attributeTrack(run: Run, region: number, name: string, attribute: string): Track {
  const points = pointsOf(run)
  const all: [number, number][] = []
  for (const list of points?.listsFor(region, null) ?? [])
    points?.times[list].forEach((at, i) => {
      const value = points.value(list, i, attribute)
      if (value !== null) all.push([at, value])
    })
  const label = `${short(name, 40)}: ${short(attribute, 40)}`
  return new Values(`value:${label.replaceAll(',', ' ')}`, label, 'The value that the program logged last, of all threads', all, count)
}

function metricTrack(metric: Metric, ticksPerSecond: number): Track {
  if (metric.adds) return new Counter(metric, ticksPerSecond)
  const all = metric.series.flatMap(({ times, values }) => [...times].map((at, i): [number, number] => [at, values[i]]))
  return new Values(`metric:${metric.name.replaceAll(',', ' ')}`, short(metric.name, 40), 'The value that was read last, of all threads', all, value => metric.text(value))
}

export function tracksOf(run: Run, store: LaneStore): Track[] {
  const { locations } = run.timeline
  const of = (kind: 'processor' | undefined): number[] => locations.map((_, i) => i).filter(i => locations[i].kind === kind && locations[i].lanes.length > 0)
  const list: Track[] = []
  const [threads, processors] = [of(undefined), of('processor')]
  if (threads.length > 0) list.push(new Stack('threads', 'threads at work', 'How many threads are in which state', run, store, threads))
  if (processors.length > 0) list.push(new Stack('processors', 'processors', 'How many processors run threads of the program', run, store, processors))
  const samples = new Samples(run)
  if (samples.any) list.push(samples)
  list.push(...metricsOf(run).map(metric => metricTrack(metric, run.timeline.ticks_per_second)))
  const types = (pointsOf(run)?.types ?? []).flatMap(({ region, name, attributes }) => attributes.map(attribute => ({ region, name, attribute })))
  for (const { region, name, attribute } of types.slice(0, VALUES_MOST)) list.push(attributeTrack(run, region, name, attribute))
  return list
}
