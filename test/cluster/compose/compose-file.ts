import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

type Variables = Readonly<Record<string, string>>

export type ComposeService = {
  readonly image?: string
  readonly build?: string
  readonly environment?: Variables
  readonly network_mode?: string
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

export type ComposeFile = {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** Returns the text of a file of the repository. */
export const readTop = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

/**
 * Parses `compose.yaml` and replaces its variables as Compose does: `${NAME:-default}`, and `${NAME:?}`, which throws
 * if the variable is missing or empty.
 */
export function readCompose(variables: Variables): ComposeFile {
  const replaceIn = (text: string): string =>
    text.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?)?\}/g, (_all, name: string, otherwise?: string) => {
      const value = variables[name] || otherwise
      if (value === undefined) throw new Error(`compose.yaml needs ${name}`)
      return value
    })
  return parse(
    readTop('compose.yaml'),
    (_key, value) => (typeof value === 'string' ? replaceIn(value) : value),
    {
      merge: true,
    },
  )
}

/** Returns a service by its name. Throws if the file has none. */
export function serviceOf({ services }: ComposeFile, name: string): ComposeService {
  const service = services[name]
  if (service === undefined) throw new Error(`compose.yaml has no service ${name}`)
  return service
}

export const environmentOf = (file: ComposeFile, name: string): Variables =>
  serviceOf(file, name).environment ?? {}
