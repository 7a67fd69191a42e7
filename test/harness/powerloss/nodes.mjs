// @ts-check
import { createHash } from 'node:crypto'

/**
 * A change that is not durable yet: bytes written, or a new size. `seq` orders all changes of the folder.
 * A name change sets a name, drops one, or both at once (rename).
 * @typedef {{ seq: number, at: number, bytes: Buffer } | { seq: number, size: number }} Change
 * @typedef {{ isFolder: boolean, live: Buffer, durable: Buffer, pending: Change[], digest: string | null }} Node
 * @typedef {{ seq: number, set: string | null, drop: string | null, node: Node, isReplacing: boolean, folders: readonly string[] }} NameChange
 */

/** @param {Buffer} content @param {Change} change */
export function applied(content, change) {
  if ('size' in change) {
    if (change.size <= content.length) return content.subarray(0, change.size)
    return Buffer.concat([content, Buffer.alloc(change.size - content.length)])
  }
  const { at, bytes } = change
  const result = Buffer.alloc(Math.max(content.length, at + bytes.length))
  content.copy(result)
  bytes.copy(result, at)
  return result
}

/** @param {boolean} isFolder @returns {Node} */
export const newNode = (isFolder) => ({
  isFolder,
  live: Buffer.alloc(0),
  durable: Buffer.alloc(0),
  pending: [],
  digest: null,
})

/** @param {Map<string, Node>} names @param {NameChange} change */
export function rename(names, { set, drop, node }) {
  if (drop !== null && names.get(drop) === node) names.delete(drop)
  if (set !== null) names.set(set, node)
}

export const digestOf = (/** @type {Buffer} */ bytes) => createHash('sha1').update(bytes).digest('base64')
