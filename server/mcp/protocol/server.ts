import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js'
import { serviceVersion } from '../../lib/version.ts'
import type { Caller } from '../caller.ts'
import type { Handlers } from '../handlers.ts'
import { errorsOf } from './errors.ts'

const serverInfo = { name: 'promptdeck', title: 'Promptdeck', version: serviceVersion }

const instructions =
  'Promptdeck manages prompts in versions and logs model calls. You can read prompts and runs, write drafts and run prompts. Nothing that you write reaches apps until a person publishes it in the console.'

/** Shared, because creating one takes longer than answering a request. The server validates no schemas with it. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** Creates the server of one exchange. It has no state. */
export function createProtocolServer(
  handlers: Handlers,
  caller: Caller,
  onError: (error: unknown, requestId: string) => void,
): Server {
  const server = new Server(serverInfo, {
    capabilities: { prompts: { listChanged: true }, resources: { listChanged: true }, tools: {} },
    instructions,
    jsonSchemaValidator,
  })
  const { prompts, resources, tools } = handlers
  const { requestId } = caller.ctx
  const { list: orError, resource: orResourceError } = errorsOf(requestId, (error) =>
    onError(error, requestId),
  )
  server.setRequestHandler(ListPromptsRequestSchema, ({ params }) =>
    orError(() => prompts.list(caller, params?.cursor)),
  )
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    orError(() => prompts.get(caller, params.name, params.arguments)),
  )
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
    orError(() => resources.list(caller, params?.cursor)),
  )
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => resources.templates())
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    orResourceError(() => resources.read(caller, params.uri)),
  )
  server.setRequestHandler(ListToolsRequestSchema, () => tools.list(caller))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    orError(() => tools.call(caller, params.name, params.arguments)),
  )
  return server
}
