import { crc32, deflateSync } from 'node:zlib'

/**
 * A shape of one colour. `contains` returns true for a point inside it (in units of a 24 by 24 box).
 * @typedef {{ colour: readonly [number, number, number], alpha: number, contains: (x: number, y: number) => boolean }} Shape
 * @typedef {{ size: number, pixels: Buffer }} Picture RGBA, from the top, not premultiplied
 */

/** Samples per pixel and direction: edges have 16 shades. */
const samples = 4

/**
 * Draws shapes, the last on top. `box` is the part of the 24 by 24 units that the picture shows.
 * @param {number} size @param {readonly Shape[]} shapes @param {{ from: number, to: number }} [box] @returns {Picture}
 */
export function draw(size, shapes, { from, to } = { from: 0, to: 24 }) {
  const pixels = Buffer.alloc(size * size * 4)
  const unit = (to - from) / size / samples
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const sum = [0, 0, 0, 0]
      for (let sample = 0; sample < samples ** 2; sample++) {
        const x = from + (column * samples + (sample % samples) + 0.5) * unit
        const y = from + (row * samples + Math.floor(sample / samples) + 0.5) * unit
        over(sum, shapes, x, y)
      }
      const alpha = sum[3] ?? 0
      const at = (row * size + column) * 4
      for (let i = 0; i < 3; i++) pixels[at + i] = alpha === 0 ? 0 : Math.round((sum[i] ?? 0) / alpha)
      pixels[at + 3] = Math.round((alpha * 255) / samples ** 2)
    }
  return { size, pixels }
}

/**
 * Adds one sample: its colour multiplied by its alpha.
 * @param {number[]} sum @param {readonly Shape[]} shapes @param {number} x @param {number} y
 */
function over(sum, shapes, x, y) {
  let [r, g, b, a] = [0, 0, 0, 0]
  for (const { colour, alpha, contains } of shapes) {
    if (!contains(x, y)) continue
    const rest = 1 - alpha
    r = colour[0] * alpha + r * rest
    g = colour[1] * alpha + g * rest
    b = colour[2] * alpha + b * rest
    a = alpha + a * rest
  }
  for (const [index, value] of [r, g, b, a].entries()) sum[index] = (sum[index] ?? 0) + value
}

/** @param {readonly (readonly [number, number])[]} corners @returns {Shape['contains']} */
export const polygon = (corners) => (x, y) => {
  let isIn = false
  for (const [index, [x1, y1]] of corners.entries()) {
    const [x2, y2] = corners.at(index - 1) ?? [0, 0]
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isIn = !isIn
  }
  return isIn
}

/** @param {number} from @param {number} to @param {number} radius @returns {Shape['contains']} */
export const roundedSquare = (from, to, radius) => (x, y) => {
  const dx = Math.max(from + radius - x, x - (to - radius), 0)
  const dy = Math.max(from + radius - y, y - (to - radius), 0)
  return dx * dx + dy * dy <= radius * radius
}

/** Returns a PNG: with a palette if the picture has at most 256 colours, which halves the file. @param {Picture} picture */
export function png(picture) {
  const colours = [...new Set(coloursOf(picture))]
  if (colours.length > 256) return rgbaPng(picture)
  const indexOf = new Map(colours.map((colour, index) => [colour, index]))
  const bytes = colours.map((colour) => [
    colour >>> 24,
    (colour >>> 16) & 255,
    (colour >>> 8) & 255,
    colour & 255,
  ])
  return assemble(
    picture.size,
    3,
    Buffer.from(coloursOf(picture).map((colour) => indexOf.get(colour) ?? 0)),
    chunk('PLTE', Buffer.from(bytes.flatMap((colour) => colour.slice(0, 3)))),
    chunk('tRNS', Buffer.from(bytes.map(([, , , alpha]) => alpha ?? 0))),
  )
}

/** Returns the colour of each pixel as a number. @param {Picture} picture */
const coloursOf = ({ size, pixels }) =>
  Array.from({ length: size * size }, (_, at) => pixels.readUInt32BE(at * 4))

/** Returns a PNG without a palette, the only kind that Windows icons may contain. @param {Picture} picture */
const rgbaPng = ({ size, pixels }) => assemble(size, 6, pixels)

/** @param {number} size @param {3 | 6} colourType palette or RGBA @param {Buffer} pixels @param {Buffer[]} palette */
function assemble(size, colourType, pixels, ...palette) {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, colourType, 0, 0, 0], 8)
  const rowBytes = pixels.length / size
  // Each row is preceded by its filter type: none.
  const rows = Array.from({ length: size }, (_, row) =>
    Buffer.concat([Buffer.of(0), pixels.subarray(row * rowBytes, (row + 1) * rowBytes)]),
  )
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...palette,
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const head = Buffer.alloc(4)
  head.writeUInt32BE(data.length)
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(crc32(body))
  return Buffer.concat([head, body, tail])
}

/**
 * Returns a Windows icon: from 64 pixels as PNG, smaller sizes as bitmaps, the only format that old programs
 * support.
 * @param {readonly Picture[]} pictures
 */
export function ico(pictures) {
  const images = pictures.map((picture) => (picture.size >= 64 ? rgbaPng(picture) : bitmap(picture)))
  let offset = 6 + 16 * images.length
  const entries = images.map((image, index) => {
    const entry = Buffer.alloc(16)
    const side = (pictures[index]?.size ?? 0) % 256
    entry.set([side, side, 0, 0, 1, 0, 32, 0])
    entry.writeUInt32LE(image.length, 8)
    entry.writeUInt32LE(offset, 12)
    offset += image.length
    return entry
  })
  return Buffer.concat([Buffer.from([0, 0, 1, 0, images.length, 0]), ...entries, ...images])
}

/**
 * Returns a device-independent bitmap: BGRA rows from the bottom, then a mask that is unused because of the
 * alpha.
 * @param {Picture} picture
 */
function bitmap({ size, pixels }) {
  const header = Buffer.alloc(40)
  header.writeUInt32LE(40, 0)
  header.writeInt32LE(size, 4)
  header.writeInt32LE(size * 2, 8)
  header.writeUInt16LE(1, 12)
  header.writeUInt16LE(32, 14)
  const rows = Array.from({ length: size }, (_, index) => {
    const row = Buffer.from(pixels.subarray((size - 1 - index) * size * 4, (size - index) * size * 4))
    for (let at = 0; at < row.length; at += 4) row.set([row[at + 2] ?? 0, row[at + 1] ?? 0, row[at] ?? 0], at)
    return row
  })
  return Buffer.concat([header, ...rows, Buffer.alloc(Math.ceil(size / 32) * 4 * size)])
}

/**
 * Returns a macOS icon with a type for each size.
 * @param {readonly (readonly [type: string, picture: Picture])[]} pictures
 */
export function icns(pictures) {
  const body = Buffer.concat(pictures.map(([type, picture]) => named(type, png(picture))))
  return named('icns', body)
}

/** @param {string} type @param {Buffer} data */
function named(type, data) {
  const head = Buffer.alloc(8)
  head.write(type, 0, 'latin1')
  head.writeUInt32BE(data.length + 8, 4)
  return Buffer.concat([head, data])
}
