import { Command, CommanderError } from 'commander'
import { serviceVersion } from '../../lib/version.ts'
import { dbCommand } from './commands/db.ts'
import { devicesCommand } from './commands/devices.ts'
import { exportCommand } from './commands/export.ts'
import { lanCommand } from './commands/lan.ts'
import { adminCommand, auditCommand, backupCommand, storeCommand } from './commands/maintenance.ts'
import { mcpCommand } from './commands/mcp.ts'
import { withExamples } from './commands/options.ts'
import { pairCommand } from './commands/pair.ts'
import { runCommands } from './commands/run.ts'
import { serversCommand } from './commands/servers.ts'
import { statusCommand } from './commands/status.ts'
import type { CommandContext } from './io/command-context.ts'
import { describeFailure, exitCodes, Failure, UsageError } from './io/failure.ts'

/**
 * Runs the command `promptdeck` and returns its exit code: 0, 1 after a failure, 2 if it was called in a wrong
 * way. A started service runs on. Unexpected errors are thrown.
 */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    await createProgram(context).parseAsync([...args], { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    if (error instanceof UsageError) {
      context.err.write(`Error: ${error.message}\nAdd --help to see the options and examples.\n`)
      return exitCodes.usage
    }
    if (!(error instanceof Failure)) throw error
    context.err.write(`${describeFailure(error)}\n`)
    return exitCodes.failure
  }
}

function createProgram(context: CommandContext): Command {
  const program = new Command('promptdeck')
    .description('Start, share and maintain a Promptdeck service, and pair with one.')
    .version(serviceVersion, '--version', 'print the version')
  for (const command of [
    ...runCommands(context),
    statusCommand(context),
    lanCommand(context),
    pairCommand(context),
    serversCommand(context),
    devicesCommand(context),
    adminCommand(context),
    backupCommand(context),
    auditCommand(context),
    storeCommand(context),
    dbCommand(context),
    exportCommand(context),
    mcpCommand(context),
  ])
    program.addCommand(command)
  withExamples(program, 'promptdeck start', 'promptdeck lan on', 'promptdeck pair desk.local')
  program.addHelpText('after', '\nExit codes: 0 success, 1 failure, 2 wrong use.')
  applyToAll(program, context)
  return program
}

/** Commands that are added do not inherit these settings. */
function applyToAll(command: Command, context: CommandContext): void {
  command
    .exitOverride()
    .helpCommand(false)
    .showHelpAfterError('Add --help to see the options and examples.')
    .configureOutput({
      writeOut: (text) => void context.out.write(text),
      writeErr: (text) => void context.err.write(text),
    })
  for (const child of command.commands) applyToAll(child, context)
}
