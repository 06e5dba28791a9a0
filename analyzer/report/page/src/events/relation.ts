// Relations that choose events by their attributes: norm > 0.5 && step < 10

type Test = (value: (name: string) => number | null) => boolean

const OPERATIONS: Record<string, (a: number, b: number) => boolean> = {
  '<': (a, b) => a < b, '<=': (a, b) => a <= b, '=': (a, b) => a === b, '==': (a, b) => a === b, '>=': (a, b) => a >= b, '>': (a, b) => a > b, '!=': (a, b) => a !== b,
}

/** null: all events are chosen. Throws where the text is no relation. */
export function relation(text: string): Test | null {
  const parts = text.split('&&').map(part => part.trim()).filter(Boolean)
  if (parts.length === 0) return null
  const tests = parts.map((part): Test => {
    const [, name, operation, number] = /^(.+?)\s*(<=|>=|==|!=|<|>|=)\s*(\S+)$/.exec(part) ?? []
    const wanted = Number(number)
    if (!name || Number.isNaN(wanted)) throw new Error(`“${part}” is no relation such as norm > 0.5`)
    return value => {
      const own = value(name)
      return own !== null && OPERATIONS[operation](own, wanted)
    }
  })
  return value => tests.every(test => test(value))
}
