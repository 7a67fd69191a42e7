// @ts-check
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/** @param {string} file @param {number} at @param {Uint8Array} bytes */
function overwrite(file, at, bytes) {
  const handle = openSync(file, 'r+')
  writeSync(handle, bytes, 0, bytes.length, at)
  closeSync(handle)
}

/** @param {string} file @param {number} share Of the length, 0 to 1. */
function flip(file, share) {
  const bytes = readFileSync(file)
  const at = Math.min(Math.floor(bytes.length * share), bytes.length - 1)
  overwrite(file, at, Uint8Array.of((bytes[at] ?? 0) ^ 1))
}

/**
 * A kind of damage to the file `path` of `folder`; `older` is an earlier copy of the folder. Returns false if
 * it does not apply, or the path of a file that is unreadable from then on.
 * @typedef {{ readonly name: string, apply(folder: string, path: string, older: string): boolean | string }}
 *   Kind
 */

const hasBytes = (/** @type {string} */ file) => statSync(file).size > 0

/**
 * Returns the next file with the same extension in the same folder.
 * @param {string} folder @param {string} path
 */
function neighbour(folder, path) {
  const at = path.lastIndexOf('/')
  const ending = path.slice(path.lastIndexOf('.'))
  const names = readdirSync(join(folder, path.slice(0, Math.max(at, 0))))
  const name = names.find((candidate) => candidate.endsWith(ending) && candidate !== path.slice(at + 1))
  return name === undefined ? null : path.slice(0, at + 1) + name
}

/** @type {readonly Kind[]} */
export const kinds = [
  { name: 'a bit flipped at the start', apply: change((file) => flip(file, 0)) },
  { name: 'a bit flipped in the header', apply: change((file) => flip(file, 0.01)) },
  { name: 'a bit flipped in the middle', apply: change((file) => flip(file, 0.5)) },
  { name: 'a bit flipped at the end', apply: change((file) => flip(file, 1)) },
  { name: 'truncated to nothing', apply: change((file) => truncateSync(file, 0)) },
  {
    name: 'truncated to half',
    apply: change((file) => truncateSync(file, Math.floor(statSync(file).size / 2))),
  },
  { name: 'truncated by a byte', apply: change((file) => truncateSync(file, statSync(file).size - 1)) },
  {
    name: 'a block of zeros',
    apply: change((file) => {
      const { size } = statSync(file)
      const length = Math.min(512, size)
      overwrite(file, Math.floor((size - length) / 2), Buffer.alloc(length))
    }),
  },
  { name: 'garbage appended', apply: change((file) => appendFileSync(file, Buffer.alloc(700, 'rubbish '))) },
  {
    name: 'replaced by an older copy',
    apply(folder, path, older) {
      const copy = join(older, path)
      if (!existsSync(copy) || readFileSync(copy).equals(readFileSync(join(folder, path)))) return false
      cpSync(copy, join(folder, path))
      return true
    },
  },
  {
    name: 'swapped with its neighbour',
    apply(folder, path) {
      const other = neighbour(folder, path)
      if (other === null) return false
      renameSync(join(folder, path), join(folder, `${path}.swap`))
      renameSync(join(folder, other), join(folder, path))
      renameSync(join(folder, `${path}.swap`), join(folder, other))
      return true
    },
  },
  {
    name: 'deleted',
    apply(folder, path) {
      rmSync(join(folder, path))
      return true
    },
  },
  {
    name: 'replaced by a directory',
    apply(folder, path) {
      rmSync(join(folder, path))
      mkdirSync(join(folder, path))
      return true
    },
  },
  // The file layer refuses access, because root may read every file.
  { name: 'unreadable', apply: (_folder, path) => path },
]

/** @param {(file: string) => void} damage @returns {Kind['apply']} */
function change(damage) {
  return (folder, path) => {
    const file = join(folder, path)
    if (!hasBytes(file)) return false
    const before = readFileSync(file)
    damage(file)
    return !readFileSync(file).equals(before)
  }
}

/**
 * Returns the regular files of the data folder as relative paths.
 * @param {string} folder @returns {string[]}
 */
export function filesOf(folder) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .toSorted()
}
