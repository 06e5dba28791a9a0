// The zoom of the chart: scale factors 1, 2, 3 ... that each magnify by a step. All scales are ticks a pixel.

/** At scale factor 1 the whole run is this wide. */
export const MIN_DISPLAY_PIXELS = 100
/** The finest scale: a nanosecond is ten pixels. */
export const MIN_NANOSECONDS = 0.1

export interface Scaling { duration: number; ticksPerSecond: number; stepPercent: number }

const step = (s: Scaling): number => 1 + s.stepPercent / 100

export function finestScale(s: Scaling): number {
  return MIN_NANOSECONDS * s.ticksPerSecond / 1e9
}

export function coarsestScale(s: Scaling): number {
  return Math.max(s.duration / MIN_DISPLAY_PIXELS, finestScale(s))
}

export function scaleOf(s: Scaling, factor: number): number {
  return s.duration / (Math.pow(step(s), factor - 1) * MIN_DISPLAY_PIXELS)
}

export function factorOf(s: Scaling, scale: number): number {
  // A scale that was made by scaleOf must give its factor back in spite of rounding.
  return Math.floor(Math.log(s.duration / (scale * MIN_DISPLAY_PIXELS)) / Math.log(step(s)) + 1e-9) + 1
}

export function largestFactor(s: Scaling): number {
  return Math.max(1, factorOf(s, finestScale(s)))
}

/** The largest step that still leaves two scale factors, in percent. */
export function largestStep(s: Scaling): number {
  return Math.max(1, (s.duration / (finestScale(s) * MIN_DISPLAY_PIXELS) - 1) * 100)
}

/** One scale factor in; behind the largest one there is the finest scale itself ("max+"). */
export function zoomedIn(s: Scaling, scale: number): number {
  const next = factorOf(s, scale) + 1
  return next > largestFactor(s) ? finestScale(s) : Math.max(finestScale(s), scaleOf(s, next))
}

export function zoomedOut(s: Scaling, scale: number): number {
  const factor = factorOf(s, scale)
  const here = scaleOf(s, Math.max(1, factor))
  // Between two factors (as after "whole run" or at "max+") the next one out is the one just passed.
  return scale < here * (1 - 1e-9) ? here : scaleOf(s, Math.max(1, factor - 1))
}
