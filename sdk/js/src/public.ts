export { type ErrorCode, PromptdeckError } from './core/errors.ts'
export type { ClientOptions, Env, Timings } from './core/options.ts'
export type {
  Catalog,
  CatalogOf,
  ClientEvents,
  EventName,
  Fallback,
  Listener,
  Prompt,
  Run,
  ServedPrompt,
  Source,
  Update,
  Variable,
} from './core/types.ts'
export { version } from './core/version.ts'
export { renderTemplate } from './prompts/render.ts'
export type { WrapOptions } from './runs/wrap.ts'
