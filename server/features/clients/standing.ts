import type { Client, ClientType } from '../../../contract/clients.ts'
import { environments } from '../../../contract/live.ts'
import { sdkVersions } from '../../../contract/sdk.ts'
import type { ConnectedClient } from '../../lib/connected-client.ts'

/** Keys of an environment of a workspace, which is named by its slug. */
export type KeysOfPlace = {
  readonly workspace: string
  readonly env: (typeof environments)[number]
  readonly keys: readonly string[]
}
/** The version served under each of the keys; what is not served is not in it. */
export type ServedVersions = (place: KeysOfPlace) => Promise<ReadonlyMap<string, string>>

const keysOf = (client: ConnectedClient): string[] => [
  ...new Set([...client.keys, ...client.acked.map((one) => one.key)]),
]

const inOrder = new Intl.Collator('en', { numeric: true })

/** Whether a newer release came with this service; null for what tells no release. */
function isOutdated(type: ClientType, version: string | null): boolean | null {
  if (version === null || !/^\d+\.\d+\.\d+$/.test(version)) return null
  return inOrder.compare(version, sdkVersions[type]) < 0
}

/** Each client with how it stands to what is served where it listens. Asks once for each place. */
export async function withStanding(
  clients: readonly ConnectedClient[],
  servedVersions: ServedVersions,
): Promise<Client[]> {
  const places = new Map<string, ConnectedClient[]>()
  for (const client of clients) {
    const place = `${client.namespace} ${client.workspace}`
    const there = places.get(place)
    if (there === undefined) places.set(place, [client])
    else there.push(client)
  }
  const served = new Map<ConnectedClient, ReadonlyMap<string, string>>()
  for (const there of places.values()) {
    const [first] = there
    const env = environments.find((one) => one === first?.namespace)
    const keys = [...new Set(there.flatMap(keysOf))]
    if (first === undefined || env === undefined || keys.length === 0) continue
    const versions = await servedVersions({ workspace: first.workspace, env, keys })
    for (const client of there) served.set(client, versions)
  }
  return clients.map((client) => {
    const versions = served.get(client)
    return {
      ...client,
      sdk_outdated: isOutdated(client.client_type, client.sdk_version),
      behind: client.acked
        .filter(({ key, version }) => (versions?.get(key) ?? version) !== version)
        .map(({ key }) => key),
      missing: versions === undefined ? [] : keysOf(client).filter((key) => !versions.has(key)),
    }
  })
}
