export { type ErrorCode, PromptdeckError } from './core/errors.ts'
export type { ClientOptions, Timings } from './core/options.ts'
export type { Env } from './core/target.ts'
export type {
  Catalog,
  CatalogOf,
  ClientEvents,
  EventName,
  Fallback,
  Listener,
  Message,
  Params,
  PlaceholderValues,
  Prompt,
  PromptMessage,
  Run,
  ServedPrompt,
  Source,
  ToolCall,
  Update,
  Variable,
} from './core/types.ts'
export { version } from './core/version.ts'
export { renderMessages } from './prompts/messages.ts'
export { renderTemplate } from './prompts/render.ts'
export type { WrapOptions } from './runs/wrap.ts'
