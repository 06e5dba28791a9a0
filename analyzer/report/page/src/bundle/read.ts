// Reads the bundle that stands in the page.

import type { Bundle } from './types'
import { ElementSource, HttpSource, type BlobSource } from './blob'
import { fromBase64, inflate } from './inflate'

export interface Opened { bundle: Bundle; sources: BlobSource[] }

function takeText(id: string): string | null {
  const element = document.getElementById(id)
  if (!element) return null
  const text = (element.textContent ?? '').trim()
  element.remove()
  return text
}

export async function readBundle(): Promise<Opened | null> {
  const text = takeText('heddle-bundle')
  if (text === null || text === '') return null
  const bundle = JSON.parse(new TextDecoder().decode(await inflate(fromBase64(text)))) as Bundle
  if (bundle.version !== 2) throw new Error(`this page reads bundles of version 2, not ${String(bundle.version)}`)
  const sources = bundle.runs.map((_, i) =>
    bundle.mode === 'view' ? new HttpSource(i) : new ElementSource(takeText(`heddle-lanes-${i}`) ?? ''))
  return { bundle, sources }
}
