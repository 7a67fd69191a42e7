/** The parts of its process that a command uses. Tests replace the streams and the terminal. */
export type CommandContext = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly in: NodeJS.ReadableStream
  readonly out: NodeJS.WritableStream
  readonly err: NodeJS.WritableStream
  /** Null if nobody can answer a question, as in a script. */
  readonly terminal: Terminal | null
  readonly now: () => Date
  /** Runs a program of this installation in this process, with these arguments. */
  readonly runProgram: (name: Program, args: readonly string[]) => Promise<void>
}

/** `start` opens the console too; the others are files of the bundle. */
export type Program =
  | 'start'
  | 'cli'
  | 'seed'
  | 'admin-recover'
  | 'recover'
  | 'restore'
  | 'audit-verify'
  | 'db-copy'

export type Terminal = {
  /** Asks a question and resolves with the answer, trimmed. */
  ask(question: string): Promise<string>
}
