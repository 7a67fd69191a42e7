import type { Client, ClientApp, ClientState, ClientSummary } from '../../../contract/live/clients.ts'
import { clientStates } from '../../../contract/live/clients.ts'
import { isConsole } from './clients.read.ts'

const predicates: Readonly<Record<ClientState, (client: Client) => boolean>> = {
  behind: ({ behind }) => behind.length > 0,
  missing_key: ({ missing }) => missing.length > 0,
  outdated_sdk: ({ sdk_outdated: isOutdated }) => isOutdated === true,
}

export const isInState = (client: Client, states: readonly ClientState[]): boolean =>
  states.some((state) => predicates[state](client))

function countsOf(clients: readonly Client[]): Record<ClientState, number> {
  const counts = { behind: 0, missing_key: 0, outdated_sdk: 0 }
  for (const client of clients)
    for (const state of clientStates) if (predicates[state](client)) counts[state] += 1
  return counts
}

const distinct = <T extends string>(values: readonly T[]): T[] => [...new Set(values)].toSorted()

const appOf = (app: string, clients: readonly Client[]): ClientApp => ({
  app,
  clients: clients.length,
  ...countsOf(clients),
  environments: distinct(clients.map(({ namespace }) => namespace)),
  client_types: distinct(clients.map(({ client_type: type }) => type)),
  sdk_versions: distinct(clients.flatMap(({ sdk_version: version }) => version ?? [])),
  last_seen_at: clients.reduce((last, { last_seen_at: at }) => (at > last ? at : last), ''),
})

/** Counts clients by state and by app. Sessions of the console are counted separately. */
export function summaryOf(clients: readonly Client[]): ClientSummary {
  const ofApps = clients.filter((client) => !isConsole(client))
  const groups = new Map<string, Client[]>()
  for (const client of ofApps) {
    const group = groups.get(client.app)
    if (group === undefined) groups.set(client.app, [client])
    else group.push(client)
  }
  return {
    clients: ofApps.length,
    consoles: clients.length - ofApps.length,
    ...countsOf(ofApps),
    apps: [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([app, group]) => appOf(app, group)),
  }
}
