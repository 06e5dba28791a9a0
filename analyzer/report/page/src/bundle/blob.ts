// Where the compressed blocks of a run come from: the file itself, or the server of heddle view.

import type { Block } from './types'
import { fromBase64 } from './inflate'

export interface BlobSource {
  /** How many requests at a time serve it best. */
  readonly parallel: number
  bytes(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>
  /** The blocks of a level, where the bundle does not hold them. */
  blocks(location: number, lane: number, level: number): Promise<Block[]>
}

/** The blob as base64 in an element of the page: pieces are decoded when they are needed. */
export class ElementSource implements BlobSource {
  readonly parallel = 64

  constructor(private readonly text: string) {}

  bytes(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const first = Math.floor(offset / 3)
    const end = Math.ceil((offset + length) / 3)
    const bytes = fromBase64(this.text.slice(first * 4, end * 4))
    return Promise.resolve(bytes.subarray(offset - first * 3, offset - first * 3 + length))
  }

  blocks(): Promise<Block[]> {
    return Promise.reject(new Error('this file has no such level'))
  }
}

/** The same from the server that sent the page. */
export class HttpSource implements BlobSource {
  readonly parallel = 6

  constructor(private readonly run: number) {}

  async bytes(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.get(`blob?run=${this.run}&offset=${offset}&bytes=${length}`)
    return new Uint8Array(await answer.arrayBuffer())
  }

  async blocks(location: number, lane: number, level: number): Promise<Block[]> {
    const answer = await this.get(`blocks?run=${this.run}&location=${location}&lane=${lane}&level=${level}`)
    return await answer.json() as Block[]
  }

  private async get(what: string): Promise<Response> {
    const answer = await fetch(what)
    if (!answer.ok) throw new Error(`heddle view answered ${answer.status}`)
    return answer
  }
}
