import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js'
import { api } from '../../../contract/index.ts'
import { fail } from '../../lib/fail.ts'
import { boundedText } from '../bounded-text.ts'
import type { Caller } from '../caller.ts'
import { type ServedDeps, servedPage } from '../prompts/served-pages.ts'
import { type PromptUri, parseUri, promptUri } from './uris.ts'

const mimeType = 'application/json'

const templates: ListResourceTemplatesResult['resourceTemplates'] = [
  {
    name: 'run',
    title: 'Run',
    uriTemplate: 'promptdeck://run/{id}',
    description: 'One model call, with its input and output if they were captured',
    mimeType,
  },
  {
    name: 'prompt-version',
    title: 'Version of a prompt',
    uriTemplate: 'promptdeck://prompt/{workspace}/{env}/{key}/{version}',
    description: 'A version such as v3, `served` or `draft`. Write `/` in the key as %2F',
    mimeType,
  },
]

/** Lists published prompts as resources, and reads runs and versions of prompts. */
export function createResourceHandlers(deps: ServedDeps) {
  const { operations } = deps

  const promptVersion = async (caller: Caller, { workspace, env, key, version }: PromptUri) => {
    // A token that is limited to the routes of apps reads only the served version, also by its number.
    if (version === 'served' || !operations.isAllowed(caller.identity, api.prompts.list)) {
      const place = { params: { key }, query: { workspace, env } }
      const served = await operations.call(caller, api.sdk.prompt, place)
      if (version === 'served' || version === served.version) return served
      throw fail('not_found', { detail: 'This token reads served versions only.' })
    }
    const query = { workspace, env, key, limit: 1, fields: 'summary' }
    const { data } = await operations.call(caller, api.prompts.list, { query })
    const id = data[0]?.id
    if (id === undefined) throw fail('not_found', { detail: 'Prompt not found.' })
    if (version === 'draft') return (await operations.call(caller, api.prompts.get, { params: { id } })).data
    return (await operations.call(caller, api.promptVersions.get, { params: { id, version } })).data
  }

  return {
    async list(caller: Caller, cursor?: string): Promise<ListResourcesResult> {
      const { prompts, nextCursor } = await servedPage(deps, caller, cursor)
      return {
        resources: prompts.map(({ place, prompt }) => ({
          uri: promptUri({ ...place, key: prompt.key, version: prompt.version }),
          name: `${place.workspace}/${place.env}/${prompt.key}`,
          title: `${prompt.key} ${prompt.version}`,
          description: `Prompt in ${place.env} of the workspace ${place.workspace}`,
          mimeType,
        })),
        ...(nextCursor !== null && { nextCursor }),
      }
    },
    templates: (): ListResourceTemplatesResult => ({ resourceTemplates: [...templates] }),
    async read(caller: Caller, uri: string): Promise<ReadResourceResult> {
      const parsed = parseUri(uri)
      if (parsed === null) throw fail('not_found', { detail: 'Resource not found.' })
      const value =
        parsed.kind === 'run'
          ? (await operations.call(caller, api.runs.get, { params: { id: parsed.id } })).data
          : await promptVersion(caller, parsed)
      return { contents: [{ uri, mimeType, text: boundedText(value) }] }
    },
  }
}
