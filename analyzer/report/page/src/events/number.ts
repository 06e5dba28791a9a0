// Attributes of events as texts.

import { short } from '../parts/dom'

/** Texts stand in quotes. */
export function valueText(value: number | string): string {
  return typeof value === 'string' ? `"${short(value, 80)}"` : numberText(value)
}

/** Whole numbers have all their digits, others six. */
export function numberText(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)))
}
