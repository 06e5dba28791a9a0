// A picture that fits into its place, and can be zoomed and moved in it.

import { button, h } from './dom'

/** By how much a press of a button, or of the wheel, magnifies. */
const STEP = 1.25
const LARGEST = 4
/** Of the place, above and below, in pixels. */
const BORDERS = 2

/** @param picture without a size of its own @param width @param height its natural size in pixels */
export function zoomable(picture: SVGElement, width: number, height: number): HTMLElement {
  const place = h('div', { class: 'zoom-place', tabIndex: 0, role: 'group', aria: { label: 'Picture; + and − zoom, 0 fits it in' } }, picture)
  const said = h('span', { class: 'soft number' })
  let scale = 1
  let fitted = true

  /** All of it can be seen, at most at its natural size. */
  const fitting = (): number => Math.min(1, (place.clientWidth || width) / width, (place.clientHeight || height) / height)
  /** The place is no higher than the picture that is as wide as it. */
  const settle = (): void => {
    place.style.height = `min(${Math.ceil(height * Math.min(1, (place.clientWidth || width) / width)) + BORDERS}px, 70vh)`
  }

  const show = (): void => {
    picture.setAttribute('width', String(Math.floor(width * scale)))
    picture.setAttribute('height', String(Math.floor(height * scale)))
    said.textContent = `${Math.round(scale * 100)} %`
  }
  const fit = (): void => {
    fitted = true
    settle()
    scale = fitting()
    show()
  }
  /** What is at (x, y) of the place stays there. */
  const zoom = (factor: number, x = place.clientWidth / 2, y = place.clientHeight / 2): void => {
    const next = Math.min(LARGEST, Math.max(Math.min(fitting(), 1), scale * factor))
    const by = next / scale
    const [left, top] = [(place.scrollLeft + x) * by - x, (place.scrollTop + y) * by - y]
    scale = next
    fitted = next <= fitting()
    show()
    place.scrollTo(left, top)
  }
  place.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const box = place.getBoundingClientRect()
    zoom(Math.pow(STEP, -event.deltaY / 100), event.clientX - box.left, event.clientY - box.top)
  }, { passive: false })
  place.addEventListener('keydown', event => {
    if (event.key === '+') zoom(STEP)
    else if (event.key === '-') zoom(1 / STEP)
    else if (event.key === '0') fit()
    else return
    event.preventDefault()
  })
  movable(place)
  new ResizeObserver(() => {
    if (fitted) fit()
  }).observe(place)
  settle()
  show()
  return h('div', { class: 'zoomable' },
    h('div', { class: 'zoom-tools' }, button('−', () => zoom(1 / STEP), 'Zoom out (−, or Ctrl and wheel)', 'small'), button('+', () => zoom(STEP), 'Zoom in (+, or Ctrl and wheel)', 'small'),
      button('Fit', fit, 'Show all of it (0)', 'small'), said), place)
}

/** What is larger than its place is moved by dragging. */
function movable(place: HTMLElement): void {
  let from: { x: number; y: number; left: number; top: number } | null = null
  place.addEventListener('pointerdown', event => {
    const box = place.getBoundingClientRect()
    const onBars = event.clientX - box.left > place.clientWidth || event.clientY - box.top > place.clientHeight
    if (event.button !== 0 || onBars) return
    from = { x: event.clientX, y: event.clientY, left: place.scrollLeft, top: place.scrollTop }
    place.setPointerCapture(event.pointerId)
  })
  place.addEventListener('pointermove', event => {
    if (from) place.scrollTo(from.left - (event.clientX - from.x), from.top - (event.clientY - from.y))
  })
  for (const end of ['pointerup', 'pointercancel']) {
    place.addEventListener(end, () => {
      from = null
    })
  }
}
