// Elements, by function calls. Text goes in as text nodes, whatever it says: nothing here reads HTML.

export type Child = Node | string | null | undefined | false
type Properties<K extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[K], 'style' | 'dataset'>> & {
  class?: string
  data?: Record<string, string>
  aria?: Record<string, string>
  role?: string
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Properties<K> | null = null, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  if (properties) {
    const { class: name, data, aria, role, ...rest } = properties
    if (name) element.className = name
    if (role) element.setAttribute('role', role)
    for (const key in data) element.dataset[key] = data[key]
    for (const key in aria) element.setAttribute(`aria-${key}`, aria[key])
    Object.assign(element, rest)
  }
  append(element, ...children)
  return element
}

export function append(element: Element, ...children: Child[]): void {
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child)
}

const SVG = 'http://www.w3.org/2000/svg'

export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS(SVG, tag)
  for (const name in attributes) element.setAttribute(name, String(attributes[name]))
  append(element, ...children)
  return element
}

/** A name from outside, short enough to be handled: the middle of long ones is left out. */
export function short(name: string, most = 160): string {
  if (name.length <= most) return name
  const half = Math.floor((most - 1) / 2)
  return `${name.slice(0, half)}…${name.slice(-half)}`
}

/** An element that clips a name at its width, with a title of bearable length. */
export function clipped(name: string, className = ''): HTMLElement {
  const text = short(name, 400)
  return h('span', { class: `clip ${className}`, title: short(name, 200) }, text)
}

/** Says to people who do not see the page what happened. */
export function announce(text: string): void {
  let live = document.getElementById('live')
  if (!live) {
    live = h('div', { id: 'live', class: 'hidden-visually', aria: { live: 'polite' } })
    document.body.append(live)
  }
  live.textContent = text
}

export function button(label: string, act: () => void, title?: string, className = ''): HTMLButtonElement {
  return h('button', { type: 'button', class: className, title: title ?? '', onclick: act }, label)
}
