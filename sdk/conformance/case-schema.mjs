import { z } from 'zod'
import { wildcardNames } from './lib/match.mjs'

const ms = z.int().min(0).max(60_000)
const count = z.int().min(0)
const members = z.record(z.string(), z.unknown())

/** Any value, with optional wildcards inside. An unknown `$name` is an error of the case. */
const expected = z.unknown().superRefine((value, issues) => {
  for (const name of unknownWildcards(value))
    issues.addIssue({ code: 'custom', message: `${name} is not one of ${wildcardNames.join(', ')}` })
})

function unknownWildcards(value) {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name.startsWith('$') ? (wildcardNames.includes(name) ? [] : [name]) : unknownWildcards(inner),
  )
}

const variable = z.strictObject({
  name: z.string(),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
  type: z.string().optional(),
  example: z.unknown().optional(),
})
const served = {
  version: z.string().optional(),
  content: z.string().optional(),
  model: z.string().nullable().optional(),
  variables: z.array(variable).optional(),
  env: z.enum(['dev', 'test', 'prod']).optional(),
  workspace: z.string().optional(),
  messages: z.array(z.unknown()).nullable().optional(),
  params: z.unknown().optional(),
  is_old: z.boolean().optional(),
}
const prompt = z.strictObject({ key: z.string(), ...served })

const server = z.strictObject({
  prompts: z.union([z.record(z.string(), z.strictObject(served)), z.array(prompt)]).optional(),
  tokens: z.array(z.string()).optional(),
  seq: count.optional(),
  heartbeat_s: z.number().positive().optional(),
  replay_depth: count.optional(),
  page_limit: z.int().min(1).optional(),
  tls: z.enum(['valid', 'expired', 'other-name', 'outside-constraints']).optional(),
})

/** The file of stored servers: its content, or an invalid text. */
const stored = z.union([
  z.string(),
  z.strictObject({
    current: z.string().nullable().optional(),
    servers: z.array(
      z.strictObject({ name: z.string(), address: z.string(), token: z.string(), ca: z.string() }),
    ),
  }),
])

const timings = z.strictObject({
  request_ms: ms.optional(),
  stale_ms: ms.optional(),
  negative_ms: ms.optional(),
  retry_min_ms: ms.optional(),
  retry_max_ms: ms.optional(),
  kicked_ms: ms.optional(),
  poll_ms: ms.optional(),
  report_ms: ms.optional(),
})

/**
 * Client options. Null omits an option that the harness would set. Values are unchecked: some cases test
 * wrong ones.
 */
const options = z.strictObject({
  server: z.unknown().optional(),
  token: z.unknown().optional(),
  ca: z.unknown().optional(),
  app_name: z.unknown().optional(),
  namespace: z.unknown().optional(),
  workspace: z.unknown().optional(),
  cache_dir: z.unknown().optional(),
  fallbacks: z.unknown().optional(),
  timings: timings.optional(),
  env: z.record(z.string(), z.string()).optional(),
})

const outcome = {
  returns: expected.optional(),
  throws: z.union([z.string(), z.strictObject({ code: expected, message: expected })]).optional(),
  within_ms: ms.optional(),
  not_before_ms: ms.optional(),
}
const arguments_ = {
  key: z.string().optional(),
  keys: z.array(z.string()).optional(),
  variables: members.nullable().optional(),
  content: z.string().optional(),
  messages: z.array(z.unknown()).optional(),
  placeholders: members.nullable().optional(),
  declared: z.array(variable).optional(),
  run: members.optional(),
  options: members.optional(),
  result: z.unknown().optional(),
  error: z.strictObject({ type: z.string(), message: z.string() }).optional(),
  usage: members.optional(),
  takes_ms: ms.optional(),
  token: z.string().optional(),
}
const ops = [
  'get_prompt',
  'render',
  'render_template',
  'render_messages',
  'render_chat',
  'prefetch',
  'watch',
  'report_run',
  'wrap',
  'flush',
  'set_token',
  'close',
]
const doStep = z
  .strictObject({
    do: z.enum(ops),
    client: z.string().optional(),
    times: z.int().min(2).max(5000).optional(),
    background: z.literal(true).optional(),
    eventually: z.literal(true).optional(),
    as: z.string().optional(),
    ...arguments_,
    ...outcome,
  })
  .refine(
    (step) => (step.background === undefined) === (step.as === undefined),
    '`background` and `as` go together',
  )
  .refine(
    (step) => step.returns === undefined || step.throws === undefined,
    '`returns` or `throws`, not both',
  )

const rule = z.strictObject({
  path: z.string().startsWith('/'),
  method: z.string().optional(),
  status: z.int().min(100).max(599).optional(),
  body: z.unknown().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  delay_ms: ms.optional(),
  times: z.int().min(1).optional(),
  cut: z.union([z.literal(true), z.literal('mid-body')]).optional(),
  hang: z.union([z.literal(true), z.literal('mid-body')]).optional(),
  hold: z.literal(true).optional(),
})

/** Exactly one member per action. */
const action = z.union(
  [
    { publish: prompt.extend({ type: z.string().startsWith('prompt.').optional() }) },
    { put: prompt },
    { delete: z.strictObject({ key: z.string(), env: served.env, workspace: served.workspace }) },
    { frame: z.unknown() },
    { raw: z.string() },
    { close: z.strictObject({ code: z.int(), reason: z.string().optional() }) },
    { drop: z.union([z.literal(true), z.literal('mid-frame')]) },
    { freeze: z.literal(true) },
    { down: z.literal(true) },
    { up: z.literal(true) },
    { seq: count },
    { revoke: z.string() },
    { accept: z.string() },
    { mute: z.boolean() },
    { hello: members.nullable() },
    { release: z.literal(true) },
    { reject_upgrade: z.int().min(400).max(599).nullable() },
    { respond: rule.nullable() },
  ].map((shape) => z.strictObject(shape)),
)

const counts = {
  count: count.optional(),
  at_least: count.optional(),
  at_most: count.optional(),
  within_ms: ms.optional(),
}
const requestFilter = z.strictObject({
  method: expected.optional(),
  path: expected.optional(),
  url: expected.optional(),
  query: expected.optional(),
  headers: expected.optional(),
  body: expected.optional(),
})

const onlyOnce = z.union([
  doStep,
  z.strictObject({ new: options, client: z.string(), throws: outcome.throws }),
  z.strictObject({ await: z.string(), ...outcome }),
  z.strictObject({ server: action }),
  z.strictObject({
    event: z.enum(['connect', 'disconnect', 'update', 'resync', 'error']),
    client: z.string().optional(),
    data: expected.optional(),
    among: z.literal(true).optional(),
    within_ms: ms.optional(),
  }),
  z.strictObject({ no_event: z.string(), client: z.string().optional(), for_ms: ms }),
  z.strictObject({ requests: requestFilter, ...counts }),
  z.strictObject({ frames: members, ...counts }),
  z.strictObject({ connections: count, within_ms: ms.optional() }),
  z.strictObject({ reported: z.array(expected), ...counts }),
  z.strictObject({ wait_ms: ms }),
  z.strictObject({ forget: z.literal(true) }),
  z.strictObject({ exit: z.literal(true) }),
  z.strictObject({
    files: z.strictObject({
      count: count.optional(),
      mode: z.string().optional(),
      folder_mode: z.string().optional(),
      without: z.string().optional(),
      corrupt: z.enum(['garbage', 'truncated', 'empty', 'foreign', 'swapped']).optional(),
      older: z.literal(true).optional(),
      read_only: z.literal(true).optional(),
    }),
  }),
])

const step = z.union([
  onlyOnce,
  z.strictObject({
    repeat: z.strictObject({ times: z.int().min(2).max(100), steps: z.array(onlyOnce).min(1) }),
  }),
])

export const CaseFile = z.array(
  z.strictObject({
    name: z.string().regex(/^[a-z][a-z ]*: ./, 'area: expected behaviour'),
    needs: z.array(z.enum(['disk', 'posix', 'user-agent', 'tls', 'process', 'page'])).optional(),
    server: server.optional(),
    stored: stored.optional(),
    client: options.nullable().optional(),
    steps: z.array(step).min(1),
  }),
)
