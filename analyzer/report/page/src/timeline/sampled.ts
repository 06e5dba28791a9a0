// Beside the list of states: which functions were sampled on the selected thread, in the stretch that is looked at.

import type { Run } from '../bundle/types'
import { firstTrigger } from '../calls/filters'
import { sampleTimesOf, type SampleTimes } from '../calls/times'
import { h, short } from '../parts/dom'
import { count, percent } from '../time/format'

const MOST = 12

/** Stretches of time in ticks of the run; null: there is none. */
export interface Stretches { state: [number, number]; measured: [number, number] | null; window: [number, number] }

export class Sampled {
  readonly element: HTMLElement
  onpick: (run: number, code: number) => void = () => undefined
  private readonly which = h('select', { aria: { label: 'samples of' } },
    h('option', { value: 'state' }, 'in the selected state'), h('option', { value: 'window' }, 'in the visible stretch'))
  private readonly text = h('div', { class: 'soft', role: 'status' })
  private readonly rows = h('div', { class: 'sampled-rows' })
  private last: [number, number, Stretches] | null = null
  private said = ''

  constructor(private readonly runs: Run[]) {
    this.which.addEventListener('change', () => this.draw())
    this.element = h('aside', { class: 'sampled', hidden: true, aria: { label: 'Functions that were sampled' } }, h('div', { class: 'sampled-head' }, h('b', null, 'Sampled functions '), this.which), this.text, this.rows)
  }

  hide(): void {
    this.element.hidden = true
    this.last = null
    this.said = ''
  }

  show(run: number, location: number, stretches: Stretches): void {
    this.last = [run, location, stretches]
    const { calls } = this.runs[run].documents
    this.element.hidden = !calls || calls.exact === true
    this.draw()
  }

  private timesOf(run: number): SampleTimes | null {
    const document = this.runs[run].documents.calls
    return document ? sampleTimesOf(document) : null
  }

  private draw(): void {
    if (!this.last) return
    const [run, location, { state, measured, window }] = this.last
    const document = this.runs[run].documents.calls
    const times = this.timesOf(run)
    if (!times || !document) return
    const [begin, end] = this.which.value === 'window' ? window : measured ?? state
    this.which.options[0].textContent = measured ? 'in the measured stretch' : 'in the selected state'
    const said = [run, location, begin, end].join()
    if (said === this.said) return
    this.said = said
    const trigger = firstTrigger(document)
    const { all, every, functions } = times.between(location, begin, end, trigger)
    const none = all === 0 && this.which.value !== 'window' ? ': look at the visible stretch' : ''
    const part = every > 1 ? `; this page has 1 of ${count(every)}` : ''
    this.text.textContent = `${count(all)} ${all === 1 ? 'sample' : 'samples'} by ${short(document.triggers[trigger].name, 40)}${none}${part}${functions.length > MOST ? `; the ${MOST} functions with the most` : ''}`
    this.rows.replaceChildren(...functions.slice(0, MOST).map(({ code, samples }) => this.row(times, run, code, samples, all)))
  }

  private row({ tree }: SampleTimes, run: number, code: number, samples: number, all: number): HTMLElement {
    const part = h('i')
    part.style.width = `${samples / all * 100}%`
    const name = tree.name(code)
    return h('button', { type: 'button', class: 'sampled-row', title: `${short(name, 200)}\n${[tree.where(code), short(tree.module(code), 200)].filter(Boolean).join(' in ')}`, onclick: () => this.onpick(run, code) },
      h('span', { class: 'clip' }, short(name, 200)), h('span', { class: 'track' }, part), h('span', { class: 'number' }, count(samples)), h('span', { class: 'number soft' }, percent(samples / all * 100)))
  }
}
