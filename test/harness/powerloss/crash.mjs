// @ts-check
import { createHash } from 'node:crypto'
import { applied, digestOf, rename } from './nodes.mjs'

/**
 * Possible states of a folder after a power loss. Besides the live content that the service sees, the model
 * stores what is certainly durable and what is pending: changes since the last completed sync.
 *
 * - strict: POSIX guarantees no more than fsync. Pending writes of a file are kept or lost independently,
 *   even if a later one is kept, and torn at 512 bytes. A directory entry (create, rename, unlink) is durable
 *   once its directory was synced; pending ones are kept or lost independently. A rename is atomic: "If the
 *   link named by the new argument exists … a link named new shall remain visible" (POSIX.1-2017, rename()).
 *   Compare Pillai et al., "All File Systems Are Not Created Equal", OSDI 2014, section 3.
 * - ext4: data=ordered with delayed allocation and auto_da_alloc (Linux, Documentation/admin-guide/ext4.rst).
 *   Metadata is one journal: pending changes of names and sizes are kept up to a point, in order; every sync
 *   commits everything before it. A file grows only over written data, so an append is kept up to a length.
 *   An overwrite in place is not ordered: kept or lost, torn at 512 bytes. A rename over an existing file is
 *   kept with its data.
 */
export const models = /** @type {const} */ (['strict', 'ext4'])
/** @typedef {(typeof models)[number]} Model */

const SECTOR = 512

/** @typedef {import('./nodes.mjs').Node} Node */
/** @typedef {import('./nodes.mjs').NameChange} NameChange */

/**
 * Applies some of the sectors of a write.
 * @param {Buffer} content @param {{ seq: number, at: number, bytes: Buffer }} change
 * @param {() => number} random
 */
function torn(content, { seq, at, bytes }, random) {
  let result = content
  const share = random()
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + SECTOR - ((at + from) % SECTOR))
    if (random() < share) result = applied(result, { seq, at: at + from, bytes: bytes.subarray(from, to) })
    from = to
  }
  return result
}

/**
 * Files and folders after a power loss, by path.
 * @typedef {Map<string, { isFolder: boolean, bytes: Buffer, digest: string }>} State
 */

/**
 * The choices of one power loss: what share of the pending changes is kept, how often a write is torn, and
 * the last change of names and sizes that the journal of the file system kept.
 * @typedef {{ readonly share: number, readonly tearing: number, readonly cut: number }} Loss
 */

/** @param {() => number} random @param {number} first @param {number} seq @returns {Loss} */
function chooseLoss(random, first, seq) {
  // Keep everything, nothing, or a share.
  const share = [0, 1, random(), 0.9, 0.5][Math.floor(random() * 5)] ?? 0
  const tearing = random() < 0.5 ? 0.4 : 0
  if (share === 1) return { share, tearing, cut: seq }
  if (share === 0) return { share, tearing, cut: first - 1 }
  return { share, tearing, cut: first - 1 + Math.floor(random() * (seq - first + 2)) }
}

/** @param {{ model: Model, random: () => number, durable: Map<string, Node>, names: readonly NameChange[], seq: number }} options */
export function crash({ model, random, durable, names, seq }) {
  const tree = new Map(durable)
  const loss = chooseLoss(random, names[0]?.seq ?? seq, seq)
  /** @type {Map<Node, number>} */
  const withData = new Map()
  for (const change of names) {
    const isKept = model === 'ext4' ? change.seq <= loss.cut : random() < loss.share
    if (!isKept) continue
    if (model === 'ext4' && change.isReplacing) withData.set(change.node, change.seq)
    rename(tree, change)
  }
  /** @type {State} */
  const files = new Map()
  /** @type {Map<Node, { bytes: Buffer, digest: string }>} */
  const contents = new Map()
  for (const [path, node] of tree) {
    const durableUpTo = withData.get(node) ?? 0
    const content = contents.get(node) ?? contentAfter({ model, node, random, loss, durableUpTo })
    contents.set(node, content)
    // Below a folder whose own name was lost, no file is reachable.
    if (isReachable(tree, path)) files.set(path, { isFolder: node.isFolder, ...content })
  }
  return files
}

/** @param {{ model: Model, node: Node, random: () => number, loss: Loss, durableUpTo: number }} options */
function contentAfter({ model, node, random, loss, durableUpTo }) {
  if (node.pending.length === 0 || node.isFolder) {
    node.digest ??= digestOf(node.durable)
    return { bytes: node.durable, digest: node.digest }
  }
  const bytes =
    model === 'strict' ? strictContent(node, random, loss) : orderedContent(node, random, loss, durableUpTo)
  return { bytes, digest: digestOf(bytes) }
}

/** @param {Map<string, Node>} tree @param {string} path */
function isReachable(tree, path) {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    if (!tree.has(path.slice(0, at))) return false
  }
  return true
}

/** @param {Node} node @param {() => number} random @param {Loss} loss */
function strictContent(node, random, { share, tearing }) {
  let bytes = node.durable
  for (const change of node.pending) {
    if (random() >= share && share !== 1) continue
    const isTorn = 'bytes' in change && random() < tearing
    bytes = isTorn ? torn(bytes, change, random) : applied(bytes, change)
  }
  return bytes
}

/** @param {Node} node @param {() => number} random @param {Loss} loss @param {number} durableUpTo */
function orderedContent(node, random, { share, tearing, cut }, durableUpTo) {
  /** @type {Buffer} */
  let bytes = node.durable
  /** @type {boolean} */
  let isGrowing = true
  for (const change of node.pending) {
    if (change.seq <= durableUpTo) bytes = applied(bytes, change)
    else if ('size' in change) bytes = resized(bytes, change, cut)
    else if (change.at + change.bytes.length > bytes.length) {
      /** @type {boolean} */
      const isKept = isGrowing && change.at <= bytes.length && random() < share
      const length = appendedLength(change.bytes.length, isKept, random, tearing)
      if (isKept) bytes = applied(bytes, { ...change, bytes: change.bytes.subarray(0, length) })
      isGrowing = isKept && length === change.bytes.length
    } else bytes = overwritten(bytes, change, random, { share, tearing })
  }
  return bytes
}

/** @param {Buffer} bytes @param {{ seq: number, size: number }} change @param {number} cut */
const resized = (bytes, change, cut) => (change.seq <= cut ? applied(bytes, change) : bytes)

/**
 * Returns how much of an append is kept. Bytes after a gap are lost.
 * @param {number} length @param {boolean} isKept @param {() => number} random @param {number} tearing
 */
const appendedLength = (length, isKept, random, tearing) =>
  isKept && random() >= tearing ? length : Math.floor(random() * length)

/**
 * @param {Buffer} bytes @param {{ seq: number, at: number, bytes: Buffer }} change
 * @param {() => number} random @param {Pick<Loss, 'share' | 'tearing'>} loss
 */
function overwritten(bytes, change, random, { share, tearing }) {
  if (random() >= share) return bytes
  return random() < tearing ? torn(bytes, change, random) : applied(bytes, change)
}

/** Returns the digest of a state: names and contents. @param {State} files */
export function digestState(files) {
  const hash = createHash('sha256')
  for (const path of [...files.keys()].toSorted()) hash.update(`${path}\0${files.get(path)?.digest}\0`)
  return hash.digest('hex')
}
