// What a mark of the program's events stands for: a line under the mouse, all of it when it is clicked.

import type { Cluster } from '../events/clusters'
import type { Points } from '../events/points'
import type { Run } from '../bundle/types'
import { button, h, short } from '../parts/dom'
import { count, duration, moment } from '../time/format'
import { valueText } from '../events/number'
import type { Chart } from './chart'

/** Events of a mark that are listed. */
const MOST = 50

function valuesText(points: Points, list: number, index: number): string {
  return points.values(list, index).map(([name, value]) => `${short(name, 40)} = ${valueText(value)}`).join(', ')
}

/** One line. */
export function eventText(run: Run, points: Points, location: number, cluster: Cluster): string {
  const { ticks_per_second, locations } = run.timeline
  const all = points.of(location)
  const list = all.list[cluster.first]
  const index = all.index[cluster.first]
  const thread = short(locations[location].name, 60)
  if (cluster.entries === 1) {
    const others = cluster.count > 1 ? `stands for ${count(cluster.count)} events` : ''
    return [thread, short(points.type(list).name, 80), valuesText(points, list, index), `at ${moment(all.time[cluster.first], ticks_per_second)}`, others].filter(Boolean).join(' · ')
  }
  const span = (all.time[cluster.last] - all.time[cluster.first]) / ticks_per_second
  return `${thread} · ${count(cluster.count)} events in ${duration(span)} from ${moment(all.time[cluster.first], ticks_per_second)}${cluster.mixed ? '' : ` · ${short(points.type(list).name, 80)}`} · click to list them, zoom in to see single ones`
}

export class EventDetails {
  readonly element = h('aside', { class: 'event-details', hidden: true, aria: { label: 'Events of the chosen mark' } })

  close(): void {
    this.element.hidden = true
    this.element.replaceChildren()
  }

  show(chart: Chart, points: Points, location: number, cluster: Cluster): void {
    const { run, viewport, rate } = chart
    const { ticks_per_second } = run.timeline
    const all = points.of(location)
    const rows: HTMLElement[] = []
    let listed = 0
    for (let i = cluster.first; i <= cluster.last && rows.length < MOST; i++) {
      const list = all.list[i]
      const index = all.index[i]
      const style = chart.options.events.get(points.type(list).name)
      if (!style || !chart.marks.isDrawn(style, list, index) || style.offset !== cluster.offset) continue
      const weight = points.weightAt(list, index)
      listed += weight
      rows.push(h('tr', null, h('td', null, moment(all.time[i], ticks_per_second)), h('td', { class: 'text' }, short(points.type(list).name, 80)),
        h('td', { class: 'text' }, valuesText(points, list, index)), h('td', null, weight > 1 ? `stands for ${count(weight)}` : '')))
    }
    const begin = all.time[cluster.first]
    const end = all.time[cluster.last]
    const margin = Math.max(1, (end - begin) * 0.1)
    this.element.replaceChildren(
      h('div', { class: 'inputs' }, h('span', null, `${count(cluster.count)} ${cluster.count === 1 ? 'event' : 'events'} on ${short(run.timeline.locations[location].name, 60)}`),
        cluster.entries > 1 && end > begin ? button('Zoom to them', () => viewport.show((begin - margin) / rate, (end + margin) / rate), undefined, 'small') : null,
        button('×', () => this.close(), 'Close', 'small')),
      h('div', { class: 'table-scroll' }, h('table', null, h('tbody', null, ...rows))),
      listed < cluster.count ? h('p', { class: 'soft' }, `${count(cluster.count - listed)} more; zoom in, or heddle events --list.`) : '')
    this.element.hidden = false
  }
}
