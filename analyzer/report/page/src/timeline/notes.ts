// The reader's notes on stretches of time: in the address, and as a file to keep.

import type { Run } from '../bundle/types'
import { announce, button, h, short } from '../parts/dom'
import { moment } from '../time/format'

/** Times in ticks of the viewport. */
export interface Note { begin: number; end: number; text: string }

/** Notes, and characters of a note, that are kept. */
const MOST = 200
const LONGEST = 500

function readNote(found: unknown): Note | null {
  if (!Array.isArray(found) || found.length !== 3) return null
  const [begin, end, text] = found as unknown[]
  return typeof begin === 'number' && typeof end === 'number' && begin >= 0 && end >= begin && Number.isFinite(end) && typeof text === 'string' ? { begin, end, text: text.slice(0, LONGEST) } : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

/** null: it is no list of notes. */
export function readNotes(text: string): Note[] | null {
  const found = parsed(text)
  if (!Array.isArray(found)) return null
  const notes = found.map(readNote)
  return notes.some(note => note === null) ? null : (notes as Note[]).slice(0, MOST)
}

export const notesText = (notes: Note[]): string => JSON.stringify(notes.map(({ begin, end, text }) => [begin, end, text]))

export class Notes {
  readonly element = h('div', { class: 'notes-bar', hidden: true, role: 'group', aria: { label: 'Notes' } })
  list: Note[] = []
  onchange: () => void = () => undefined
  /** a note is to be shown */
  onpick: (note: Note) => void = () => undefined
  private readonly problem = h('span', { class: 'problem', role: 'alert' })

  constructor(private readonly runs: Run[], private readonly ticksPerSecond: number) {}

  set(list: Note[]): void {
    this.list = list
    this.draw()
  }

  /** A note without a text, which is to be written now. */
  add(begin: number, end: number): void {
    if (this.list.length >= MOST) return
    this.list.push({ begin: Math.round(begin), end: Math.round(end), text: '' })
    this.list.sort((a, b) => a.begin - b.begin)
    this.changed()
    const at = this.list.findIndex(({ text }) => text === '')
    this.element.querySelectorAll<HTMLInputElement>('input[type="text"]')[at]?.focus()
  }

  private changed(): void {
    this.draw()
    this.onchange()
  }

  private draw(): void {
    this.element.hidden = this.list.length === 0
    this.element.replaceChildren(h('span', { class: 'soft' }, 'Notes'), ...this.list.map(note => this.chip(note)),
      button('Save', () => this.save(), 'Keep the notes as a file', 'small'), this.opener(), this.problem)
  }

  private chip(note: Note): HTMLElement {
    const text = h('input', {
      type: 'text', value: note.text, maxLength: LONGEST, placeholder: 'what is here', aria: { label: `note at ${moment(note.begin, this.ticksPerSecond)}` },
      onchange: () => {
        note.text = text.value
        this.onchange()
      },
      onkeydown: event => {
        if (event.key === 'Enter') text.blur()
      },
    })
    return h('span', { class: 'note' }, button('⚑', () => this.onpick(note), `Show it: ${moment(note.begin, this.ticksPerSecond)}`, 'plain'), text,
      button('×', () => {
        this.list = this.list.filter(one => one !== note)
        this.changed()
      }, 'Delete this note', 'plain'))
  }

  private opener(): HTMLElement {
    const file = h('input', { type: 'file', accept: '.json', class: 'hidden-visually', tabIndex: -1, aria: { label: 'file of notes' }, onchange: () => void this.open(file) })
    return h('span', null, button('Open', () => file.click(), 'Show the notes of a file', 'small'), file)
  }

  private save(): void {
    const saved = { version: 1, run: this.runs.map(run => run.title), start: this.runs.map(run => run.timeline.start), ticks_per_second: this.ticksPerSecond, notes: this.list.map(({ begin, end, text }) => [begin, end, text]) }
    const address = URL.createObjectURL(new Blob([`${JSON.stringify(saved, null, 1)}\n`], { type: 'application/json' }))
    const link = h('a', { href: address, download: 'notes.json' })
    link.click()
    window.setTimeout(() => URL.revokeObjectURL(address), 10_000)
  }

  private async open(file: HTMLInputElement): Promise<void> {
    const text = await file.files?.[0]?.text()
    if (text === undefined) return
    const found = parsed(text) as { version?: unknown; start?: unknown; notes?: unknown } | null
    const notes = found && found.version === 1 ? readNotes(JSON.stringify(found.notes)) : null
    const other = notes && JSON.stringify(found?.start) !== JSON.stringify(this.runs.map(run => run.timeline.start))
    this.problem.textContent = !notes ? `${short(file.files?.[0]?.name ?? '', 60)}: not a file of notes` : other ? `${short(file.files?.[0]?.name ?? '', 60)}: notes on another run` : ''
    if (!notes || other) return
    this.list = notes
    this.changed()
    announce(`${notes.length} notes opened.`)
  }
}
