import type { CaptureMode } from '../../../../contract/models/models.ts'
import type { StepResult } from '../../../../contract/workflows/workflow-run.ts'
import { isRecord } from '../../../lib/values/is-record.ts'
import type { PayloadLocation } from './executions.wire.ts'

/** The store of captured texts, outside the database, with its own limits of age and size. */
export type Payloads = {
  /** Returns null for a payload that was not stored because it, or the folder, is too large. */
  append(
    at: Date,
    payloads: readonly { readonly owner: string; readonly input: unknown; readonly output: string | null }[],
  ): Promise<(PayloadLocation | null)[]>
  /** Returns null when the payload is past its retention. */
  read(
    location: PayloadLocation,
    owners: readonly string[],
  ): Promise<{ readonly input: unknown; readonly output: string | null } | null>
}
/** Returns a function that removes the values of variables, and likely secrets, from a text. */
export type Redactor = (variables: Readonly<Record<string, unknown>>) => (text: string) => string

type StepTexts = Pick<StepResult, 'input' | 'output' | 'tool_calls'>
type NamedTexts = StepTexts & Pick<StepResult, 'name'>
type InputTexts = { readonly variables: Readonly<Record<string, unknown>>; readonly input: string }

const inputOwner = (execution: string): string => `execution:${execution}`
const stepOwner = (execution: string, step: string): string => `step:${execution}:${step}`

/** Reads and writes the captured texts of one execution. */
export function createCapturedTexts(payloads: Payloads, redactor: Redactor) {
  return {
    async storeInput(
      owner: string,
      at: Date,
      capture: CaptureMode,
      { variables, input }: InputTexts,
    ): Promise<PayloadLocation | null> {
      if (capture === 'off') return null
      // In redacted form, each variable becomes its placeholder, and the input is redacted as text.
      const stored =
        capture === 'full'
          ? { variables, input }
          : {
              variables: Object.fromEntries(Object.keys(variables).map((name) => [name, `{{${name}}}`])),
              input: redactor(variables)(input),
            }
      const [location = null] = await payloads.append(at, [
        { owner: inputOwner(owner), input: stored, output: null },
      ])
      return location
    },

    async storeStep(
      owner: string,
      at: Date,
      capture: CaptureMode,
      variables: InputTexts['variables'],
      { name, input, output, tool_calls: toolCalls }: NamedTexts,
    ): Promise<PayloadLocation | null> {
      if (capture === 'off' || (input === null && output === null)) return null
      const redact = capture === 'full' ? (text: string) => text : redactor(variables)
      const calls: unknown =
        capture === 'full' || toolCalls.length === 0
          ? toolCalls
          : toolCalls.map((call) => ({ ...call, arguments: redact(JSON.stringify(call.arguments)) }))
      const stored = { text: input === null ? null : redact(input), tool_calls: calls }
      const [location = null] = await payloads.append(at, [
        { owner: stepOwner(owner, name), input: stored, output: output === null ? null : redact(output) },
      ])
      return location
    },

    async readInput(location: PayloadLocation | null, owner: string): Promise<InputTexts | null> {
      const payload = location && (await payloads.read(location, [inputOwner(owner)]))
      if (!payload || !isRecord(payload.input)) return null
      const { variables, input } = payload.input
      return isRecord(variables) && typeof input === 'string' ? { variables, input } : null
    },

    /**
     * Reads the texts of a step. `owners`: the execution, and those it was resumed from, whose texts it
     * shares.
     */
    async readStep(
      location: PayloadLocation | null,
      name: string,
      owners: readonly string[],
    ): Promise<StepTexts | null> {
      const payload =
        location &&
        (await payloads.read(
          location,
          owners.map((owner) => stepOwner(owner, name)),
        ))
      if (!payload || !isRecord(payload.input)) return null
      const { text, tool_calls: calls } = payload.input
      return {
        input: typeof text === 'string' ? text : null,
        output: payload.output,
        tool_calls: Array.isArray(calls) ? calls : [],
      }
    },
  }
}

export type CapturedTexts = ReturnType<typeof createCapturedTexts>
