import type { KeyPlace, KeyUser, KeyUsers } from '../../resources/key-users.ts'
import type { Entry } from './client-entry.ts'

const isInPlace = (entry: Entry, { workspace, env }: Omit<KeyPlace, 'key'>): boolean =>
  entry.workspaceId !== null && entry.identification.namespace === env && entry.workspace === workspace

/** Returns true if the client subscribed to the key or acknowledged a version of it. */
const uses = (entry: Entry, key: string): boolean => entry.keys.has(key) || entry.acked.has(key)

const hasNoKeys = (entry: Entry): boolean => entry.keys.size === 0 && entry.acked.size === 0

const toUser = (entry: Entry, key: string): KeyUser => ({
  id: entry.id,
  clientType: entry.identification.clientType,
  app: entry.identification.app,
  instanceId: entry.identification.instanceId,
  username: entry.username,
  remoteAddr: entry.remoteAddr,
  connectedAt: entry.connectedAt,
  disconnectedAt: entry.disconnectedAt,
  acked: entry.acked.get(key) ?? null,
})

/**
 * Returns the clients of a key. `gone` disconnected within the last hour, the latest first; `silent` reported
 * no key at all.
 */
export function usersOf(
  { live, gone }: { readonly live: readonly Entry[]; readonly gone: readonly Entry[] },
  place: KeyPlace,
): KeyUsers {
  const connected = live.filter((entry) => isInPlace(entry, place))
  const matching = gone.filter((entry) => isInPlace(entry, place) && uses(entry, place.key))
  const toUsers = (entries: readonly Entry[]) => entries.map((entry) => toUser(entry, place.key))
  return {
    live: toUsers(connected.filter((entry) => uses(entry, place.key))),
    gone: toUsers(matching.toReversed()),
    silent: toUsers(connected.filter(hasNoKeys)),
  }
}

/** Returns a function that counts the clients of a key. Clients are grouped once, for many keys. */
export function usageOf(live: readonly Entry[]): (place: KeyPlace) => number {
  const places = new Map<string, Entry[]>()
  for (const entry of live) {
    if (entry.workspaceId === null) continue
    const place = `${entry.workspace} ${entry.identification.namespace}`
    const entries = places.get(place)
    if (entries === undefined) places.set(place, [entry])
    else entries.push(entry)
  }
  return ({ workspace, env, key }) =>
    (places.get(`${workspace} ${env}`) ?? []).filter((entry) => uses(entry, key)).length
}
