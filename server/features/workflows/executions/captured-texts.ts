import type { CaptureMode } from '../../../../contract/models/models.ts'
import type { StepResult } from '../../../../contract/workflows/workflow-run.ts'
import type { Place } from './executions.wire.ts'

/** The store of captured texts, outside the database, with its own limits of age and size. */
export type Payloads = {
  /** Returns null for a payload that was not stored because it, or the folder, is too large. */
  append(
    at: Date,
    payloads: readonly { readonly owner: string; readonly input: unknown; readonly output: string | null }[],
  ): Promise<(Place | null)[]>
  /** Returns null when the payload is past its retention. */
  read(
    place: Place,
    owners: readonly string[],
  ): Promise<{ readonly input: unknown; readonly output: string | null } | null>
}
/** Returns a function that removes the values of variables, and likely secrets, from a text. */
export type Redactor = (variables: Readonly<Record<string, unknown>>) => (text: string) => string

type StepTexts = Pick<StepResult, 'input' | 'output' | 'tool_calls'>
type NamedTexts = StepTexts & Pick<StepResult, 'name'>
type GivenTexts = { readonly variables: Readonly<Record<string, unknown>>; readonly input: string }

const givenOwner = (execution: string): string => `execution:${execution}`
const stepOwner = (execution: string, step: string): string => `step:${execution}:${step}`

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads and writes the captured texts of one execution. */
export function createCapturedTexts(payloads: Payloads, redactor: Redactor) {
  return {
    async storeGiven(
      owner: string,
      at: Date,
      capture: CaptureMode,
      { variables, input }: GivenTexts,
    ): Promise<Place | null> {
      if (capture === 'off') return null
      // In redacted form, each variable becomes its placeholder, and the input is redacted as text.
      const stored =
        capture === 'full'
          ? { variables, input }
          : {
              variables: Object.fromEntries(Object.keys(variables).map((name) => [name, `{{${name}}}`])),
              input: redactor(variables)(input),
            }
      const [place = null] = await payloads.append(at, [
        { owner: givenOwner(owner), input: stored, output: null },
      ])
      return place
    },

    async storeStep(
      owner: string,
      at: Date,
      capture: CaptureMode,
      variables: GivenTexts['variables'],
      { name, input, output, tool_calls: toolCalls }: NamedTexts,
    ): Promise<Place | null> {
      if (capture === 'off' || (input === null && output === null)) return null
      const plain = capture === 'full' ? (text: string) => text : redactor(variables)
      const calls: unknown =
        capture === 'full' || toolCalls.length === 0
          ? toolCalls
          : toolCalls.map((call) => ({ ...call, arguments: plain(JSON.stringify(call.arguments)) }))
      const stored = { text: input === null ? null : plain(input), tool_calls: calls }
      const [place = null] = await payloads.append(at, [
        { owner: stepOwner(owner, name), input: stored, output: output === null ? null : plain(output) },
      ])
      return place
    },

    async readGiven(place: Place | null, owner: string): Promise<GivenTexts | null> {
      const found = place && (await payloads.read(place, [givenOwner(owner)]))
      if (!found || !isRecord(found.input)) return null
      const { variables, input } = found.input
      return isRecord(variables) && typeof input === 'string' ? { variables, input } : null
    },

    /**
     * Reads the texts of a step. `owners`: the execution, and those it was resumed from, whose texts it
     * shares.
     */
    async readStep(place: Place | null, name: string, owners: readonly string[]): Promise<StepTexts | null> {
      const found =
        place &&
        (await payloads.read(
          place,
          owners.map((owner) => stepOwner(owner, name)),
        ))
      if (!found || !isRecord(found.input)) return null
      const { text, tool_calls: calls } = found.input
      return {
        input: typeof text === 'string' ? text : null,
        output: found.output,
        tool_calls: Array.isArray(calls) ? calls : [],
      }
    },
  }
}

export type CapturedTexts = ReturnType<typeof createCapturedTexts>
