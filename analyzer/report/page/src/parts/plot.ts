// Curves and stacked areas over time (uPlot), in the page's colours.

import uPlot from 'uplot'
import { h } from './dom'
import { count, duration, numberLabels, timeLabels } from '../time/format'
import { themeColor } from '../look/colors'
import { ontheme } from '../look/theme'

export interface Series { name: string; values: (number | null)[]; color: () => string }

export interface PlotOptions {
  /** seconds, or whatever xText makes of them */
  x: number[]
  series: Series[]
  stacked?: boolean
  bars?: boolean
  height?: number
  /** what y is: numbers, or seconds */
  y?: 'number' | 'time'
  /** what x is, if it is no time */
  xText?: (value: number) => string
  yLabel?: string
  xLabel?: string
}

const FONT = '11px system-ui, sans-serif'

/** Room for the longest label of an axis: no label is cut off. */
function roomFor(chart: uPlot, labels: string[] | null): number {
  chart.ctx.save()
  chart.ctx.font = FONT
  const widest = (labels ?? []).reduce((most, label) => Math.max(most, chart.ctx.measureText(label).width), 0)
  chart.ctx.restore()
  return Math.ceil(widest) + TICK + AIR
}

/** Pixels of a tick, and between it and its label. */
const TICK = 8
const AIR = 8

/** Plots that may be on the page. */
const plots = new Map<HTMLElement, () => void>()

ontheme(() => {
  for (const [holder, recolor] of plots) {
    if (holder.isConnected) recolor()
    else plots.delete(holder)
  }
})

function stack(series: Series[], length: number): number[][] {
  const sum = new Array<number>(length).fill(0)
  return series.map(({ values }) => values.map((value, i) => (sum[i] += value ?? 0)))
}

export function plot(options: PlotOptions): HTMLElement {
  const { x, series, stacked = false, bars = false, height = 240, y = 'number', xText } = options
  const yText = y === 'time' ? duration : count
  const holder = h('div', { class: 'plot' })
  const values = stacked ? stack(series, x.length) : series.map(({ values: own }) => own)
  const axis = (label: string | undefined, texts: (splits: number[]) => string[], size: uPlot.Axis['size']): uPlot.Axis => ({
    stroke: () => themeColor('soft'), grid: { stroke: () => themeColor('grid'), width: 1 }, ticks: { stroke: () => themeColor('rule'), width: 1 },
    font: FONT, labelFont: FONT, size, label, labelSize: label ? 18 : 0, values: (_, splits) => texts(splits),
  })
  // What is stacked highest is drawn first, and the others over it.
  const order = stacked ? series.map((_, i) => series.length - 1 - i) : series.map((_, i) => i)
  const config: uPlot.Options = {
    width: 600, height,
    scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(0, low ?? 0), high === null || high === undefined || high <= 0 ? (low < 0 ? 0 : 1) : high * 1.04] } },
    axes: [{ ...axis(options.xLabel, xText ? splits => splits.map(xText) : timeLabels, 34), space: 92 },
      axis(options.yLabel, y === 'time' ? timeLabels : numberLabels, roomFor)],
    series: [{ label: 'time', value: (_, value) => value === null || value === undefined ? '–' : (xText ?? duration)(value) },
      ...order.map(i => ({
        label: series[i].name,
        stroke: () => series[i].color(), width: stacked ? 0 : 1.5, points: { show: false },
        ...(stacked || bars ? { fill: () => series[i].color() } : {}),
        ...(bars && uPlot.paths.bars ? { paths: uPlot.paths.bars({ size: [0.9, 100] }) } : {}),
        value: (_: uPlot, __: number, ___: number, index: number | null) => index === null ? '–' : yText(series[i].values[index] ?? 0),
      }))],
    legend: { live: true },
    cursor: { drag: { x: true, y: false } },
  }
  const data = [x, ...order.map(i => values[i])] as uPlot.AlignedData
  const chart = new uPlot(config, data, holder)
  new ResizeObserver(() => {
    if (holder.clientWidth > 50) chart.setSize({ width: holder.clientWidth, height })
  }).observe(holder)
  const ends = series.slice(0, 12).map(({ name, values: own }) => `${name} ends at ${own[own.length - 1] ?? 'nothing'}`)
  holder.setAttribute('role', 'img')
  holder.setAttribute('aria-label', `${bars ? 'Bars' : 'Curves'}: ${ends.join('; ')}`)
  const recolor = (): void => {
    chart.redraw(true)
    markers(holder, order.map(i => series[i]))
  }
  plots.set(holder, recolor)
  markers(holder, order.map(i => series[i]))
  return holder
}

/** The legend's squares keep the colour they were made with; give them the present one. */
function markers(holder: HTMLElement, series: Series[]): void {
  holder.querySelectorAll<HTMLElement>('.u-series .u-marker').forEach((marker, i) => {
    if (i === 0) return
    marker.style.background = series[i - 1].color()
    marker.style.borderColor = series[i - 1].color()
  })
}
