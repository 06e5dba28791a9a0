// Asks the server for each reading: one request at a time, over the connection that the browser keeps open. (Pushed events would hold a
// connection and a buffer at the server for each page, also for those that nobody looks at. Here a page that is slow just misses readings.)

import type { Answer, Said } from './reading'

export type Status = 'live' | 'frozen' | 'ended' | 'silent' | 'gone'

/** Requests without an answer, one after the other, until the page no longer asks. */
const MOST_FAILURES = 4
/** Milliseconds: the answer comes after the reading, which takes a while. */
const LATER = 30
const LEAST = 50
const PATIENCE = 20_000

export class Feed {
  status: Status = 'live'
  /** Figures since the begin of the threads, too. */
  private whole = false
  private last = 0
  private lastWhole = 0
  private failures = 0
  private timer = 0
  private busy = false

  /** @param onreading gets what is new @param onstatus is called when the status has changed */
  constructor(private readonly onreading: (interval: Answer, whole: Answer | null) => void, private readonly onstatus: () => void) {}

  start(): void {
    this.failures = 0
    this.become('live')
    void this.ask()
  }

  freeze(): void {
    window.clearTimeout(this.timer)
    this.become('frozen')
  }

  wantWhole(whole: boolean): void {
    this.whole = whole
    this.last = 0
    this.lastWhole = 0
    if (this.status !== 'frozen' && this.status !== 'gone') void this.ask()
  }

  /** Asks for a change of the pairs, or for nothing but what can be asked for (metrics=1). */
  async change(query: string): Promise<Said> {
    const answer = await fetch(`pairs?${query}`, { signal: AbortSignal.timeout(PATIENCE) })
    if (!answer.ok) throw new Error(`heddle live answered ${answer.status}`)
    const said = await answer.json() as Said
    this.last = 0
    if (this.status !== 'frozen' && this.status !== 'gone') void this.ask()
    return said
  }

  private become(status: Status): void {
    if (this.status === status) return
    this.status = status
    this.onstatus()
  }

  private async ask(): Promise<void> {
    window.clearTimeout(this.timer)
    if (this.busy) return
    this.busy = true
    let wait = 0
    try {
      const interval = await this.get(0, this.last)
      const whole = this.whole && this.lastWhole !== interval.number ? await this.get(1, 0) : null
      this.failures = 0
      if (this.frozen) return
      if (interval.reading || whole) {
        this.last = interval.number
        this.lastWhole = whole ? interval.number : this.lastWhole
        this.onreading(interval, whole)
      }
      this.become(interval.over ? 'ended' : 'live')
      if (interval.over) return
      wait = Math.max(LEAST, (interval.next ?? 0) * 1000 + LATER)
    } catch {
      if (this.frozen) return
      this.failures++
      this.become(this.failures < MOST_FAILURES ? 'silent' : 'gone')
      if (this.status === 'gone') return
      wait = 500 * 2 ** this.failures
    } finally {
      this.busy = false
    }
    this.timer = window.setTimeout(() => void this.ask(), wait)
  }

  private get frozen(): boolean {
    return this.status === 'frozen'
  }

  private async get(whole: number, after: number): Promise<Answer> {
    const answer = await fetch(`reading?whole=${whole}&after=${after}`, { signal: AbortSignal.timeout(PATIENCE) })
    if (!answer.ok) throw new Error(`heddle live answered ${answer.status}`)
    return await answer.json() as Answer
  }
}
