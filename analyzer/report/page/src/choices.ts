// What the reader chose on a page other than the timeline: its fields, the order of its tables and the rows that are picked. The address
// keeps what differs from the page as it was made.

/** Characters of a value: longer ones are not kept. */
const LONGEST = 300

type Field = HTMLSelectElement | HTMLInputElement
export type Choices = Map<string, string>

const nameOf = (field: Field): string => field.getAttribute('aria-label') ?? field.closest('label')?.textContent?.trim().slice(0, 60) ?? ''

function fieldsOf(page: HTMLElement): Map<string, Field> {
  const fields = new Map<string, Field>()
  for (const field of page.querySelectorAll<Field>('select, input:not([type="file"])')) {
    const name = nameOf(field)
    let key = name
    for (let i = 2; fields.has(key); i++) key = `${name} ${i}`
    if (name) fields.set(key, field)
  }
  return fields
}

const isBox = (field: Field): field is HTMLInputElement => field instanceof HTMLInputElement && field.type === 'checkbox'
const valueOf = (field: Field): string => isBox(field) ? String(field.checked) : field.value

const tablesOf = (page: HTMLElement): HTMLElement[] => [...page.querySelectorAll<HTMLElement>('.table')]
const headsOf = (table: HTMLElement): HTMLElement[] => [...table.querySelectorAll<HTMLElement>('thead th')]
const rowsOf = (table: HTMLElement): HTMLElement[] => [...table.querySelectorAll<HTMLElement>('tbody tr')]

/** Column and direction. */
function orderOf(table: HTMLElement): string {
  const heads = headsOf(table)
  const at = heads.findIndex(head => ['ascending', 'descending'].includes(head.getAttribute('aria-sort') ?? ''))
  return at < 0 ? '' : `${at} ${heads[at].getAttribute('aria-sort') ?? ''}`
}

export function choicesOf(page: HTMLElement): Choices {
  const choices: Choices = new Map()
  for (const [key, field] of fieldsOf(page)) if (valueOf(field).length <= LONGEST) choices.set(key, valueOf(field))
  tablesOf(page).forEach((table, i) => {
    choices.set(`order ${i + 1}`, orderOf(table))
    choices.set(`row ${i + 1}`, String(rowsOf(table).findIndex(row => row.classList.contains('selected'))))
  })
  return choices
}

/** What differs from the page as it was made. */
export function changed(now: Choices, made: Choices): [key: string, value: string][] {
  return [...now].filter(([key, value]) => made.get(key) !== value && !(made.get(key) === undefined && (value === '' || value === '-1')))
}

function choose(field: Field, value: string): void {
  if (valueOf(field) === value) return
  if (isBox(field)) field.checked = value === 'true'
  else field.value = value
  for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
}

function sort(table: HTMLElement, wanted: string): void {
  const at = Number(wanted.split(' ')[0])
  // The first click sorts, the second one turns the order round.
  for (let i = 0; i < 2 && wanted !== '' && orderOf(table) !== wanted; i++) headsOf(table)[at]?.querySelector('button')?.click()
}

/** Makes the page what it was made as, but for the choices of an address. Fields that come with others are set in their turn. */
export function apply(page: HTMLElement, made: Choices, chosen: Choices): void {
  const wanted = (key: string): string | undefined => chosen.get(key) ?? made.get(key)
  for (const key of new Set([...made.keys(), ...chosen.keys()])) {
    const field = fieldsOf(page).get(key)
    const value = wanted(key)
    if (field && value !== undefined) choose(field, value)
  }
  // A row that is picked can bring tables of its own.
  for (let i = 0; i < tablesOf(page).length; i++) {
    sort(tablesOf(page)[i], wanted(`order ${i + 1}`) ?? '')
    const row = rowsOf(tablesOf(page)[i])[Number(wanted(`row ${i + 1}`) ?? -1)]
    if (row && !row.classList.contains('selected')) row.click()
  }
}

const SIGN = '='

export const written = (choices: [string, string][]): string[] => choices.map(([key, value]) => `${key}${SIGN}${value}`)

export function read(texts: string[]): Choices {
  return new Map(texts.map((text): [string, string] => {
    const at = text.indexOf(SIGN)
    return [text.slice(0, at), text.slice(at + 1)]
  }))
}
