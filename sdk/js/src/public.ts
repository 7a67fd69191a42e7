export { type ErrorCode, PromptdeckError } from './errors.ts'
export type { ClientOptions, Env, Timings } from './options.ts'
export { renderTemplate } from './render.ts'
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
} from './types.ts'
export { version } from './version.ts'
export type { WrapOptions } from './wrap.ts'
