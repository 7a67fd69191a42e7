import type { z } from 'zod'
import type {
  ImportPromptsBody,
  ImportReport,
  TransferFormat,
} from '../../../../contract/prompts/prompt-transfer.ts'
import type { PlacedItem, RawItem } from '../../../resources/transfer/files.ts'

export type ImportBody = z.output<typeof ImportPromptsBody>

export type ParsedFile = { readonly format: TransferFormat; readonly items: readonly RawItem[] }

export type ParsedFiles = { readonly placed: readonly PlacedItem[]; readonly format: ImportReport['format'] }
