// @ts-check
import { posix } from 'node:path'
import { crash } from './crash.mjs'
import { applied, newNode, rename } from './nodes.mjs'

/** @typedef {import('./nodes.mjs').Node} Node */
/** @typedef {import('./log.mjs').Entry} Entry */
/** @typedef {import('./crash.mjs').Model} Model */
/** @typedef {{ seq: number, path: string, flags?: string | undefined, node: Node | undefined }} Begun */

/** Returns the parent folder of a path; the data folder is `''`. @param {string} path */
const folderOf = (path) => posix.dirname(path).replace(/^\/$/, '')

/** Replays a log of file calls: tracks the visible content, what is durable, and what is pending. */
export class Disk {
  /** @type {Map<string, Node>} */
  #live = new Map([['', newNode(true)]])
  #durable = new Map(this.#live)
  /** @type {import('./nodes.mjs').NameChange[]} */
  #names = []
  /** @type {Set<Node>} */
  #dirty = new Set()
  /** Open files by process and descriptor. @type {Map<string, { node: Node, path: string, at: number, isAppending: boolean }>} */
  #handles = new Map()
  /** Calls with a separate log entry for their end. @type {Map<string, Begun>} */
  #begun = new Map()
  #seq = 0
  #model
  #isLying

  /** @param {Model} model @param {boolean} isLying If true, syncs are acknowledged without effect. */
  constructor(model, isLying) {
    this.#model = model
    this.#isLying = isLying
  }

  /** Applies one call of the log. @param {Entry} entry */
  step(entry) {
    const call = calls[entry.call]
    if (call === undefined) throw new Error(`The disk model does not know the call ${entry.call}`)
    call(this, entry)
  }

  /** The content that the service sees. @param {string} path */
  content(path) {
    return this.#live.get(path)?.live
  }

  paths() {
    return [...this.#live.keys()]
  }

  pendingCount() {
    return this.#names.length + this.#dirty.size
  }

  /**
   * Returns a possible state after a power loss at this point, chosen by `random`.
   * @param {() => number} random
   */
  crash(random) {
    return crash({ model: this.#model, random, durable: this.#durable, names: this.#names, seq: this.#seq })
  }

  /** @param {Entry} entry */
  handle(entry) {
    return this.#handles.get(`${entry.process}:${entry.fd}`)
  }

  /** @param {Entry} entry @param {Node | undefined} node */
  begin({ id = '', path = '', flags }, node) {
    this.#begun.set(id, { seq: this.#seq, path, flags, node })
  }

  /** @param {Entry} entry */
  opened(entry) {
    const { node, path = '', flags } = this.#begun.get(entry.id ?? '') ?? {}
    if (node === undefined) throw new Error(`${path} was opened and is not known to the model`)
    const isAppending = flags?.startsWith('a') === true
    this.#handles.set(`${entry.process}:${entry.opened}`, { node, path, at: 0, isAppending })
  }

  /** @param {Entry} entry */
  closed(entry) {
    this.#handles.delete(`${entry.process}:${entry.fd}`)
  }

  /** @param {string | null} set @param {string | null} drop @param {Node} node */
  #changeName(set, drop, node) {
    this.#seq += 1
    const folders = [set, drop].flatMap((path) => (path === null ? [] : [folderOf(path)]))
    const isReplacing = set !== null && drop !== null && this.#live.has(set)
    const change = { seq: this.#seq, set, drop, node, isReplacing, folders }
    rename(this.#live, change)
    this.#names.push(change)
  }

  /** @param {Node} node @param {{ at: number, bytes: Buffer } | { size: number }} what */
  #change(node, what) {
    this.#seq += 1
    const change = { seq: this.#seq, ...what }
    node.live = applied(node.live, change)
    node.pending.push(change)
    this.#dirty.add(node)
  }

  /** @param {Node} node @param {number} at @param {Buffer} bytes */
  write(node, at, bytes) {
    if (bytes.length > 0) this.#change(node, { at, bytes })
  }

  /** @param {Node} node @param {number} size */
  truncate(node, size) {
    if (node.live.length !== size) this.#change(node, { size })
  }

  /**
   * Returns the node of an open call, created if the flags allow it.
   * @param {string} path @param {string} flags
   */
  open(path, flags) {
    const known = this.#live.get(path)
    if (known !== undefined) {
      if (flags === 'w' || flags === 'w+') this.truncate(known, 0)
      return known
    }
    if (!/[wa]/.test(flags)) return undefined
    const node = newNode(false)
    this.#changeName(path, null, node)
    return node
  }

  /** @param {string} path */
  remove(path) {
    const node = this.#live.get(path)
    if (node === undefined) return
    for (const [below, child] of [...this.#live]) {
      if (below.startsWith(`${path}/`)) this.#changeName(null, below, child)
    }
    this.#changeName(null, path, node)
  }

  /** @param {string} path @param {boolean} isRecursive */
  makeFolder(path, isRecursive) {
    const parts = path.split('/')
    for (let count = isRecursive ? 2 : parts.length; count <= parts.length; count += 1) {
      const folder = parts.slice(0, count).join('/')
      if (!this.#live.has(folder)) this.#changeName(folder, null, newNode(true))
    }
  }

  /** @param {string} from @param {string} to */
  move(from, to) {
    const node = this.#live.get(from)
    if (node === undefined || from === to) return
    const below = [...this.#live].filter(([path]) => path.startsWith(`${from}/`))
    this.#changeName(to, from, node)
    for (const [path, child] of below) this.#changeName(to + path.slice(from.length), path, child)
  }

  /** Adds a second name of a file. @param {string} from @param {string} to */
  link(from, to) {
    const node = this.#live.get(from)
    if (node !== undefined && !this.#live.has(to)) this.#changeName(to, null, node)
  }

  /** Completes a sync: the state at its start is durable. @param {Entry} entry */
  synced(entry) {
    const sync = this.#begun.get(entry.id ?? '')
    if (this.#isLying || sync?.node === undefined) return
    this.#makeDurable(sync.node, sync.seq)
    const folder = sync.node.isFolder ? sync.path : null
    /** @param {import('./nodes.mjs').NameChange} change */
    const isDone = (change) =>
      change.seq <= sync.seq &&
      (this.#model === 'ext4' || (folder !== null && change.folders.includes(folder)))
    for (const change of this.#names.filter(isDone)) {
      if (this.#model === 'ext4' && change.isReplacing) this.#makeDurable(change.node, change.seq)
      rename(this.#durable, change)
    }
    this.#names = this.#names.filter((change) => !isDone(change))
    if (this.#model !== 'ext4') return
    // The commit contains the sizes of all files; shrinking needs no data.
    for (const node of this.#dirty) {
      const shrinks = node.pending.findLast((change) => 'size' in change && change.seq <= sync.seq)
      if (shrinks !== undefined) this.#makeDurable(node, shrinks.seq)
    }
  }

  /** @param {Node} node @param {number} upTo The last change that is durable. */
  #makeDurable(node, upTo) {
    for (const change of node.pending) {
      if (change.seq <= upTo) node.durable = applied(node.durable, change)
    }
    node.pending = node.pending.filter((change) => change.seq > upTo)
    node.digest = null
    if (node.pending.length === 0) this.#dirty.delete(node)
  }
}

/** @param {Disk} disk @param {Entry} entry */
function write(disk, entry) {
  const handle = disk.handle(entry)
  if (handle === undefined) return
  const at = handle.isAppending ? handle.node.live.length : (entry.position ?? handle.at)
  disk.write(handle.node, at, entry.data)
  if (entry.position === null || entry.position === undefined) handle.at = at + entry.data.length
}

/** @param {Disk} disk @param {Entry} entry */
function writeFile(disk, entry) {
  if (entry.fd !== undefined) return write(disk, entry)
  const node = disk.open(entry.path ?? '', 'w')
  if (node !== undefined) disk.write(node, 0, entry.data)
  // With `flush` its end acts as a sync.
  disk.begin(entry, entry.options?.flush === true ? node : undefined)
}

/** @param {Disk} disk @param {Entry} entry */
const sync = (disk, entry) => disk.begin(entry, disk.handle(entry)?.node)
/** @param {Disk} disk @param {Entry} entry */
const synced = (disk, entry) => disk.synced(entry)
/** @param {Disk} disk @param {Entry} entry */
const remove = (disk, { path = '' }) => disk.remove(path)

/** @type {Readonly<Record<string, (disk: Disk, entry: Entry) => void>>} */
const calls = {
  open: (disk, entry) => disk.begin(entry, disk.open(entry.path ?? '', entry.flags ?? 'r')),
  'open.end': (disk, entry) => disk.opened(entry),
  close: (disk, entry) => disk.closed(entry),
  write,
  writev: write,
  writeFile,
  'writeFile.end': synced,
  fsync: sync,
  fdatasync: sync,
  'fsync.end': synced,
  'fdatasync.end': synced,
  ftruncate(disk, entry) {
    const handle = disk.handle(entry)
    if (handle !== undefined) disk.truncate(handle.node, entry.size ?? 0)
  },
  rename: (disk, { path = '', to = '' }) => disk.move(path, to),
  link: (disk, { path = '', to = '' }) => disk.link(path, to),
  rm: remove,
  rmdir: remove,
  unlink: remove,
  mkdir: (disk, { path = '', options }) => disk.makeFolder(path, options?.recursive === true),
}
