import { z } from 'zod'
import { api } from '../../../contract/index.ts'
import { offlineProvider } from '../../../contract/models/models.ts'
import { PromptMessage } from '../../../contract/prompts/prompt-chat.ts'
import { shared, type Tool, tool } from './tool.ts'

/** Tools that call models. */
export const playgroundTools: readonly Tool[] = [
  tool({
    name: 'list_models',
    title: 'List models',
    description: 'Lists the model providers with their models, and whether they can be called.',
    args: z.strictObject({}),
    operation: api.playground.providers,
    isReadOnly: true,
    async run(operations, caller) {
      const { data } = await operations.call(caller, api.playground.providers, {})
      return data.map(({ name, label, models, default_model, configured, reason }) => {
        return { name, label, models, default_model, configured, reason }
      })
    },
  }),
  tool({
    name: 'run_prompt',
    title: 'Run a prompt',
    description: `Runs a prompt, a text or messages on a model, and logs the run. The provider ${offlineProvider} is free and offline; others may cost money.`,
    args: z.strictObject({
      id: shared.id.optional().describe('ID of a prompt; otherwise set `content` or `messages`'),
      version: z.string().max(16).optional().describe('`draft`, or a version such as v3'),
      content: z.string().optional(),
      messages: z.array(PromptMessage).max(200).optional(),
      workspace: shared.workspace,
      variables: z.record(z.string(), z.unknown()).optional().describe('Values by name'),
      provider: z.string().max(64).default(offlineProvider),
      model: z.string().max(128).optional(),
      params: z.record(z.string(), z.unknown()).optional().describe('Parameters such as max_tokens'),
    }),
    operation: api.playground.run,
    isReadOnly: false,
    async run(operations, caller, { workspace, ...fields }) {
      const place = workspace === undefined ? {} : { workspace_id: workspace }
      // The run log has no field for the client.
      const metadata = { mcp_client: caller.ctx.mcpClient }
      const { result, run } = await operations.call(caller, api.playground.run, {
        body: { ...fields, ...place, metadata },
      })
      return { result, run }
    },
  }),
]
