// Attributes of events as texts.

/** Whole numbers have all their digits, others six. */
export function numberText(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)))
}
