import { Command } from 'commander'
import { dataFolder } from '../connection/find-service.ts'
import type { CommandContext } from '../io/command-context.ts'
import { withExamples } from './options.ts'

/** `start`, `serve` and `seed`: programs of this installation that also have a name in package.json. */
export function runCommands(context: CommandContext): readonly Command[] {
  const { runProgram } = context
  const start = new Command('start')
    .description('Start the service and open the console (the same as "npm start").')
    .option('--no-open', 'do not open the console')
    .action((options: { open: boolean }) => runProgram('start', options.open ? [] : ['--no-open']))
  const serve = new Command('serve')
    .description('Start the service alone, until a signal ends it (the same as "npm run serve").')
    .action(() => runProgram('cli', []))
  const seed = new Command('seed')
    .description('Fill a data folder with sample data. The service must be stopped.')
    .option('--runs <number>', 'number of runs')
    .option('--days <number>', 'days over which they are spread')
    .option('--captured <number>', 'number of newest runs with input and output')
    .option('--data <folder>', 'data folder; else DATA_DIR')
    .action((options: { runs?: string; days?: string; captured?: string; data?: string }) => {
      const all = { ...options, data: dataFolder(options, context) }
      const given = Object.entries(all).flatMap(([name, value]) =>
        value === undefined ? [] : [`--${name}`, value],
      )
      return runProgram('seed', given)
    })
  return [
    withExamples(start, 'promptdeck start', 'PORT=5000 promptdeck start --no-open'),
    withExamples(serve, 'promptdeck serve', 'DATA_DIR=/srv/promptdeck promptdeck serve'),
    withExamples(seed, 'promptdeck seed --runs 1000000 --data ./try'),
  ]
}
