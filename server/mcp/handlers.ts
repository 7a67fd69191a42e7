import { createPromptHandlers } from './prompts/prompts.ts'
import type { ServedDeps } from './prompts/served-pages.ts'
import { createResourceHandlers } from './resources/resources.ts'
import { createToolHandlers } from './tools/tools.ts'

export type Handlers = ReturnType<typeof createHandlers>

/** Creates the handlers of the requests of clients, by noun. */
export const createHandlers = (deps: ServedDeps) => ({
  prompts: createPromptHandlers(deps),
  resources: createResourceHandlers(deps),
  tools: createToolHandlers(deps.operations),
})
