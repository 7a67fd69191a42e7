// @ts-check
import { createHash } from 'node:crypto'

/**
 * Data acknowledged to the client, which must exist after a crash. A restore starts a second history: until
 * it has ended, either is correct.
 * @typedef {{ audit: number, runs: Map<number, string>, payloads: Map<number, string>, workspaces:
 *   Map<string, string> }} Line
 * @typedef {{ lines: readonly Line[], files: ReadonlyMap<string, string> }} Expected
 */

/** @returns {Line} */
const newLine = () => ({ audit: 0, runs: new Map(), payloads: new Map(), workspaces: new Map() })

/** @param {Line} line @returns {Line} */
const copyOf = (line) => ({
  audit: line.audit,
  runs: new Map(line.runs),
  payloads: new Map(line.payloads),
  workspaces: new Map(line.workspaces),
})

const digestOf = (/** @type {Buffer} */ bytes) => createHash('sha1').update(bytes).digest('base64')

/** @param {import('./disk-model.mjs').Disk} disk */
export function createExpectations(disk) {
  let line = newLine()
  /** @type {Line | null} */
  let next = null
  /** @type {Map<string, Line>} */
  const backups = new Map()
  /** Digests of files that are complete from now on, by path. @type {Map<string, string>} */
  const files = new Map()

  /** @param {RegExp} pattern */
  function keep(pattern) {
    for (const path of disk.paths()) {
      const content = disk.content(path)
      if (pattern.test(path) && content !== undefined) files.set(path, digestOf(content))
    }
  }

  /** @param {any} what An entry of the client. */
  function hear(what) {
    switch (what.kind) {
      case 'listening':
      case 'audit':
        // A key is durable before data sealed with it is acknowledged.
        keep(/^\/keys\/[^/]+\.key$/)
        line.audit = Math.max(line.audit, what.id ?? 0)
        break
      case 'runs':
        for (const id of what.ids) line.runs.set(id, what.model)
        break
      case 'payload':
        line.payloads.set(what.id, what.text)
        break
      case 'workspace':
        line.workspaces.set(what.id, what.description)
        break
      case 'backup.begin':
        backups.set(what.nonce, copyOf(line))
        break
      case 'backup.end':
        backups.set(what.id, backups.get(what.nonce) ?? newLine())
        keep(new RegExp(`^/backups/${what.id}\\.`))
        break
      case 'restore.begin':
        next = copyOf(backups.get(what.id) ?? newLine())
        break
      case 'restore.end':
        line = next ?? line
        next = null
        break
      default:
        throw new Error(`The expectations do not know ${what.kind}`)
    }
  }

  return {
    hear,
    /** @returns {Expected} */
    now() {
      const whole = [...files].filter(([path, digest]) => {
        const content = disk.content(path)
        return content !== undefined && digestOf(content) === digest
      })
      return { lines: next === null ? [line] : [line, next], files: new Map(whole) }
    },
  }
}
