import { join } from 'node:path'
import { Command } from 'commander'
import { z } from 'zod'
import { ChainReport } from '../../../../contract/system/audit.ts'
import { Backup } from '../../../../contract/system/backups.ts'
import { findOwner } from '../../../db/engines/sqljs/lock/owner.ts'
import { dataFolder, findService, type ServiceOptions } from '../connection/find-service.ts'
import { call, takesLong } from '../connection/service.ts'
import type { CommandContext, Program } from '../io/command-context.ts'
import { exitCodes, Failure } from '../io/failure.ts'
import { show, table } from '../io/output.ts'
import { type DataOptions, withData, withExamples } from './options.ts'

type RecoverOptions = ServiceOptions & { readonly password?: boolean; readonly secondFactor?: boolean }

/** Runs a tool on a data folder that no service uses. */
async function runStopped(
  name: Program,
  options: ServiceOptions,
  context: CommandContext,
  args: readonly string[],
): Promise<void> {
  const folder = dataFolder(options, context)
  const owner = await findOwner(join(folder, 'store'))
  if (owner !== null)
    throw new Failure(
      'The data folder is in use',
      `Process ${owner.pid} uses ${folder}`,
      'Stop the service or quit the desktop app, then run the command again',
    )
  await context.runProgram(name, ['--data', folder, ...args])
}

/** `admin recover`: restores access to an account, for people with access to the machine of the service. */
export function adminCommand(context: CommandContext): Command {
  const recover = new Command('recover')
    .description(
      'Restore access to an account. The service must be stopped. Each option ends the sessions of the user and is in the audit log; without one, nothing changes.',
    )
    .argument('[username]', 'the account; else the only active admin')
    .option('--password', 'set a temporary password, which is printed once, and enable the account')
    .option('--second-factor', 'remove the authenticator app, the recovery codes and the passkeys')
    .option('--data <folder>', 'data folder; else DATA_DIR')
    .action((username: string | undefined, options: RecoverOptions) =>
      runStopped('admin-recover', options, context, [
        ...(username === undefined ? [] : [username]),
        ...(options.password === true ? ['--password'] : []),
        ...(options.secondFactor === true ? ['--second-factor'] : []),
      ]),
    )
  const examples = ['promptdeck admin recover --password', 'promptdeck admin recover edda --second-factor']
  return new Command('admin')
    .description('Recover an account on this machine.')
    .addCommand(withExamples(recover, ...examples))
}

/** `store recover`: repairs a store that does not open. */
export function storeCommand(context: CommandContext): Command {
  const recover = new Command('recover')
    .description(
      'Recover the data of a store with which the service refuses to start. The service must be stopped. Without --apply, it only shows what it would do.',
    )
    .option('--apply', 'recover the data, and move the old files aside')
    .option('--data <folder>', 'data folder; else DATA_DIR')
    .action((options: ServiceOptions & { readonly apply?: boolean }) =>
      runStopped('recover', options, context, options.apply === true ? ['--apply'] : []),
    )
  return new Command('store')
    .description('Repair the store of this machine.')
    .addCommand(withExamples(recover, 'promptdeck store recover', 'promptdeck store recover --apply'))
}

const Backups = z.object({ data: z.array(Backup), total: z.int() })
const OneBackup = z.object({ data: Backup })

/** `backup create|list|restore`. */
export function backupCommand(context: CommandContext): Command {
  const create = new Command('create')
    .description('Create a backup and verify it. Requires the role admin.')
    .action(async (options: DataOptions) => {
      const service = await findService(options, context)
      const { data } = await call(service, 'POST', '/api/backups', OneBackup, takesLong)
      show(context, options, data, () => [
        `Created the backup ${data.id} (${data.size_bytes} bytes) on ${service.origin}.`,
      ])
    })
  const list = new Command('list')
    .description('List the backups. Requires the role admin.')
    .action(async (options: DataOptions) => {
      const service = await findService(options, context)
      const { data } = await call(service, 'GET', '/api/backups?limit=200', Backups, takesLong)
      const rows = data.map((backup) => [
        backup.id,
        backup.created_at,
        String(backup.size_bytes),
        backup.verified ? 'yes' : 'no',
      ])
      show(context, options, data, () => table(['ID', 'Created', 'Bytes', 'Verified'], rows))
    })
  const restore = new Command('restore')
    .description('Replace the data with a backup. The service must be stopped. The old data is moved aside.')
    .argument('<file>', 'a file of backups/, or a downloaded backup')
    .option('--data <folder>', 'data folder; else DATA_DIR')
    .action((file: string, options: ServiceOptions) => runStopped('restore', options, context, [file]))
  return new Command('backup')
    .description('Create, list and restore backups.')
    .addCommand(withExamples(withData(create), 'promptdeck backup create'))
    .addCommand(withExamples(withData(list), 'promptdeck backup list --json'))
    .addCommand(withExamples(restore, 'promptdeck backup restore backups/20261121T093000Z-4f1a.sqlite'))
}

const Verified = z.object({ data: ChainReport })

/** `audit verify`: through the running service, else directly in the data folder. */
export function auditCommand(context: CommandContext): Command {
  const verify = new Command('verify')
    .description(
      'Verify every entry of the audit log, in the running service or in the data folder. Exit code 0: every entry is intact.',
    )
    .action(async (options: DataOptions) => {
      if (await isOffline(options, context)) {
        await verifyFolder(options, context)
        return
      }
      const service = await findService(options, context)
      const { data } = await call(service, 'GET', '/api/audit/verify', Verified, takesLong)
      show(context, options, data, () => [
        `${data.entries} entries on ${service.origin}: ${data.status}.`,
        ...(data.reason === null ? [] : [data.reason]),
      ])
      if (data.ok) return
      throw new Failure(
        'The audit log could not be verified',
        data.reason ?? data.status,
        'Compare with a copy of audit-head.json and with the newest backup; see docs/operations.md',
      )
    })
  return new Command('audit')
    .description('Check the audit log.')
    .addCommand(withExamples(withData(verify), 'promptdeck audit verify', 'promptdeck audit verify --json'))
}

/** Returns true if no service is named, and none uses the data folder. */
async function isOffline(options: DataOptions, context: CommandContext): Promise<boolean> {
  const { env } = context
  const names = ['PROMPTDECK_URL', 'PROMPTDECK_SERVER'] as const
  const isNamed = options.url ?? options.server ?? names.map((name) => env[name]).find(Boolean)
  if (isNamed !== undefined) return false
  return (await findOwner(join(dataFolder(options, context), 'store'))) === null
}

/** The tool's exit code 2 means that keys are missing; for this command, 2 is wrong use. */
async function verifyFolder(options: DataOptions, context: CommandContext): Promise<void> {
  if (options.json === true)
    throw new Failure(
      'The result is not available as JSON',
      'No service uses the data folder, so the tool that reads it directly would run',
      'Start the service, or leave out --json',
    )
  await context.runProgram('audit-verify', [dataFolder(options, context)])
  if (process.exitCode === exitCodes.usage) process.exitCode = exitCodes.failure
}
