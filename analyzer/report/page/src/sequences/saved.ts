// The state of the page: in the address, and as a file to keep. Opening either shows the same again.

import type { SavedInstance } from './instance'

export interface Saved {
  version: 1
  /** the files of the page that it was saved in */
  files: string[]
  view: string
  /** what the plots show; missing: all */
  time?: [number, number]
  events?: [number, number]
  instances: SavedInstance[]
}

const pair = (value: unknown): [number, number] | undefined => Array.isArray(value) && value.length === 2 && value.every(one => Number.isFinite(one)) ? [Number(value[0]), Number(value[1])] : undefined

/** A sentence if the text is none. */
export function readSaved(text: string, files: string[]): Saved | string {
  let found: Partial<Saved> | null
  try {
    found = JSON.parse(text) as Partial<Saved> | null
  } catch {
    return 'it is not JSON'
  }
  if (typeof found !== 'object' || found === null || found.version !== 1 || !Array.isArray(found.instances)) return 'it was not saved by this page'
  if (JSON.stringify(found.files) !== JSON.stringify(files)) return 'it was saved for other sequences'
  const instances = found.instances.filter(one => typeof one === 'object' && one !== null)
  return { version: 1, files, view: String(found.view), time: pair(found.time), events: pair(found.events), instances }
}

export const fragmentOf = (saved: Saved): string => `#${saved.view}?${new URLSearchParams({ saved: JSON.stringify(saved) })}`

/** What the address has: a view, and perhaps what was saved. */
export function readFragment(): { view: string; saved: string | null } {
  const [view, rest] = location.hash.slice(1).split('?')
  return { view, saved: new URLSearchParams(rest ?? '').get('saved') }
}

export function download(saved: Saved): void {
  const address = URL.createObjectURL(new Blob([`${JSON.stringify(saved, null, 1)}\n`], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = 'sequences.json'
  link.click()
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
