import { hostname } from 'node:os'
import { Command, Option } from 'commander'
import type { CommandContext } from '../io/command-context.ts'
import { UsageError } from '../io/failure.ts'
import { show } from '../io/output.ts'
import { type PairOptions, pair } from '../pairing/pair.ts'
import { serversFile } from '../servers/servers-file.ts'
import { withExamples } from './options.ts'

type Options = Omit<PairOptions, 'name'> & { readonly name?: string; readonly json?: boolean }

/** `pair`: adds this machine as a device of a server on the local network. */
export function pairCommand(context: CommandContext): Command {
  const command = new Command('pair')
    .description(
      'Pair this machine with a server on the local network: trust its CA and store a token, for this command and for SDKs.',
    )
    .argument('<address>', 'host, host:port, or the link of the admin’s page')
    .option('--code <code>', 'one-time code of the admin’s page')
    .option(
      '--fingerprint <hex>',
      'SHA-256 of the CA, instead of comparing it by eye; required without a terminal',
    )
    .addOption(new Option('--kind <kind>', 'what the token is for').choices(['cli', 'sdk']).default('cli'))
    .option('--name <name>', 'name of this device, as admins see it (default: the host name)')
    .option('--as <name>', 'name under which the server is stored (default: its own name)')
    .option('--json', 'print JSON instead of text')
    .action(async (address: string, options: Options) => {
      const { name = hostname() } = options
      if (name.trim() === '' || name.length > 64) throw new UsageError('--name must have 1 to 64 characters.')
      const { token: _token, ca: _ca, ...paired } = await pair(address, { ...options, name }, context)
      show(context, options, paired, () => [
        `Paired with ${paired.name} (${paired.address}).`,
        `Address, CA and token are in ${serversFile(context)}.`,
        `Commands: promptdeck status --server "${paired.name}". SDKs: PROMPTDECK_SERVER="${paired.name}".`,
      ])
    })
  return withExamples(
    command,
    'promptdeck pair desk.local',
    'promptdeck pair 192.168.1.20:4743 --code K7QM-2XPD --fingerprint 5F:2A:…:9C',
    'promptdeck pair desk.local --kind sdk --name "Billing service"',
  )
}
