import { Command, Option } from 'commander'
import { environments } from '../../../../contract/common/environments.ts'
import { findService, requireLocalService, type ServiceOptions } from '../connection/find-service.ts'
import { pathAt } from '../connection/service.ts'
import type { CommandContext } from '../io/command-context.ts'
import { withExamples, withService } from './options.ts'

type Options = ServiceOptions & { readonly workspace?: string; readonly env?: string }

/** `mcp`: connects an MCP client on stdin and stdout to the service. */
export function mcpCommand(context: CommandContext): Command {
  const command = new Command('mcp')
    .description('Connect an MCP client on stdin and stdout to the service, until stdin ends.')
    .option('--workspace <slug>', 'list only prompts of this workspace')
    .addOption(
      new Option('--env <environment>', 'list only prompts of this environment').choices(environments),
    )
    .action(async (options: Options) => {
      const service = await findService(options, context)
      // The SDK would delay the start of other commands.
      const { relay } = await import('../mcp/relay.ts')
      await relay({
        ...context,
        url: new URL(pathAt(service, pathOf(options)), service.origin),
        // A service of this machine has another key, and maybe another port, after each start.
        findService: async () => (service.via === 'local' ? requireLocalService(options, context) : service),
      })
    })
  return withExamples(
    withService(command),
    'promptdeck mcp --workspace support --env prod',
    'PROMPTDECK_TOKEN=… promptdeck mcp --url http://127.0.0.1:4780',
  )
}

function pathOf({ workspace, env }: Options): string {
  const query = new URLSearchParams()
  if (workspace !== undefined) query.set('workspace', workspace)
  if (env !== undefined) query.set('env', env)
  return query.size === 0 ? '/mcp' : `/mcp?${query}`
}
