import { Command } from 'commander'
import type { CommandContext } from '../io/command-context.ts'
import { show, table } from '../io/output.ts'
import {
  readServers,
  requireServer,
  thisMachine,
  withoutServer,
  writeServers,
} from '../servers/servers-file.ts'
import { withExamples } from './options.ts'

/** `servers list|use|remove`: the servers that `pair` stored. */
export function serversCommand(context: CommandContext): Command {
  const list = new Command('list')
    .description('List the stored servers, without their tokens. "*" marks the chosen one.')
    .option('--json', 'print JSON instead of text')
    .action(async (options: { json?: boolean }) => {
      const { current, servers } = await readServers(context)
      const shown = servers.map(({ name, address, fingerprint, kind, paired_at }) => ({
        name,
        address,
        fingerprint,
        kind,
        paired_at,
        current: name === current,
      }))
      const rows = shown.map((server) => [
        server.current ? '*' : '',
        server.name,
        server.address,
        server.kind,
        server.paired_at.slice(0, 10),
      ])
      const empty = 'No server is stored. Add one with "promptdeck pair <address>".'
      show(context, options, shown, () =>
        rows.length === 0 ? [empty] : table(['', 'Name', 'Address', 'Kind', 'Paired'], rows),
      )
    })
  const use = new Command('use')
    .description('Choose the server that commands and SDKs use if none is given.')
    .argument('<name>', `name of a stored server, or "${thisMachine}" for the service of this machine`)
    .action(async (name: string) => {
      const all = await readServers(context)
      const current = name.toLowerCase() === thisMachine ? null : requireServer(all, name).name
      await writeServers(context, { ...all, current })
      show(context, {}, null, () => [
        current === null ? 'Commands use the service of this machine.' : `Commands and SDKs use ${current}.`,
      ])
    })
  const remove = new Command('remove')
    .description('Remove a stored server with its token. The device remains until an admin revokes it.')
    .argument('<name>', 'name of a stored server')
    .action(async (name: string) => {
      await writeServers(context, withoutServer(await readServers(context), name))
      show(context, {}, null, () => [
        `Removed ${name}. To make its token invalid, revoke the device on that server.`,
      ])
    })
  return new Command('servers')
    .description('Manage the servers that "promptdeck pair" stored.')
    .addCommand(withExamples(list, 'promptdeck servers list', 'promptdeck servers list --json'))
    .addCommand(withExamples(use, 'promptdeck servers use studio', `promptdeck servers use ${thisMachine}`))
    .addCommand(withExamples(remove, 'promptdeck servers remove studio'))
}
