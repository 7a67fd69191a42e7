import type { TransferFormat } from '../../../../contract/prompt-transfer.ts'

/** A prompt as read from a file, not yet validated. */
export type RawItem = {
  readonly fields: Readonly<Record<string, unknown>>
  /** Remarks on what was changed or left out. */
  readonly notes: readonly string[]
}

export type ParsedFile = { readonly format: TransferFormat; readonly items: readonly RawItem[] }
