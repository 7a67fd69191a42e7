import type { TransferFormat } from '../../../../contract/prompt-transfer.ts'

/** A prompt as a file has it, before anything of it is believed. */
export type RawItem = {
  readonly fields: Readonly<Record<string, unknown>>
  /** What could not be carried over as it was. */
  readonly notes: readonly string[]
}

export type ParsedFile = { readonly format: TransferFormat; readonly items: readonly RawItem[] }

/** A file that cannot be read as a whole; the message says why. */
export class UnreadableFile extends Error {}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An own member; nothing inherited is ever read from a file. */
export const member = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined
