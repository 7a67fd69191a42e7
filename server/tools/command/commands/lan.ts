import { Command, Option } from 'commander'
import { z } from 'zod'
import { findService } from '../connection/find-service.ts'
import { call } from '../connection/service.ts'
import type { CommandContext } from '../io/command-context.ts'
import { UsageError } from '../io/failure.ts'
import { show } from '../io/output.ts'
import { type DataOptions, withData, withExamples } from './options.ts'

const Network = z.object({
  data: z.looseObject({
    enabled: z.boolean(),
    state: z.string(),
    port: z.int(),
    addresses: z.array(z.string()),
    name: z.string().nullable(),
    discovery: z.string().optional(),
    fingerprint: z.string().nullable(),
    words: z.array(z.string()),
    certificate: z.looseObject({ not_after: z.string(), source: z.string() }).nullable(),
    blockers: z.array(z.looseObject({ code: z.string(), message: z.string() })),
  }),
})
type Network = z.infer<typeof Network>['data']

type OnOptions = DataOptions & {
  readonly interface?: readonly string[]
  readonly port?: string
  readonly name?: string
  readonly discovery?: 'on' | 'off'
}

const path = '/api/network'

/** `lan on|off|status`: sharing on the local network. */
export function lanCommand(context: CommandContext): Command {
  const change = async (options: OnOptions, enabled: boolean): Promise<void> => {
    const service = await findService(options, context)
    const body = { enabled, ...chosen(options) }
    print(options, (await call(service, 'PUT', path, Network, { body })).data)
  }
  const print = (options: DataOptions, network: Network) =>
    show(context, options, network, () => describe(network))

  const on = new Command('on')
    .description('Share the service over TLS on the local network.')
    .option('--interface <name...>', 'only these network interfaces or addresses, or all')
    .option('--port <number>', 'TCP port (default: 4743)')
    .option('--name <name>', 'name of this server, as others see it')
    .addOption(
      new Option('--discovery <switch>', 'announce this server, so that desktop apps list it').choices([
        'on',
        'off',
      ]),
    )
    .action((options: OnOptions) => change(options, true))
  const off = new Command('off')
    .description('Stop sharing. The service remains available on this machine.')
    .action((options: DataOptions) => change(options, false))
  const status = new Command('status')
    .description('Show whether and where the service is shared, and its fingerprint.')
    .action(async (options: DataOptions) => {
      const service = await findService(options, context)
      print(options, (await call(service, 'GET', path, Network)).data)
    })
  return new Command('lan')
    .description('Share the service on the local network over TLS. Requires the role admin.')
    .addCommand(
      withExamples(
        withData(on),
        'promptdeck lan on',
        'promptdeck lan on --interface eth0 --port 4743',
        'promptdeck lan on --discovery on',
      ),
    )
    .addCommand(withExamples(withData(off), 'promptdeck lan off'))
    .addCommand(withExamples(withData(status), 'promptdeck lan status --json'))
}

function chosen({ interface: interfaces, port, name, discovery }: OnOptions) {
  const number = Number(port)
  if (port !== undefined && !(Number.isInteger(number) && number >= 1 && number <= 65_535))
    throw new UsageError('--port must be a whole number from 1 to 65535.')
  return {
    ...(interfaces !== undefined && { interfaces: interfaces.includes('all') ? null : interfaces }),
    ...(port !== undefined && { port: number }),
    ...(name !== undefined && { name }),
    ...(discovery !== undefined && { discoverable: discovery === 'on' }),
  }
}

function describe(network: Network): readonly string[] {
  const { state, addresses, name, discovery, fingerprint, words, certificate, blockers } = network
  return [
    `Sharing      ${network.enabled ? `on (${state})` : 'off'}`,
    ...(name === null ? [] : [`Name         ${name}`]),
    // Services of earlier versions have no discovery.
    ...(discovery === undefined ? [] : [`Discovery    ${discovery}`]),
    ...addresses.map((address) => `Address      ${address}`),
    ...(fingerprint === null ? [] : [`Fingerprint  ${fingerprint}`, `Words        ${words.join(' ')}`]),
    ...(certificate === null
      ? []
      : [`Certificate  valid until ${certificate.not_after} (${certificate.source})`]),
    ...blockers.map(({ message }) => `Blocked      ${message}`),
  ]
}
