import { Command } from 'commander'
import { z } from 'zod'
import { findService } from '../connection/find-service.ts'
import { call } from '../connection/service.ts'
import type { CommandContext } from '../io/command-context.ts'
import { show, table } from '../io/output.ts'
import { type DataOptions, withData, withExamples } from './options.ts'

const Device = z.looseObject({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  user: z.looseObject({ username: z.string() }).nullable(),
  address: z.string(),
  last_seen_at: z.string().nullable(),
})
const Devices = z.object({ data: z.array(Device), total: z.int() })
const Ok = z.object({ ok: z.literal(true) })

/** `devices list|revoke`: paired browsers, desktop apps, SDKs and command lines. */
export function devicesCommand(context: CommandContext): Command {
  const list = new Command('list')
    .description('List paired devices: all of them for admins, else your own.')
    .action(async (options: DataOptions) => {
      const service = await findService(options, context)
      const { data, total } = await call(service, 'GET', '/api/devices?limit=200', Devices)
      const rows = data.map((device) => [
        device.id,
        device.name,
        device.kind,
        device.user?.username ?? '',
        device.address,
        device.last_seen_at ?? '',
      ])
      show(context, options, data, () => [
        ...table(['ID', 'Name', 'Kind', 'User', 'Address', 'Last seen'], rows),
        ...(total > data.length ? [`${total - data.length} more are listed in the console.`] : []),
      ])
    })
  const revoke = new Command('revoke')
    .description('Revoke a device: its token, sessions and live connections end immediately.')
    .argument('<id>', 'ID of the device, as listed')
    .action(async (id: string, options: DataOptions) => {
      const service = await findService(options, context)
      const reply = await call(service, 'DELETE', `/api/devices/${encodeURIComponent(id)}`, Ok)
      show(context, options, reply, () => [`Revoked the device ${id} on ${service.origin}.`])
    })
  return new Command('devices')
    .description('Manage paired devices.')
    .addCommand(withExamples(withData(list), 'promptdeck devices list'))
    .addCommand(
      withExamples(withData(revoke), 'promptdeck devices revoke 019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21'),
    )
}
