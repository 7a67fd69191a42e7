import type { QueryInput } from '../../../../contract/client.ts'
import type { ExportPreview } from '../../../../contract/prompts/prompt-transfer.ts'
import { client } from '../../../lib/service/api.ts'

/** Returns the fields that a file of the chosen format would not contain. */
export const previewExport = async (query: QueryInput): Promise<ExportPreview> =>
  (await client.promptTransfer.previewExport({ query })).data
