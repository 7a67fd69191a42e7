import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { clearable, item, Name, Ok, Slug, Timestamp } from '../common/fields.ts'
import { ModelName, ProviderName } from './models.ts'
import { Price } from './prices.ts'
import { ProviderChoice } from './provider-choice.ts'

/** A row of the settings' price table without the provider, which is in the URL. */
export const ProviderPrice = Price.omit({ provider: true })
export type ProviderPrice = z.infer<typeof ProviderPrice>

export const maxConcurrency = 1000
export const maxModels = 200

/** A provider as an admin sees it. No reply contains the key. */
export const Provider = ProviderChoice.extend({
  base_url: z.string().nullable().meta({ description: 'Effective address; null if none is set or needed' }),
  default_base_url: z
    .string()
    .nullable()
    .meta({ description: 'Built-in address, used if `base_url` is null' }),
  enabled: z.boolean(),
  concurrency: z
    .int()
    .nullable()
    .meta({ description: 'Maximum number of concurrent calls; further calls wait. Null for no limit' }),
  needs_key: z.boolean().meta({ description: 'Whether calls require a key' }),
  has_key: z.boolean().meta({ description: 'Whether a key is set and readable' }),
  key_hint: z.string().nullable().meta({ description: 'The last four characters of a key of eight or more' }),
  key_set_at: Timestamp.nullable(),
  key_problem: z.string().nullable().meta({ description: 'Reason why the key cannot be used' }),
  prices: z.array(ProviderPrice),
  updated_at: Timestamp.nullable().meta({ description: 'Null if never changed' }),
  updated_by: z.string().nullable(),
})
export type Provider = z.infer<typeof Provider>

const ApiKey = z
  .string()
  .trim()
  .min(1, 'Enter a key, or send null to remove it')
  .max(4096, 'A key has 4,096 characters at most')
  .regex(/^[\x21-\x7e]*$/, 'A key is one word of printable ASCII characters')

const Label = Name(64)
const BaseUrl = z.string().trim().min(1).max(2048)

/** Changes to a provider. An absent field is not changed; null restores the built-in value. */
export const UpdateProviderBody = z.strictObject({
  label: Label.optional().meta({ description: 'Only for providers that an admin added' }),
  base_url: clearable(BaseUrl),
  api_key: clearable(ApiKey).meta({ description: 'Write-only. Null removes the key', writeOnly: true }),
  test_key: z.boolean().default(false).meta({
    description:
      'Test a new key before it replaces the stored one. If the test fails, the reply is 422 and nothing is stored',
  }),
  models: clearable(z.array(ModelName).max(maxModels)),
  default_model: clearable(ModelName),
  enabled: clearable(z.boolean()),
  local: clearable(z.boolean()).meta({
    description:
      'It runs on this machine or network: private addresses and plain http are allowed, public ones are not',
  }),
  concurrency: clearable(z.int().min(1).max(maxConcurrency)),
  prices: clearable(z.array(ProviderPrice).max(500)).meta({
    description: 'Its rows of the price table; null to use the built-in rows',
  }),
})
export type UpdateProviderBody = z.infer<typeof UpdateProviderBody>

/** A new provider with OpenAI's protocol. */
export const CreateProviderBody = UpdateProviderBody.extend({
  label: Label,
  name: Slug.optional().meta({
    description: 'ID, in runs and agents; it never changes. By default derived from the label',
  }),
  base_url: BaseUrl,
})
export type CreateProviderBody = z.infer<typeof CreateProviderBody>

const keyTested = z.boolean().nullable().meta({
  description: 'Whether the new key was tested before it was stored; null if the request has no new key',
})
const Changed = item(Provider).extend({
  key_tested: keyTested,
  key_dropped: z
    .boolean()
    .meta({ description: 'Whether the key was deleted because the address is a different host' }),
  message: z.string().nullable().meta({ description: 'Message about this change' }),
})

export const ProviderTest = z.object({
  ok: z.boolean(),
  message: z.string().meta({ description: 'Readable result' }),
  error_type: z.string().nullable().meta({ description: 'Error type, as in a failed run' }),
  status: z.int().nullable().meta({ description: 'HTTP status of the provider, if it responded' }),
  latency_ms: z.int(),
  models: z.array(z.string()).meta({ description: 'Models that the provider lists, at most 200' }),
})
export type ProviderTest = z.infer<typeof ProviderTest>

const params = z.object({ name: ProviderName })
const common = { tag: 'Providers', permission: 'providers.manage', workspaces: 'none' } as const
const example: z.input<typeof Provider> = {
  name: 'openai',
  label: 'OpenAI',
  kind: 'openai',
  models: ['gpt-4o', 'gpt-4o-mini'],
  default_model: 'gpt-4o-mini',
  configured: true,
  reason: null,
  local: false,
  built_in: true,
  status: 'ready',
  checked_at: '2026-11-21T09:41:12.400Z',
  checked_by: 'check',
  latency_ms: 184,
  failing_since: null,
  error: null,
  base_url: 'https://api.openai.com/v1',
  default_base_url: 'https://api.openai.com/v1',
  enabled: true,
  concurrency: 16,
  needs_key: true,
  has_key: true,
  key_hint: 'x7Qa',
  key_set_at: '2026-11-21T09:30:00.000Z',
  key_problem: null,
  prices: [{ model: 'gpt-4o*', from: '2024-08-06', input_usd_per_million: 2.5, output_usd_per_million: 10 }],
  updated_at: '2026-11-21T09:30:00.000Z',
  updated_by: 'admin',
}

const namedExample: z.input<typeof Provider> = {
  ...example,
  name: 'team-vllm',
  label: 'Team vLLM',
  models: ['qwen3-32b'],
  default_model: 'qwen3-32b',
  local: false,
  built_in: false,
  status: 'unchecked',
  checked_at: null,
  checked_by: null,
  latency_ms: null,
  base_url: 'https://models.example.com/v1',
  default_base_url: null,
  needs_key: false,
  prices: [],
}

export const providers = {
  create: endpoint({
    ...common,
    method: 'POST',
    path: '/api/providers',
    summary: 'Add a model provider with the protocol of OpenAI',
    description:
      'For any number of servers with Chat Completions, such as LM Studio, vLLM or llama.cpp. Without `name`, one is derived from the label; if it is taken, it gets the suffix `-2`, `-3` and so on.',
    body: CreateProviderBody,
    reply: item(Provider).extend({
      key_tested: keyTested,
      message: z.string().nullable().meta({ description: 'Message about the new provider' }),
    }),
    status: 201,
    idempotent: true,
    problems: ['provider.name_taken', 'idempotency.mismatch', 'store.full'],
    example: {
      body: { label: 'Team vLLM', base_url: 'https://models.example.com/v1', models: ['qwen3-32b'] },
      reply: { data: namedExample, key_tested: null, message: null },
    },
  }),
  list: endpoint({
    ...common,
    method: 'GET',
    path: '/api/providers',
    summary: 'List model providers with their settings',
    reply: item(z.array(Provider)).extend({ total: z.int(), next_cursor: z.null() }),
    example: { reply: { data: [example], total: 1, next_cursor: null } },
  }),
  get: endpoint({
    ...common,
    method: 'GET',
    path: '/api/providers/:name',
    summary: 'Get a model provider with its settings',
    params,
    reply: item(Provider),
    problems: ['not_found'],
    example: { reply: { data: example } },
  }),
  update: endpoint({
    ...common,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/providers/:name',
    summary: 'Update a model provider: address, key, models and limits',
    description:
      'The key is stored encrypted and never returned. A different scheme, host or port deletes it, unless the same request sets a new key; `key_dropped` is then true. Addresses are checked here and at each connection.',
    params,
    body: UpdateProviderBody,
    reply: Changed,
    problems: ['not_found', 'store.full'],
    example: {
      body: { api_key: 'sk-proj-example-x7Qa', test_key: true, default_model: 'gpt-4o-mini' },
      reply: { data: example, key_tested: true, key_dropped: false, message: null },
    },
  }),
  remove: endpoint({
    ...common,
    method: 'DELETE',
    path: '/api/providers/:name',
    summary: 'Delete a model provider, or reset a built-in one, with its key',
    description:
      'A provider that an admin added is deleted. Its runs keep its name, and its prices stay, because they apply to these runs. Agents and workflow steps that use it fail until they name another one.',
    params,
    reply: Ok,
    problems: ['not_found'],
    example: { reply: { ok: true } },
  }),
  test: endpoint({
    ...common,
    method: 'POST',
    path: '/api/providers/:name/test',
    summary: 'Test the connection to a provider by listing its models',
    description:
      'Always returns 200; `ok` has the result, which is also the `status` of the provider. No model is run, and no setting is changed.',
    params,
    reply: item(ProviderTest),
    problems: ['not_found'],
    example: {
      reply: {
        data: {
          ok: true,
          message: 'Connected: 54 models found.',
          error_type: null,
          status: 200,
          latency_ms: 184,
          models: ['gpt-4o', 'gpt-4o-mini'],
        },
      },
    },
  }),
}
