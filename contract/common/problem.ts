import { z } from 'zod'
import { Timestamp } from './fields.ts'
import { Role } from './roles.ts'

/** All errors of the API: HTTP status and title by code. `detail` describes the single occurrence. */
export const problems = {
  'request.malformed': { status: 400, title: 'The request could not be read' },
  'auth.required': { status: 401, title: 'Sign-in required' },
  'auth.invalid_token': { status: 401, title: 'The token is not valid' },
  'auth.device_required': { status: 401, title: 'This device is not paired' },
  'pairing.wrong_code': { status: 401, title: 'The pairing code is not valid' },
  'auth.invalid_credentials': { status: 401, title: 'Wrong username or password' },
  'auth.second_factor_required': { status: 401, title: 'A code is required' },
  'auth.invalid_code': { status: 401, title: 'The code is not valid' },
  'auth.challenge_expired': { status: 401, title: 'The sign-in has expired' },
  'auth.invalid_passkey': { status: 401, title: 'The passkey is not accepted' },
  'auth.forbidden': { status: 403, title: 'Not allowed' },
  'auth.password_change_required': { status: 403, title: 'Password change required' },
  'auth.second_factor_setup_required': { status: 403, title: 'Two-factor authentication required' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  'user.username_taken': { status: 409, title: 'The username is taken' },
  'user.last_admin': { status: 409, title: 'The last active admin cannot be removed' },
  'user.second_factor_on': { status: 409, title: 'Two-factor authentication is already on' },
  'passkey.origin_unsupported': { status: 409, title: 'Passkeys do not work at this address' },
  'password_link.invalid': { status: 410, title: 'The link is not valid' },
  'workspace.slug_taken': { status: 409, title: 'The slug is taken' },
  'workspace.default_protected': { status: 409, title: 'The default workspace cannot be deleted' },
  'prompt.key_taken': { status: 409, title: 'The key is taken' },
  'prompt.included': { status: 409, title: 'Other prompts include this one' },
  'prompt.nothing_to_publish': { status: 409, title: 'Nothing to publish' },
  'agent.key_taken': { status: 409, title: 'The key is taken' },
  'workflow.key_taken': { status: 409, title: 'The key is taken' },
  'provider.name_taken': { status: 409, title: 'The name is taken' },
  'network.defaults_in_use': { status: 409, title: 'Built-in credentials are active' },
  'pairing.sharing_off': { status: 409, title: 'Sharing on the network is off' },
  'pairing.ended': { status: 409, title: 'The pairing request has ended' },
  'backup.unsupported': { status: 409, title: 'The database has backups of its own' },
  'idempotency.mismatch': { status: 409, title: 'The idempotency key was used for another request' },
  'precondition.failed': { status: 412, title: 'Someone else saved first' },
  'request.too_large': { status: 413, title: 'The request is too large' },
  'request.unsupported_media_type': { status: 415, title: 'Unsupported media type' },
  'request.timeout': { status: 408, title: 'The request took too long to arrive' },
  'request.uri_too_long': { status: 414, title: 'The address is too long' },
  'request.headers_too_large': { status: 431, title: 'The headers are too large' },
  'request.misdirected': { status: 421, title: 'The host is not accepted' },
  'request.invalid': { status: 422, title: 'The request is not valid' },
  'request.upgrade_required': { status: 426, title: 'WebSocket upgrade required' },
  rate_limited: { status: 429, title: 'Too many requests' },
  'budget.used_up': { status: 429, title: 'The budget is used up' },
  internal: { status: 500, title: 'Internal error' },
  'provider.failed': { status: 502, title: 'The model provider failed' },
  'provider.unavailable': { status: 503, title: 'The model provider cannot be called' },
  'provider.timeout': { status: 504, title: 'The model provider did not reply in time' },
  'content.incomplete': { status: 503, title: 'Captured texts are being indexed' },
  'store.unavailable': { status: 503, title: 'The store is not available' },
  'store.full': { status: 507, title: 'The store is full' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof problems

export const FieldError = z.object({
  path: z
    .string()
    .meta({ description: 'Path of the field in the request: `username`, `0.latency_ms`, `query.limit`' }),
  message: z.string(),
})
export type FieldError = z.infer<typeof FieldError>

/** A body of 1 MiB can have 500,000 invalid fields, whose errors would be 40 times as long. */
export const maxFieldErrors = 1000

/** RFC 9457 problem details, with the fields this service adds. */
export const ProblemBody = z.object({
  type: z.string().meta({ description: '`urn:problem:<code>`' }),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string(),
  code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
  request_id: z.string(),
  error: z.string().meta({ description: 'The same as `detail`, for older clients' }),
  errors: z.array(FieldError).max(maxFieldErrors).optional(),
  required_role: Role.optional(),
  retry_after: z.int().optional().meta({ description: 'Seconds' }),
  challenge: z.string().optional().meta({
    description: 'Completes the sign-in, together with a code: `POST /api/login {challenge, code}`',
  }),
  challenge_expires_at: Timestamp.optional(),
  rendered: z.string().optional().meta({ description: 'The text sent to the model in the failed call' }),
  output: z.string().optional().meta({
    description:
      'The partial output of the failed call, or the output of a call whose run could not be stored',
  }),
  run_id: z.int().optional().meta({ description: 'The run log entry of the call that failed' }),
  error_type: z.string().optional().meta({ description: 'Error type, as in the run log' }),
})
export type ProblemBody = z.infer<typeof ProblemBody>
