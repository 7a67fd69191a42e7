import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { queryInt } from '../common/fields.ts'
import type { ClientType } from '../live/clients.ts'
import { PromptKey } from '../resources/key.ts'
import { Environment, EnvironmentName, promptBody, VersionLabel } from './prompt.ts'

/** The SDK versions released with this service, by client type. */
export const sdkVersions = {
  'node-sdk': '0.1.0',
  'python-sdk': '0.1.0',
  'java-sdk': '0.1.0',
  browser: '0.1.0',
} as const satisfies Record<ClientType, string>

/** A served prompt, as apps receive it: always a published version, never a draft. */
export const SdkPrompt = z.object({
  key: z.string(),
  version: VersionLabel,
  env: Environment,
  ...promptBody,
  etag: z.string().meta({ description: 'Value of the `ETag` header; send it as `If-None-Match`' }),
})
export type SdkPrompt = z.infer<typeof SdkPrompt>

const environmentFields = {
  env: EnvironmentName.default('prod'),
  workspace: z.string().min(1).max(64).default('default').meta({ description: 'ID or slug' }),
}
const example: z.input<typeof SdkPrompt> = {
  key: 'greet',
  version: 'v3',
  env: 'prod',
  model: 'gpt-4o',
  type: 'text',
  content: 'Hello {{name}}',
  messages: null,
  params: {},
  variables: [],
  etag: '"019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b20-v3"',
}
const common = {
  tag: 'SDK',
  method: 'GET',
  workspaces: 'input',
  permission: 'resources.read',
  forApps: true,
  replyAs: 'preserialized',
  etag: true,
  problems: ['not_found'],
} as const

export const sdk = {
  prompt: endpoint({
    ...common,
    path: '/api/sdk/prompts/:key',
    summary: 'Get the served version of a prompt by key (write `/` as `%2F`)',
    params: z.object({ key: PromptKey }),
    query: z.strictObject(environmentFields),
    reply: SdkPrompt,
    example: { query: 'env=prod&workspace=default', reply: example },
  }),
  prompts: endpoint({
    ...common,
    path: '/api/sdk/prompts',
    summary: 'List all served prompts of an environment by key, to fill the cache of an app',
    description:
      'A page ends at `limit`, or earlier at about 4 MiB. Continue with `cursor` until `next_cursor` is null.',
    query: z.strictObject({
      ...environmentFields,
      limit: queryInt(1, 1000).default(1000),
      cursor: z.string().min(1).max(1024).optional(),
    }),
    reply: z.object({ data: z.array(SdkPrompt), total: z.int(), next_cursor: z.string().nullable() }),
    example: { query: 'env=prod', reply: { data: [example], total: 1, next_cursor: null } },
  }),
}
