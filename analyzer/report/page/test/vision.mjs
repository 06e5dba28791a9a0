// What people with any kind of colour vision see, and how far colours are from each other. Colours are linear RGB, from 0 to 1.

/** Of '#rrggbb'. */
export const linear = hex => [1, 3, 5].map(i => {
  const part = parseInt(hex.slice(i, i + 2), 16) / 255
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
})
export const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b

/** As WCAG 2 defines it: 1 to 21. */
export function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

// The dichromats of Machado, Oliveira and Fernandes (2009), severity 1.
export const VISIONS = {
  trichromat: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanope: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranope: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanope: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}

export const seen = (color, vision) => VISIONS[vision].map(row => Math.min(1, Math.max(0, row.reduce((s, f, i) => s + f * color[i], 0))))

/** OKLab, in which equal distances look equally large. */
export function oklab([r, g, b]) {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s]
}

/** Of two colours in OKLab; a hundredth of the distance from black to white is 1. */
export const distance = (a, b) => 100 * Math.hypot(...a.map((x, i) => x - b[i]))
