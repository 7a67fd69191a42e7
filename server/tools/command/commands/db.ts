import { Command } from 'commander'
import type { CommandContext } from '../io/command-context.ts'
import { withExamples } from './options.ts'

type CopyOptions = { readonly from: string; readonly to: string; readonly files?: string }

/** `db copy`: moves the data between a data folder and PostgreSQL. */
export function dbCommand(context: CommandContext): Command {
  const copy = new Command('copy')
    .description(
      'Copy all data from a data folder to an empty PostgreSQL database, or back into a new data folder, and compare every row. The services must be stopped. The source is never changed. Run it again to continue an interrupted copy.',
    )
    .requiredOption('--from <place>', 'data folder, or postgres://<user>@<host>/<database>')
    .requiredOption('--to <place>', 'postgres://<user>@<host>/<database>, or a new data folder')
    .option(
      '--files <folder>',
      'with --from postgres://…: the data folder of that service, whose keys and captured texts are copied too; with --to postgres://…: a new folder for them, if not the one of --from',
    )
    .action(({ from, to, files }: CopyOptions) =>
      context.runProgram('db-copy', [
        ...['--from', from, '--to', to],
        ...(files === undefined ? [] : ['--files', files]),
      ]),
    )
  const examples = [
    'PGPASSWORD=… promptdeck db copy --from ./data --to postgres://promptdeck@db.example/promptdeck',
    'promptdeck db copy --from postgres://promptdeck@db.example/promptdeck --files ./data --to ./data-back',
  ]
  return new Command('db')
    .description('Move the data between a data folder and PostgreSQL.')
    .addCommand(withExamples(copy, ...examples))
}
