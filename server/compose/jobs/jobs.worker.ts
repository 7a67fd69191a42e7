import { setPriority } from 'node:os'
import { parseAll as parseDefinitions } from '../../definitions/transfer.files.ts'
import { parseAll as parsePrompts } from '../../features/prompts/formats/read-all.ts'
import { diffLines } from '../../features/prompts/versions/line-diff.ts'
import { extract } from '../../features/workflows/engine/json-path.ts'
import { serveJobs } from '../../lib/workers/jobs.ts'
import type { JobKinds } from './jobs.ts'

const kinds: { readonly [K in keyof JobKinds]: (input: JobKinds[K]['input']) => JobKinds[K]['output'] } = {
  json_path: ({ text, path }) => extract(text, path),
  line_diff: ({ from, to }) => diffLines(from, to),
  prompt_files: parsePrompts,
  definition_files: ({ body, noun }) => parseDefinitions(body, noun),
}

// On Linux this lowers the priority of this thread alone, so that requests come first.
if (process.platform === 'linux') setPriority(0, 5)

serveJobs(new Map(Object.entries(kinds) as [string, (input: unknown) => unknown][]))
