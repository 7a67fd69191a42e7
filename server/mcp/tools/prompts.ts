import { z } from 'zod'
import { api } from '../../../contract/index.ts'
import { PromptMessage } from '../../../contract/prompts/prompt-chat.ts'
import { shared, type Tool, tool } from './tool.ts'

const draftFields = {
  content: z.string().optional().describe('The text, with variables such as {{name}}'),
  messages: z.array(PromptMessage).max(200).optional().describe('The messages of a chat prompt'),
  model: z.string().max(128).optional(),
  params: z.record(z.string(), z.unknown()).optional().describe('Parameters such as temperature'),
  variables: z
    .array(
      z.strictObject({
        name: z.string().max(128),
        required: z.boolean().optional(),
        default: z.string().optional(),
        description: z.string().max(1000).optional(),
      }),
    )
    .max(200)
    .optional(),
}

const version = z.string().max(16).optional().describe('A version such as v3, `served` or `draft`')

const readTools: readonly Tool[] = [
  tool({
    name: 'search_prompts',
    title: 'Search prompts',
    description: 'Lists prompts with ID, key, environment and version, without their content.',
    args: z.strictObject({
      workspace: shared.workspace,
      env: shared.env,
      key: z.string().max(200).optional().describe('The full key'),
      q: z.string().min(1).max(200).optional().describe('Words of key, name, description or content'),
      limit: shared.limit,
      cursor: shared.cursor,
    }),
    operation: api.prompts.list,
    isReadOnly: true,
    run: (operations, caller, query) =>
      operations.call(caller, api.prompts.list, { query: { ...query, fields: 'summary' } }),
  }),
  tool({
    name: 'get_prompt',
    title: 'Get prompt',
    description: 'Returns a prompt with its draft and its served version. `etag` identifies this state.',
    args: z.strictObject({ id: shared.id }),
    operation: api.prompts.get,
    isReadOnly: true,
    run: async (operations, caller, { id }) =>
      (await operations.call(caller, api.prompts.get, { params: { id } })).data,
  }),
  tool({
    name: 'diff_prompt_versions',
    title: 'Compare versions of a prompt',
    description: 'Compares two versions by line. By default, the served version with the draft.',
    args: z.strictObject({
      id: shared.id,
      from: version,
      to: version,
      to_id: z.string().max(64).optional().describe('ID of the prompt of `to`, if it is another one'),
    }),
    operation: api.promptVersions.diff,
    isReadOnly: true,
    run: async (operations, caller, { id, ...query }) =>
      (await operations.call(caller, api.promptVersions.diff, { params: { id }, query })).data,
  }),
]

/** Tools that change drafts. Apps get a draft only after a person has published it. */
const draftTools: readonly Tool[] = [
  tool({
    name: 'create_draft',
    title: 'Create a prompt as a draft',
    description: 'Creates a prompt that is not published. A person publishes it in the console.',
    args: z.strictObject({
      key: z.string().min(1).max(200).describe('The key, such as billing/greet'),
      env: z.enum(['dev', 'test', 'prod']).default('dev'),
      workspace: shared.workspace,
      name: z.string().max(200).optional(),
      description: z.string().max(2000).optional(),
      ...draftFields,
    }),
    operation: api.prompts.create,
    isReadOnly: false,
    async run(operations, caller, { workspace, ...fields }) {
      const place = workspace === undefined ? {} : { workspace_id: workspace }
      const body = { ...fields, ...place, draft: true }
      return (await operations.call(caller, api.prompts.create, { body })).data
    },
  }),
  tool({
    name: 'update_draft',
    title: 'Update the draft of a prompt',
    description:
      'Changes the draft only. Pass the `etag` that you read, so that nobody else’s change is overwritten.',
    args: z.strictObject({ id: shared.id, etag: z.string().max(200).optional(), ...draftFields }),
    operation: api.prompts.update,
    isReadOnly: false,
    run: async (operations, caller, { id, etag, ...body }) =>
      (await operations.call(caller, api.prompts.update, { params: { id }, body, ifMatch: etag })).data,
  }),
]

export const promptTools: readonly Tool[] = [...readTools, ...draftTools]
