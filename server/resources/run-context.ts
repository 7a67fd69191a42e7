import { maxMetadataBytes, type RunContext, runContextFields } from '../../contract/runs/run.ts'
import { invalid } from '../lib/fail.ts'

const names = Object.keys(runContextFields) as readonly (keyof RunContext)[]

export const isTooLarge = (metadata: RunContext['metadata']): boolean =>
  metadata !== null &&
  metadata !== undefined &&
  Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes

export const metadataTooLarge = 'Larger than 4 KiB as JSON'

/** Returns the fields of a request body that describe its runs. Throws 422 for metadata that are too large. */
export function runContextOf(body: RunContext): RunContext {
  if (isTooLarge(body.metadata)) throw invalid('metadata', metadataTooLarge)
  return Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])))
}
