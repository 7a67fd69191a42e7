import { z } from 'zod'

/** Maximum length of the output of a run, in UTF-16 code units. */
export const maxOutputLength = 524_288

/** A part of a captured text that matches a search. */
export const Excerpt = z.object({
  field: z.enum(['input', 'output']),
  text: z.string().meta({ description: 'The text around the first match; `…` marks omitted text' }),
  marks: z
    .array(z.array(z.int()).length(2))
    .meta({ description: 'Start and end of each match in `text`, in UTF-16 code units' }),
})
export type Excerpt = z.infer<typeof Excerpt>

/** The reasons for which a run has no content, and `captured`. */
export const contentStates = [
  'captured',
  'off',
  'not_sent',
  'too_large',
  'full',
  'failed',
  'removed',
  'damaged',
  'unknown',
] as const
export const ContentState = z.enum(contentStates).meta({
  description: [
    '`captured`: `input` and `output` are what was captured',
    '`off`: capture was off',
    '`not_sent`: the app sent neither input nor output',
    '`too_large`: larger than 1 MiB as JSON',
    '`full`: the captured texts had reached their maximum size, or the disk was full',
    '`failed`: the text could not be stored',
    '`removed`: removed by retention',
    '`damaged`: the stored text is damaged',
    '`unknown`: the run is from a version that did not record the reason',
  ].join('; '),
})
export type ContentState = z.infer<typeof ContentState>

/** Part of a list that searched captured text, if some of it is not in the index yet. */
export const IncompleteContent = z
  .object({ indexed_bytes: z.int(), total_bytes: z.int() })
  .meta({ description: 'Present while some captured texts are not indexed: matching runs may be missing' })
