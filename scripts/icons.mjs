import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { draw, icns, ico, png, polygon, roundedSquare } from './lib/picture.mjs'
import { at, log, PlainError, script } from './lib/root.mjs'

/**
 * `node scripts/icons.mjs`: generates the desktop app's icons from the console's logo. The icons are
 * committed.
 */

/** @typedef {import('./lib/picture.mjs').Shape} Shape */

const indigo = /** @type {const} */ ([0x1e, 0x1b, 0x4b])
const grey = /** @type {const} */ ([0x8a, 0x8f, 0x98])
const red = /** @type {const} */ ([0xdc, 0x26, 0x26])
const black = /** @type {const} */ ([0, 0, 0])

await script(async () => {
  const mark = readMark(readFileSync(at('renderer/public/favicon.svg'), 'utf8'))
  for (const folder of ['build/icons', 'main/icons']) mkdirSync(at(folder), { recursive: true })

  for (const size of [16, 24, 32, 48, 64, 128, 256, 512, 1024])
    writeFileSync(at(`build/icons/${size}x${size}.png`), png(draw(size, mark)))
  writeFileSync(at('build/icon.ico'), ico([16, 24, 32, 48, 64, 128, 256].map((size) => draw(size, mark))))

  // Apple's icon grid: a tile of 824 in 1024 pixels with a corner radius of 185; the logo is three fifths of
  // it.
  const tile = { colour: indigo, alpha: 1, contains: roundedSquare(2.34, 21.66, 4.34) }
  const onTile = [tile, ...mark.map((shape) => scaled(shape, 0.58))]
  /** @param {string} type @param {number} size */
  const entry = (type, size) => /** @type {const} */ ([type, draw(size, onTile)])
  const small = [entry('ic11', 32), entry('ic12', 64), entry('ic07', 128), entry('ic13', 256)]
  const large = [entry('ic08', 256), entry('ic14', 512), entry('ic09', 512), entry('ic10', 1024)]
  writeFileSync(at('build/icon.icns'), icns([...small, ...large]))

  writeFileSync(at('main/icons/icon.png'), png(draw(256, mark)))
  const trays = { tray: mark, 'tray-waiting': tinted(mark, grey), 'tray-failed': tinted(mark, red) }
  for (const [name, shapes] of Object.entries(trays)) tray(name, shapes, 16)
  // A template image: macOS uses only its alpha channel.
  tray('trayTemplate', [{ ...first(mark), colour: black, alpha: 1 }], 18)
  log('icons created')
})

/**
 * Writes a tray icon in both densities, without the margin of other icons.
 * @param {string} name @param {readonly Shape[]} shapes @param {number} size
 */
function tray(name, shapes, size) {
  const box = { from: 1.5, to: 22.5 }
  writeFileSync(at(`main/icons/${name}.png`), png(draw(size, shapes, box)))
  writeFileSync(at(`main/icons/${name}@2x.png`), png(draw(size * 2, shapes, box)))
}

/** Returns the polygons of the logo. @param {string} svg @returns {Shape[]} */
function readMark(svg) {
  if (!svg.includes('viewBox="0 0 24 24"'))
    throw new PlainError('The mark is not drawn in a box of 24 by 24.')
  const paths = [
    ...svg.matchAll(/<path fill="(#[0-9a-f]+)"(?: fill-opacity="([\d.]+)")? d="M([\d. ]+)(H\d+)?z"/g),
  ]
  if (paths.length !== svg.split('<path').length - 1)
    throw new PlainError('The mark has a path that is not a polygon.')
  return paths.map(([, fill = '', opacity = '1', points = '', horizontal]) => {
    const numbers = points.trim().split(' ').map(Number)
    if (horizontal !== undefined) numbers.push(Number(horizontal.slice(1)), numbers.at(-1) ?? 0)
    /** @type {[number, number][]} */
    const corners = []
    for (let i = 0; i < numbers.length; i += 2) corners.push([numbers[i] ?? 0, numbers[i + 1] ?? 0])
    const full = fill.length === 4 ? fill.replace(/[0-9a-f]/g, '$&$&') : fill
    const part = (/** @type {number} */ index) => Number.parseInt(full.slice(index, index + 2), 16)
    return { colour: [part(1), part(3), part(5)], alpha: Number(opacity), contains: polygon(corners) }
  })
}

/** Scales a shape around the centre. @param {Shape} shape @param {number} scale @returns {Shape} */
function scaled({ contains, ...rest }, scale) {
  return { ...rest, contains: (x, y) => contains(12 + (x - 12) / scale, 12 + (y - 12) / scale) }
}

/** @param {readonly Shape[]} shapes @param {Shape['colour']} colour @returns {Shape[]} */
function tinted(shapes, colour) {
  return [{ ...first(shapes), colour }, ...shapes.slice(1)]
}

/** @param {readonly Shape[]} shapes @returns {Shape} */
function first([shape]) {
  if (shape === undefined) throw new PlainError('The mark has no shape.')
  return shape
}
