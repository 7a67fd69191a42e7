import type { Command } from 'commander'
import type { ServiceOptions } from '../connection/find-service.ts'

export type DataOptions = ServiceOptions & { readonly json?: boolean }

/** Adds the options that choose the service. */
export const withService = (command: Command): Command =>
  command
    .option('--url <address>', 'address of the service; else PROMPTDECK_URL')
    .option('--ca <file>', 'the only trusted CA certificate (PEM); else PROMPTDECK_CA')
    .option('--token <token>', 'token for the service; better PROMPTDECK_TOKEN, which other users cannot see')
    .option('--server <name>', 'a stored server; else PROMPTDECK_SERVER')
    .option('--data <folder>', 'data folder of the service on this machine; else DATA_DIR')

/** Adds `--json`, and the options that choose the service. */
export const withData = (command: Command): Command =>
  withService(command).option('--json', 'print JSON instead of text')

export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`)
