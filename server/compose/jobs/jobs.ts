import type { Noun } from '../../definitions/definitions.store.ts'
import type { ImportBody as DefinitionImport, ReadDefinitions } from '../../definitions/transfer.files.ts'
import type { ParsedFiles, ImportBody as PromptImport } from '../../features/prompts/formats/raw.ts'
import type { ReadPrompts } from '../../features/prompts/formats/read-all.ts'
import type { CompareLines } from '../../features/prompts/versions/diff.ts'
import { type LineDiff, replacement } from '../../features/prompts/versions/line-diff.ts'
import type { Extracted } from '../../features/workflows/engine/json-path.ts'
import type { Context } from '../../lib/context.ts'
import { invalid } from '../../lib/fail.ts'
import { createWorkerPool, JobLimitReached } from '../../lib/workers/pool.ts'
import type { PlacedItem } from '../../resources/transfer/files.ts'

export type JobKinds = {
  readonly json_path: {
    readonly input: { readonly text: string; readonly path: string }
    readonly output: Extracted
  }
  readonly line_diff: {
    readonly input: { readonly from: string; readonly to: string }
    readonly output: LineDiff
  }
  readonly prompt_files: { readonly input: PromptImport; readonly output: ParsedFiles }
  readonly definition_files: {
    readonly input: { readonly body: DefinitionImport; readonly noun: Noun }
    readonly output: PlacedItem[]
  }
}

/** Time limit of each kind, in milliseconds. */
const limits: Readonly<Record<keyof JobKinds, number>> = {
  json_path: 3000,
  line_diff: 5000,
  prompt_files: 15_000,
  definition_files: 15_000,
}

export type Jobs = {
  readonly extract: (ctx: Context, text: string, path: string, signal: AbortSignal) => Promise<Extracted>
  readonly compareLines: CompareLines
  readonly readPrompts: ReadPrompts
  readonly readDefinitions: ReadDefinitions
  readonly close: () => Promise<void>
}

/**
 * Processes user input (paths, texts to compare, files) on worker threads, with limits of time and memory.
 */
export function createJobs(timeLimits: Partial<typeof limits> = {}): Jobs {
  const pool = createWorkerPool(new URL('./jobs.worker.js', import.meta.url))
  const timeoutOf = (kind: keyof JobKinds): number => timeLimits[kind] ?? limits[kind]

  const run = <K extends keyof JobKinds>(
    { actor }: Context,
    kind: K,
    input: JobKinds[K]['input'],
    signal?: AbortSignal,
  ): Promise<JobKinds[K]['output']> =>
    // Messages between threads are untyped. The table of handlers in the worker has the types of `JobKinds`.
    pool.run(kind, input, {
      owner: `${actor.kind}:${actor.id ?? actor.name}`,
      timeoutMs: timeoutOf(kind),
      signal,
    }) as Promise<JobKinds[K]['output']>

  /** Turns an exceeded limit into a 422 on the files. */
  const withinLimits = async <T>(reading: Promise<T>): Promise<T> => {
    try {
      return await reading
    } catch (error) {
      if (!(error instanceof JobLimitReached)) throw error
      throw invalid('files', `The files take too much ${error.limit} to read; import fewer or simpler files`)
    }
  }

  return {
    async extract(ctx, text, path, signal) {
      try {
        return await run(ctx, 'json_path', { text, path }, signal)
      } catch (error) {
        if (!(error instanceof JobLimitReached)) throw error
        return {
          error:
            error.limit === 'time'
              ? `The path takes longer than ${timeoutOf('json_path') / 1000} s; use a path that selects less`
              : 'The path needs too much memory; use a path that selects less',
        }
      }
    },
    async compareLines(ctx, from, to) {
      try {
        return await run(ctx, 'line_diff', { from, to })
      } catch (error) {
        if (!(error instanceof JobLimitReached)) throw error
        return replacement(from, to)
      }
    },
    readPrompts: (ctx, body) => withinLimits(run(ctx, 'prompt_files', body)),
    readDefinitions: (ctx, body, noun) => withinLimits(run(ctx, 'definition_files', { body, noun })),
    close: () => pool.close(),
  }
}
