import type { TransferFormat } from '../../../../contract/prompt-transfer.ts'

/** A prompt as a file has it, before anything of it is believed. */
export type RawItem = {
  readonly fields: Readonly<Record<string, unknown>>
  /** What could not be carried over as it was. */
  readonly notes: readonly string[]
}

export type ParsedFile = { readonly format: TransferFormat; readonly items: readonly RawItem[] }
