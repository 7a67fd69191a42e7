import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { draw, icns, ico, png, polygon, roundedSquare } from './picture.mjs'
import { at, PlainError } from './root.mjs'

/** @typedef {import('./picture.mjs').Shape} Shape */
/** @typedef {{ path: string, bytes: () => Buffer }} Icon A file from the root of the repository, drawn on demand. */

const indigo = /** @type {const} */ ([0x1e, 0x1b, 0x4b])
const grey = /** @type {const} */ ([0x8a, 0x8f, 0x98])
const red = /** @type {const} */ ([0xdc, 0x26, 0x26])
const black = /** @type {const} */ ([0, 0, 0])

/** Writes icons, and creates their folders. @param {readonly Icon[]} icons */
export function writeIcons(icons) {
  for (const { path, bytes } of icons) {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), bytes())
  }
}

/** Returns the icons that electron-builder puts into the installers. @returns {Icon[]} */
export function installerIcons() {
  const mark = readMark()
  return [
    ...[16, 24, 32, 48, 64, 128, 256, 512, 1024].map((size) => ({
      path: `build/icons/${size}x${size}.png`,
      bytes: () => png(draw(size, mark)),
    })),
    {
      path: 'build/icon.ico',
      bytes: () => ico([16, 24, 32, 48, 64, 128, 256].map((size) => draw(size, mark))),
    },
    { path: 'build/icon.icns', bytes: () => appleIcon(mark) },
  ]
}

/** Returns the icons of the windows and of the tray. @returns {Icon[]} */
export function appIcons() {
  const mark = readMark()
  return [
    { path: 'main/icons/icon.png', bytes: () => png(draw(256, mark)) },
    ...trayIcons('tray', mark, 16),
    ...trayIcons('tray-waiting', tinted(mark, grey), 16),
    ...trayIcons('tray-failed', tinted(mark, red), 16),
    // A template image: macOS uses only its alpha channel.
    ...trayIcons('trayTemplate', [{ ...first(mark), colour: black, alpha: 1 }], 18),
  ]
}

/**
 * Returns a tray icon in both densities, without the margin of other icons.
 * @param {string} name @param {readonly Shape[]} shapes @param {number} size @returns {Icon[]}
 */
function trayIcons(name, shapes, size) {
  const box = { from: 1.5, to: 22.5 }
  return [
    { path: `main/icons/${name}.png`, bytes: () => png(draw(size, shapes, box)) },
    { path: `main/icons/${name}@2x.png`, bytes: () => png(draw(size * 2, shapes, box)) },
  ]
}

/**
 * Returns the icon in Apple's grid: a tile of 824 in 1024 pixels with a corner radius of 185; the logo is three
 * fifths of it.
 * @param {readonly Shape[]} mark
 */
function appleIcon(mark) {
  const tile = { colour: indigo, alpha: 1, contains: roundedSquare(2.34, 21.66, 4.34) }
  const onTile = [tile, ...mark.map((shape) => scaled(shape, 0.58))]
  /** @param {string} type @param {number} size */
  const entry = (type, size) => /** @type {const} */ ([type, draw(size, onTile)])
  const small = [entry('ic11', 32), entry('ic12', 64), entry('ic07', 128), entry('ic13', 256)]
  const large = [entry('ic08', 256), entry('ic14', 512), entry('ic09', 512), entry('ic10', 1024)]
  return icns([...small, ...large])
}

/** Returns the polygons of the console's logo. @returns {Shape[]} */
function readMark() {
  const svg = readFileSync(at('renderer/public/favicon.svg'), 'utf8')
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
