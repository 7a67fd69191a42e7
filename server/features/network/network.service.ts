import type { z } from 'zod'
import type { Network, UpdateNetworkBody } from '../../../contract/system/network.ts'
import type { LanConfig } from '../../config-lan.ts'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Sharing } from '../../lan/sharing.ts'
import type { Blocker, SharingStatus } from '../../lan/sharing-state.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { type NetworkMemory, storeNetwork } from './network.memory.ts'
import { readNetwork, type StoredNetwork } from './network.store.ts'

type UpdateBody = z.output<typeof UpdateNetworkBody>

export type NetworkServiceDeps = {
  readonly db: Db
  readonly history: History
  readonly config: LanConfig
  readonly memory: NetworkMemory
  readonly sharing: Sharing
  readonly refusals: () => readonly Blocker[]
}

export type NetworkService = {
  get(): Network
  update(ctx: Context, body: UpdateBody): Promise<Network>
  replaceAuthority(ctx: Context): Promise<Network>
}

export function createNetworkService(deps: NetworkServiceDeps): NetworkService {
  return {
    get: () => toWire(deps, deps.sharing.status()),
    update: (ctx, body) => update(deps, ctx, body),
    replaceAuthority: (ctx) => replaceAuthority(deps, ctx),
  }
}

async function update(deps: NetworkServiceDeps, ctx: Context, body: UpdateBody): Promise<Network> {
  requireChangeable(deps, body)
  await deps.db.write(async (tx) => {
    const before = await readNetwork(tx.q)
    const after: StoredNetwork = { ...before, ...definedFields(body) }
    if (JSON.stringify(before) === JSON.stringify(after)) return
    if (after.enabled && !before.enabled) requireNoDefaults(deps.refusals())
    const updated = { at: ctx.now.toISOString(), by: ctx.actor.name }
    await storeNetwork(deps.memory, tx, ctx, { ...after, updated })
    await deps.history.record(tx, ctx, {
      action: 'setting_change',
      resource: 'network',
      resourceId: 'network',
      key: null,
      summary: summaryOf(before, after),
      before: fieldsOf(before),
      after: fieldsOf(after),
      changed: 'setting',
    })
  })
  return toWire(deps, await deps.sharing.check())
}

/** Creates a new local authority. The fingerprint is stored before any device can see it. */
async function replaceAuthority(deps: NetworkServiceDeps, ctx: Context): Promise<Network> {
  if (deps.config.own !== null) {
    throw fail('request.invalid', {
      detail: 'The certificate is set by TLS_CERT and TLS_KEY; unset them to use a local authority.',
    })
  }
  const before = deps.memory.stored().authority
  const after = await deps.sharing.replaceAuthority()
  await deps.db.write((tx) =>
    deps.history.record(tx, ctx, {
      action: 'create',
      resource: 'network',
      resourceId: 'authority',
      key: null,
      summary: 'Created a new certificate authority; every device has to trust it again',
      before: { fingerprint: before },
      after: { fingerprint: after },
      changed: 'setting',
    }),
  )
  return toWire(deps, deps.sharing.status())
}

function requireNoDefaults(refusals: readonly Blocker[]): void {
  if (refusals.length === 0) return
  throw fail('network.defaults_in_use', { detail: refusals.map(({ message }) => message).join(' ') })
}

/** The environment variable that determines each field, if it is set. */
const fixedBy = ({ isOn, interfaces, port, name, isDiscoverable }: LanConfig) =>
  [
    ['enabled', 'LAN', isOn],
    ['interfaces', 'LAN_INTERFACES', interfaces],
    ['port', 'LAN_PORT', port],
    ['name', 'LAN_NAME', name],
    ['discoverable', 'LAN_DISCOVERY', isDiscoverable],
  ] as const

function requireChangeable({ config, memory }: NetworkServiceDeps, body: UpdateBody): void {
  for (const [field, variable, value] of fixedBy(config)) {
    if (value === null || body[field] === undefined) continue
    // `enabled` is required in each request, so its current value is accepted.
    if (field === 'enabled' && body.enabled === memory.choice().isEnabled) continue
    throw invalid(
      field,
      `This is set by the environment variable ${variable}; unset it to change the setting here`,
    )
  }
}

const definedFields = ({
  enabled,
  interfaces,
  port,
  name,
  discoverable,
}: UpdateBody): Partial<StoredNetwork> => ({
  enabled,
  ...(interfaces !== undefined && { interfaces }),
  ...(port !== undefined && { port }),
  ...(name !== undefined && { name }),
  ...(discoverable !== undefined && { discoverable }),
})

const fieldsOf = ({ enabled, interfaces, port, name, discoverable }: StoredNetwork) => ({
  enabled,
  interfaces,
  port,
  name,
  discoverable,
})

function summaryOf(before: StoredNetwork, after: StoredNetwork): string {
  if (before.enabled === after.enabled && before.discoverable !== after.discoverable)
    return `Turned discovery on the local network ${after.discoverable ? 'on' : 'off'}`
  if (before.enabled === after.enabled) return 'Changed how the service is shared on the local network'
  return after.enabled ? 'Shared the service on the local network' : 'Stopped sharing on the local network'
}

function toWire({ config, memory }: NetworkServiceDeps, status: SharingStatus): Network {
  const { isEnabled, interfaces, isDiscoverable } = memory.choice()
  const { credentials, words } = status
  const own = config.own === null ? [] : ['TLS_CERT', 'TLS_KEY']
  return {
    enabled: isEnabled,
    state: status.state,
    port: status.port,
    interfaces: status.interfaces.map(({ name, address, isSelected }) => ({
      name,
      address,
      selected: isSelected,
    })),
    chosen_interfaces: interfaces === null ? null : [...interfaces],
    addresses: [...status.origins],
    name: status.name,
    discoverable: isDiscoverable,
    discovery: status.discovery,
    fingerprint: credentials?.fingerprint ?? null,
    words: [...words],
    certificate:
      credentials === null
        ? null
        : {
            not_after: credentials.notAfter.toISOString(),
            authority_not_after: credentials.authorityNotAfter.toISOString(),
            source: credentials.source,
          },
    blockers: status.blockers.map((blocker) => ({ ...blocker })),
    fixed: [...fixedBy(config).flatMap(([, variable, value]) => (value === null ? [] : [variable])), ...own],
    updated: memory.stored().updated,
  }
}
