// @ts-check
/** @typedef {ReturnType<typeof import('./clients.mjs').createClient>} Client */

/**
 * Counts lost, repeated and reordered frames.
 * @param {readonly Client[]} clients @param {readonly string[]} versions The published versions, as `key
 *   version`.
 */
export function countFrames(clients, versions) {
  const numbers = numbersOf(clients)
  let lost = 0
  let doubled = 0
  for (const client of clients) {
    lost += client.resumes
      ? versions.filter((version) => !client.seen.has(version)).length
      : versions.filter((version) => isMissed(client, version, numbers)).length
    doubled += [...client.seen.values()].filter(({ times }) => times > 1).length
    for (const span of client.spans) {
      const ids = new Set(span.audit)
      doubled += span.audit.length - ids.size
      // More than ten changes in one iteration of the event loop are sent as one frame without an id.
      if (!span.isCollapsed && ids.size > 0)
        lost += Math.max(...span.audit) - Math.min(...span.audit) + 1 - ids.size
    }
  }
  const sum = (/** @type {(client: Client) => number} */ of) =>
    clients.reduce((total, client) => total + of(client), 0)
  return {
    frames: sum((client) => client.frames),
    audit_frames: sum((client) => client.spans.reduce((total, span) => total + span.audit.length, 0)),
    connections: sum((client) => client.connections),
    lost,
    doubled,
    reversed: sum((client) => client.reversed),
    /** An SDK that missed fewer than 5,000 events receives them, and never a resync. */
    resyncs: sum((client) => (client.resumes ? client.resyncs : 0)),
  }
}

/**
 * Returns the sequence number of each version, from the clients that resume.
 * @param {readonly Client[]} clients
 */
function numbersOf(clients) {
  /** @type {Map<string, number>} */
  const numbers = new Map()
  for (const { resumes, seen } of clients)
    if (resumes) for (const [version, { seq }] of seen) numbers.set(version, seq)
  return numbers
}

/**
 * Returns true if the version was announced while a client was connected that did not receive it.
 * @param {Client} client @param {string} version @param {ReadonlyMap<string, number>} numbers
 */
function isMissed({ kind, seen, spans }, version, numbers) {
  const seq = numbers.get(version)
  if (kind === 'browser' || seq === undefined || seen.has(version)) return false
  return spans.some(({ from, to }) => from < seq && seq <= to)
}
