import { join } from 'node:path'
import type { Excerpt } from '../../../../../contract/runs/run-content.ts'
import { createYield } from '../../../../lib/async/yield.ts'
import { dayFileName } from '../../payloads/day-files.ts'
import { payloadIn } from '../../payloads/payload-line.ts'
import type { ContentQuery } from '../content-query.ts'
import { excerptOf } from '../excerpt.ts'
import { readPart } from './payload-lines.ts'

/** The line of a run's payload. */
export type ContentLine = {
  readonly owner: string
  readonly day: number
  readonly offset: number
  readonly length: number
}

/** Returns an excerpt for each payload that matches; null for others, and for damaged or removed ones. */
export async function readExcerpts(
  folder: string,
  query: ContentQuery,
  lines: readonly ContentLine[],
): Promise<(Excerpt | null)[]> {
  const yieldIfDue = createYield()
  const found: (Excerpt | null)[] = []
  for (const { owner, day, offset, length } of lines) {
    const bytes = readPart(join(folder, dayFileName(day)), offset, length)
    const payload = bytes.length < length ? null : payloadIn(bytes.toString('utf8'), [owner])
    found.push(payload === null ? null : excerptOf(query, payload))
    await yieldIfDue()
  }
  return found
}
