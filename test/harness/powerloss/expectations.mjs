// @ts-check
import { createHash } from 'node:crypto'

/**
 * Data acknowledged to the client, which must exist after a crash. A restore starts a second history: until
 * it has ended, either is correct.
 * @typedef {{ audit: number, runs: Map<number, string>, payloads: Map<number, string>, workspaces:
 *   Map<string, string> }} History
 * @typedef {{ histories: readonly History[], files: ReadonlyMap<string, string> }} Expected
 */

/** @returns {History} */
const newHistory = () => ({ audit: 0, runs: new Map(), payloads: new Map(), workspaces: new Map() })

/** @param {History} history @returns {History} */
const copyOf = (history) => ({
  audit: history.audit,
  runs: new Map(history.runs),
  payloads: new Map(history.payloads),
  workspaces: new Map(history.workspaces),
})

const digestOf = (/** @type {Buffer} */ bytes) => createHash('sha1').update(bytes).digest('base64')

/** @param {import('./disk-model.mjs').Disk} disk */
export function createExpectations(disk) {
  let history = newHistory()
  /** @type {History | null} */
  let next = null
  /** @type {Map<string, History>} */
  const backups = new Map()
  /** Digests of files that are complete from now on, by path. @type {Map<string, string>} */
  const files = new Map()

  /** @param {RegExp} pattern */
  function recordFiles(pattern) {
    for (const path of disk.paths()) {
      const content = disk.content(path)
      if (pattern.test(path) && content !== undefined) files.set(path, digestOf(content))
    }
  }

  /** @param {any} what An entry of the client. */
  function receive(what) {
    switch (what.kind) {
      case 'listening':
      case 'audit':
        // A key is durable before data sealed with it is acknowledged.
        recordFiles(/^\/keys\/[^/]+\.key$/)
        history.audit = Math.max(history.audit, what.id ?? 0)
        break
      case 'runs':
        for (const id of what.ids) history.runs.set(id, what.model)
        break
      case 'payload':
        history.payloads.set(what.id, what.text)
        break
      case 'workspace':
        history.workspaces.set(what.id, what.description)
        break
      case 'backup.begin':
        backups.set(what.nonce, copyOf(history))
        break
      case 'backup.end':
        backups.set(what.id, backups.get(what.nonce) ?? newHistory())
        recordFiles(new RegExp(`^/backups/${what.id}\\.`))
        break
      case 'restore.begin':
        next = copyOf(backups.get(what.id) ?? newHistory())
        break
      case 'restore.end':
        history = next ?? history
        next = null
        break
      default:
        throw new Error(`The expectations do not know ${what.kind}`)
    }
  }

  return {
    receive,
    /** @returns {Expected} */
    now() {
      const intact = [...files].filter(([path, digest]) => {
        const content = disk.content(path)
        return content !== undefined && digestOf(content) === digest
      })
      return { histories: next === null ? [history] : [history, next], files: new Map(intact) }
    },
  }
}
