// The constructs' colours, those with the most time first; a click searches for one.

import type { Run } from '../bundle/types'
import { constructColor, constructRanks } from '../look/constructs'
import { h, short } from '../parts/dom'
import { pointsOf } from '../events/points'
import { regionName } from './names'

const MOST = 10

export class ConstructLegend {
  readonly element = h('div', { class: 'legend construct-legend', role: 'group', aria: { label: 'Constructs; press one to search for it' } })
  onpick: (name: string) => void = () => undefined

  constructor(private readonly runs: Run[]) {
    this.draw()
  }

  /** Constructs by their names, in the order of their ranks. */
  private names(): Map<string, string> {
    const colors = new Map<string, string>()
    for (const run of this.runs) {
      const ranks = constructRanks(run)
      const events = new Set(pointsOf(run)?.types.map(({ region }) => region) ?? [])
      const { regions } = run.timeline
      regions.map((_, region) => region).filter(region => regions[region].longest !== 0 && !regions[region].state && !events.has(region))
        .sort((a, b) => ranks[a] - ranks[b]).forEach(region => {
          if (!colors.has(regionName(run, region))) colors.set(regionName(run, region), constructColor(run, region))
        })
    }
    return colors
  }

  draw(): void {
    const all = [...this.names()]
    this.element.hidden = all.length === 0
    this.element.replaceChildren(h('span', { class: 'soft' }, 'Constructs'), ...all.slice(0, MOST).map(([name, color]) => {
      const chip = h('i', { class: 'chip' })
      chip.style.background = color
      return h('button', { type: 'button', title: `Search for ${short(name, 120)}; nested ones are lighter at every second level`, data: { construct: short(name, 200) }, onclick: () => this.onpick(name) }, chip, short(name, 36))
    }), ...(all.length > MOST ? [h('span', { class: 'soft' }, `${all.length - MOST} more: search`)] : []))
  }
}
