import { z } from 'zod'
import { Timestamp } from '../common/fields.ts'
import { ProviderName } from './models.ts'

/**
 * States of a provider. `unchecked`: it can be called, but was neither called nor checked since its settings
 * changed or the service started.
 */
export const ProviderStatus = z.enum(['ready', 'failing', 'unchecked', 'not_configured', 'disabled'])
export type ProviderStatus = z.infer<typeof ProviderStatus>

/** A provider as every signed-in user may see it. */
export const ProviderChoice = z.object({
  name: ProviderName,
  label: z.string(),
  kind: z.string().meta({ description: 'Protocol of the provider' }),
  models: z.array(z.string()),
  default_model: z.string().nullable(),
  configured: z.boolean().meta({ description: 'Whether the provider can be called' }),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'Reason why it cannot be called, and who can change this' }),
  local: z.boolean().meta({ description: 'Runs on this machine or network; no data leaves it' }),
  built_in: z.boolean().meta({ description: 'Whether it is part of Promptdeck; an admin added the others' }),
  status: ProviderStatus.meta({
    description:
      'Result of the last check or call. `ready` only after a success; the offline provider is always ready. `unchecked` after a start of the service and a change of the settings',
  }),
  checked_at: Timestamp.nullable().meta({
    description: 'Time of the last check or call; null if `unchecked`',
  }),
  checked_by: z.enum(['check', 'call']).nullable().meta({
    description: '`check` lists the models, which costs nothing; `call` is a call of a model',
  }),
  latency_ms: z.int().nullable().meta({
    description: 'Duration of the last check, or time to the first output of the last call',
  }),
  failing_since: Timestamp.nullable().meta({
    description: 'Time of the first failure after the last success',
  }),
  error: z.string().nullable().meta({ description: 'Reason of the last failure; null unless `failing`' }),
})
export type ProviderChoice = z.infer<typeof ProviderChoice>
