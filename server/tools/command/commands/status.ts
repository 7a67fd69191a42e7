import { Command } from 'commander'
import { z } from 'zod'
import { findService } from '../connection/find-service.ts'
import { call, type Service } from '../connection/service.ts'
import type { CommandContext } from '../io/command-context.ts'
import { show } from '../io/output.ts'
import { type DataOptions, withData, withExamples } from './options.ts'

const Health = z.object({
  status: z.string(),
  version: z.string(),
  reason: z.string().optional(),
  defaults: z.object({ password: z.boolean(), token: z.boolean() }).optional(),
})
const Me = z.object({ username: z.string(), role: z.string(), auth: z.string() })

const viaTexts: Readonly<Record<Service['via'], string>> = {
  local: 'this machine',
  stored: 'stored server',
  address: 'given address',
}

/** `status`: the service in use, its version, and who the caller is for it. */
export function statusCommand(context: CommandContext): Command {
  const command = new Command('status')
    .description('Show the service in use: its address, state and version, and the account that you use.')
    .action(async (options: DataOptions) => {
      const service = await findService(options, context)
      const health = await call(service, 'GET', '/health', Health)
      const me = service.token() === null ? null : await call(service, 'GET', '/api/me', Me)
      const { origin: address, via, name } = service
      const user = me && { name: me.username, role: me.role, auth: me.auth }
      show(context, options, { address, via, server: name, ...health, user }, () => [
        `Address  ${address} (${name ?? viaTexts[via]})`,
        `State    ${health.status}${health.reason === undefined ? '' : `: ${health.reason}`}`,
        `Version  ${health.version}`,
        `You are  ${me === null ? 'not signed in (no token)' : `${me.username} (${me.role})`}`,
        ...defaultsIn(health),
      ])
    })
  return withExamples(
    withData(command),
    'promptdeck status',
    'promptdeck status --json',
    'promptdeck status --server studio',
  )
}

function defaultsIn({ defaults }: z.infer<typeof Health>): readonly string[] {
  const active = [defaults?.password && 'the admin password', defaults?.token && 'the service token']
  const names = active.filter(Boolean)
  return names.length === 0 ? [] : [`Warning  Built-in credentials are active: ${names.join(' and ')}`]
}
