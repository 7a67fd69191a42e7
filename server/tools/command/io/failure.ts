/** A failed command: what happened, why, and what to do. Ends the command with exit code 1. */
export class Failure extends Error {
  readonly reason: string
  readonly remedy: string

  constructor(what: string, reason: string, remedy: string, options?: ErrorOptions) {
    super(what, options)
    this.name = 'Failure'
    this.reason = reason
    this.remedy = remedy
  }
}

/** A command that was called in a wrong way. Ends the command with exit code 2. */
export class UsageError extends Error {}

export const exitCodes = { ok: 0, failure: 1, usage: 2 } as const

/** Returns the lines that describe a failure to a person. */
export function describeFailure(error: Failure): string {
  const sentence = (text: string) => printable(text).replace(/\.?$/, '.')
  return [
    `Error: ${sentence(error.message)}`,
    `Why: ${sentence(error.reason)}`,
    `What to do: ${sentence(error.remedy)}`,
  ].join('\n')
}

/** Replaces control characters: a text from another machine must not control the terminal. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD')
