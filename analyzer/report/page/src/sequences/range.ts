// The part of the sequences that the plots of one kind show: all of them the same, so they move together.

export class Range {
  begin = 0
  end = 1
  private readonly listeners = new Set<() => void>()

  /** @param limit the end of the longest sequence @param least the shortest part */
  constructor(public limit: number, private readonly least: number) {
    this.end = limit
  }

  get isWhole(): boolean {
    return this.begin === 0 && this.end === this.limit
  }

  onchange(listener: () => void): void {
    this.listeners.add(listener)
  }

  set(begin: number, end: number): void {
    const length = Math.min(this.limit, Math.max(this.least, end - begin))
    this.begin = Math.max(0, Math.min(begin, this.limit - length))
    this.end = length === this.limit ? this.limit : this.begin + length
    for (const listener of this.listeners) listener()
  }

  fit(): void {
    this.set(0, this.limit)
  }

  /** What is at `at` stays where it is. */
  zoom(factor: number, at = (this.begin + this.end) / 2): void {
    this.set(at - (at - this.begin) * factor, at + (this.end - at) * factor)
  }

  pan(part: number): void {
    const by = (this.end - this.begin) * part
    this.set(this.begin + by, this.end + by)
  }

  /** Others are listening from now on: parts of the page are made anew. */
  forget(): void {
    this.listeners.clear()
  }
}
