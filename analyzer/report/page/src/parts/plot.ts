// Curves and stacked areas over time (uPlot), in the page's colours.

import uPlot from 'uplot'
import { h } from './dom'
import { duration } from '../time/format'
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
  yText?: (value: number) => string
  xText?: (value: number) => string
  yLabel?: string
  xLabel?: string
}

const number = (value: number): string => value === 0 ? '0' : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)))

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
  const { x, series, stacked = false, bars = false, height = 240, yText = number, xText = duration } = options
  const holder = h('div', { class: 'plot' })
  const values = stacked ? stack(series, x.length) : series.map(({ values: own }) => own)
  const axis = (label: string | undefined, text: (value: number) => string, size: number): uPlot.Axis => ({
    stroke: () => themeColor('soft'), grid: { stroke: () => themeColor('grid'), width: 1 }, ticks: { stroke: () => themeColor('rule'), width: 1 },
    font: '11px system-ui, sans-serif', labelFont: '11px system-ui, sans-serif', size, label, labelSize: label ? 18 : 0, values: (_, splits) => splits.map(text),
  })
  // What is stacked highest is drawn first, and the others over it.
  const order = stacked ? series.map((_, i) => series.length - 1 - i) : series.map((_, i) => i)
  const config: uPlot.Options = {
    width: 600, height,
    scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(0, low ?? 0), high === null || high === undefined || high <= 0 ? (low < 0 ? 0 : 1) : high * 1.04] } },
    axes: [{ ...axis(options.xLabel, xText, 34), space: 92 }, axis(options.yLabel, yText, 58)],
    series: [{ label: 'time', value: (_, value) => value === null || value === undefined ? '–' : xText(value) },
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
