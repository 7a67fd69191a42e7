import { hash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const modeOf = (path) => (statSync(path).mode & 0o777).toString(8).padStart(4, '0')

/** Returns files and folders below a cache folder; none if it does not exist. */
function walk(folder) {
  const found = { files: [], folders: [] }
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
      found[entry.isDirectory() ? 'folders' : 'files'].push(join(entry.parentPath ?? entry.path, entry.name))
    found.folders.unshift(folder)
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(error.code)) throw error
  }
  return found
}

/** Returns why a cache folder is not as expected, or null. */
export function filesFinding(folder, { count, mode, folder_mode, without }) {
  const { files, folders } = walk(folder)
  if (count !== undefined && files.length !== count)
    return `there are ${files.length} files, expected ${count}`
  const wrongFile = mode && files.find((path) => modeOf(path) !== mode)
  if (wrongFile) return `a file has mode ${modeOf(wrongFile)}, expected ${mode}`
  const leakingFile = without && files.find((path) => readFileSync(path, 'utf8').includes(without))
  if (leakingFile) return `a file contains ${without}`
  const wrongFolder = folder_mode && folders.find((path) => modeOf(path) !== folder_mode)
  return wrongFolder ? `a folder has mode ${modeOf(wrongFolder)}, expected ${folder_mode}` : null
}

/** Removes the members that copies from before chat prompts do not have. The checksum stays valid. */
function older(text) {
  const { prompt } = JSON.parse(text)
  const isText = typeof prompt === 'string'
  const { type, messages, params, ...rest } = isText ? JSON.parse(prompt) : prompt
  const written = JSON.stringify(rest)
  return JSON.stringify({ sha256: hash('sha256', written, 'hex'), prompt: isText ? written : rest })
}

/**
 * Damages the files, replaces them by older ones, or replaces the folder. Permissions would not work: root may
 * write anywhere.
 */
export function damage(folder, { corrupt, older: isOlder, read_only }) {
  if (read_only) {
    rmSync(folder, { recursive: true, force: true })
    writeFileSync(folder, 'a file in place of the folder')
  }
  if (isOlder) for (const path of walk(folder).files) writeFileSync(path, older(readFileSync(path, 'utf8')))
  if (!corrupt) return
  const { files } = walk(folder)
  if (files.length === 0) throw new Error('No file to damage')
  const texts = files.map((path) => readFileSync(path, 'utf8'))
  const damaged = {
    garbage: () => '\u0000\u0001 not json',
    truncated: (text) => text.slice(0, Math.floor(text.length / 2)),
    empty: () => '',
    foreign: () => '{"hello":"world"}',
    swapped: (_, index) => texts[(index + 1) % texts.length],
  }
  for (const [index, path] of files.entries()) writeFileSync(path, damaged[corrupt](texts[index], index))
}
