import { type Environment, environments } from '../../../contract/common/environments.ts'

export type PromptUri = {
  readonly workspace: string
  readonly env: Environment
  readonly key: string
  /** `v3`, `served` or `draft`. */
  readonly version: string
}
type ParsedUri = { readonly kind: 'run'; readonly id: string } | ({ readonly kind: 'prompt' } & PromptUri)

/** Maximum length of a URI: a key has 200 characters of up to 4 bytes, each 3 characters long. */
const maxUriLength = 4096

export const promptUri = ({ workspace, env, key, version }: PromptUri): string =>
  `promptdeck://prompt/${encodeURIComponent(workspace)}/${env}/${encodeURIComponent(key)}/${version}`

/** Parses the URI of a resource. Returns null for any other. */
export function parseUri(uri: string): ParsedUri | null {
  if (uri.length > maxUriLength) return null
  const run = /^promptdeck:\/\/run\/([1-9]\d{0,15})$/.exec(uri)
  if (run !== null) return { kind: 'run', id: run[1] ?? '' }
  const [, workspace = '', envName, key = '', version = ''] =
    /^promptdeck:\/\/prompt\/([^/]+)\/(\w+)\/([^/]+)\/(v?[1-9]\d{0,8}|served|draft)$/.exec(uri) ?? []
  const env = environments.find((each) => each === envName)
  if (env === undefined) return null
  try {
    const [decodedWorkspace, decodedKey] = [decodeURIComponent(workspace), decodeURIComponent(key)]
    return { kind: 'prompt', workspace: decodedWorkspace, env, key: decodedKey, version }
  } catch {
    // Not percent-encoded UTF-8.
    return null
  }
}
