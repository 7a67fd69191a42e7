import { spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { CommandContext, Terminal } from '../../server/tools/command/io/command-context.ts'
import { runCommand } from '../../server/tools/command/program.ts'

/** The built command. */
export const program = fileURLToPath(new URL('../../dist/bundle/service/promptdeck.js', import.meta.url))

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

export type CommandOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** Folder of the stored servers. */
  readonly config: string
  readonly data?: string
}

/** Environment without the settings of whoever runs the tests. */
export const environment = ({ env, config, data }: CommandOptions): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: config,
  PROMPTDECK_CONFIG_DIR: config,
  DATA_DIR: data ?? `${config}/no-data`,
  ...env,
})

/** Runs the built command as a separate process without a terminal. */
export function spawnCommand(args: readonly string[], options: CommandOptions): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    env: environment(options),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
  })
}

/** Runs the command in this process, which takes less time, and replies to its questions with `answers`. */
export async function answerCommand(
  args: readonly string[],
  options: CommandOptions,
  answers: readonly string[] = [],
): Promise<Ended & { readonly questions: readonly string[] }> {
  const questions: string[] = []
  const left = [...answers]
  const terminal: Terminal = {
    ask(question) {
      questions.push(question)
      const answer = left.shift()
      return answer === undefined
        ? Promise.reject(new Error(`No answer to "${question}"`))
        : Promise.resolve(answer)
    },
  }
  const [out, err] = [collector(), collector()]
  const context: CommandContext = {
    env: environment(options),
    platform: process.platform,
    home: options.config,
    in: Readable.from([]),
    out: out.stream,
    err: err.stream,
    terminal,
    now: () => new Date(),
    runProgram: (name) => Promise.reject(new Error(`${name} is not run here`)),
  }
  const code = await runCommand(args, context)
  return { code, out: out.text(), err: err.text(), questions }
}

function collector() {
  const chunks: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk))
      done()
    },
  })
  return { stream, text: () => chunks.join('') }
}
