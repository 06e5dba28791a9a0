// Arithmetic with curves: A - B, (A + B) / 2, smooth(A / B, 9). Where a curve has no value, neither has what is made of it.

export type Curve = (number | null)[]

type Scope = ReadonlyMap<string, Curve>

/** Mean over `width` points around each. */
export function smooth(curve: Curve, width: number): Curve {
  const half = Math.max(0, Math.floor((width - 1) / 2))
  return curve.map((_, i) => {
    let sum = 0
    let number = 0
    for (let k = Math.max(0, i - half); k <= Math.min(curve.length - 1, i + half); k++) {
      const value = curve[k]
      if (value === null) continue
      sum += value
      number++
    }
    return number > 0 ? sum / number : null
  })
}

const OPERATIONS: Record<string, (a: number, b: number) => number> = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b }

function combine(a: Curve, b: Curve, operation: string): Curve {
  return a.map((x, i) => {
    const y = b[i]
    if (x === null || y === null) return null
    const value = OPERATIONS[operation](x, y)
    return Number.isFinite(value) ? value : null
  })
}

class Parser {
  private readonly tokens: string[]
  private at = 0

  constructor(text: string, private readonly scope: Scope, private readonly length: number) {
    const tokens = text.match(/\d+(?:\.\d+)?|[A-Za-z]+|[-+*/(),]|\S/g) ?? []
    if (tokens.length > 500) throw new Error('this is too long')
    this.tokens = tokens
  }

  parse(): Curve {
    const curve = this.sum()
    if (this.at < this.tokens.length) throw new Error(`“${this.tokens[this.at]}” was not expected`)
    return curve
  }

  private next(): string | undefined {
    return this.tokens[this.at]
  }

  private take(expected: string): void {
    if (this.tokens[this.at] !== expected) throw new Error(`“${expected}” is missing`)
    this.at++
  }

  private sum(): Curve {
    let curve = this.product()
    for (;;) {
      const operation = this.next()
      if (operation !== '+' && operation !== '-') return curve
      this.at++
      curve = combine(curve, this.product(), operation)
    }
  }

  private product(): Curve {
    let curve = this.factor()
    for (;;) {
      const operation = this.next()
      if (operation !== '*' && operation !== '/') return curve
      this.at++
      curve = combine(curve, this.factor(), operation)
    }
  }

  private factor(): Curve {
    const token = this.next()
    if (token === undefined) throw new Error('something is missing at the end')
    this.at++
    if (token === '-') return combine(this.constant(0), this.factor(), '-')
    if (token === '(') {
      const curve = this.sum()
      this.take(')')
      return curve
    }
    if (/^\d/.test(token)) return this.constant(Number(token))
    if (token.toLowerCase() === 'smooth') return this.smoothed()
    const curve = this.scope.get(token.toUpperCase())
    if (!curve) throw new Error(`there is no curve “${token}”`)
    return curve
  }

  private smoothed(): Curve {
    this.take('(')
    const curve = this.sum()
    this.take(',')
    const width = Number(this.next())
    if (!(width >= 1)) throw new Error('smooth needs a number of points: smooth(A, 9)')
    this.at++
    this.take(')')
    return smooth(curve, width)
  }

  private constant(value: number): Curve {
    return new Array<number>(this.length).fill(value)
  }
}

export function evaluate(text: string, scope: Scope, length: number): Curve {
  return new Parser(text, scope, length).parse()
}
