import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ServerResult,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js'
import { z } from 'zod'
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
  handle(server, ListPromptsRequestSchema, ({ params }) =>
    orError(() => prompts.list(caller, params?.cursor)),
  )
  handle(server, GetPromptRequestSchema, ({ params }) =>
    orError(() => prompts.get(caller, params.name, params.arguments)),
  )
  handle(server, ListResourcesRequestSchema, ({ params }) =>
    orError(() => resources.list(caller, params?.cursor)),
  )
  handle(server, ListResourceTemplatesRequestSchema, async () => resources.templates())
  handle(server, ReadResourceRequestSchema, ({ params }) =>
    orResourceError(() => resources.read(caller, params.uri)),
  )
  handle(server, ListToolsRequestSchema, async () => tools.list(caller))
  handle(server, CallToolRequestSchema, ({ params }) =>
    orError(() => tools.call(caller, params.name, params.arguments)),
  )
  return server
}

/** Registers a handler. Without its own check, the SDK reports wrong parameters as an internal error. */
function handle<Shape extends { readonly method: z.ZodLiteral<string> }>(
  server: Server,
  schema: z.ZodObject<Shape>,
  work: (request: z.output<z.ZodObject<Shape>>) => Promise<ServerResult>,
): void {
  server.setRequestHandler(z.looseObject({ method: schema.shape.method }), async (request) => {
    const parsed = schema.safeParse(request)
    if (parsed.success) return work(parsed.data)
    const [issue] = parsed.error.issues
    throw new McpError(ErrorCode.InvalidParams, `${issue?.path.join('.')}: ${issue?.message}`)
  })
}
