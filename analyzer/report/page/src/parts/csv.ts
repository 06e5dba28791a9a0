// Tables as CSV (RFC 4180), and the way to the clipboard.

import { h } from './dom'

export function csvLine(cells: (string | number | null)[]): string {
  return cells.map(cell => {
    const text = cell === null ? '' : String(cell)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }).join(',')
}

/** To the clipboard; from files on disk the newer way may be forbidden. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const area = h('textarea', { value: text, class: 'hidden-visually' })
    document.body.append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
}
