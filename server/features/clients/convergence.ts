import { environments } from '../../../contract/common/environments.ts'
import type { Client, ClientType } from '../../../contract/live/clients.ts'
import { sdkVersions } from '../../../contract/prompts/sdk.ts'
import type { ConnectedClient } from '../../resources/connected-client.ts'

/** Keys in an environment of a workspace. The workspace is its slug. */
export type KeysOfPlace = {
  readonly workspace: string
  readonly env: (typeof environments)[number]
  readonly keys: readonly string[]
}
/** Returns the served version by key. Keys that are not served are absent. */
export type ServedVersions = (place: KeysOfPlace) => Promise<ReadonlyMap<string, string>>

const keysOf = (client: ConnectedClient): string[] => [
  ...new Set([...client.keys, ...client.acked.map(({ key }) => key)]),
]

const noVersions: ReadonlyMap<string, string> = new Map()

const byNumber = new Intl.Collator('en', { numeric: true })

/**
 * Returns true if this service was released with a newer SDK; null if the version is not a release number.
 */
function isOutdated(type: ClientType, version: string | null): boolean | null {
  if (version === null || !/^\d+\.\d+\.\d+$/.test(version)) return null
  return byNumber.compare(version, sdkVersions[type]) < 0
}

/**
 * Adds to each client which of its keys are outdated or not served. Makes one query per environment and
 * workspace.
 */
export async function withConvergence(
  clients: readonly ConnectedClient[],
  servedVersions: ServedVersions,
): Promise<Client[]> {
  const groups = new Map<string, ConnectedClient[]>()
  for (const client of clients) {
    const place = `${client.namespace} ${client.workspaceId} ${client.workspace}`
    const group = groups.get(place)
    if (group === undefined) groups.set(place, [client])
    else group.push(client)
  }
  const served = new Map<ConnectedClient, ReadonlyMap<string, string>>()
  for (const group of groups.values()) {
    const [first] = group
    const env = environments.find((name) => name === first?.namespace)
    const keys = [...new Set(group.flatMap(keysOf))]
    if (first === undefined || env === undefined || keys.length === 0) continue
    // A client may name a workspace that does not exist for it: it must not get what is served there.
    const isBound = first.workspaceId !== null
    const versions = isBound ? await servedVersions({ workspace: first.workspace, env, keys }) : noVersions
    for (const client of group) served.set(client, versions)
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
