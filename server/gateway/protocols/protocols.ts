import {
  type GatewayOperation,
  type GatewayProtocolName,
  type GatewayRoute,
  gatewayBases,
} from '../../../contract/gateway/gateway.ts'
import { anthropicProtocol } from './anthropic.ts'
import { geminiProtocol } from './gemini.ts'
import { ollamaProtocol } from './ollama.ts'
import { openaiProtocol } from './openai.ts'
import type { Protocol } from './protocol.ts'

/** The protocols, by the name that providers have for them too. */
const protocols: Readonly<Record<GatewayProtocolName, Protocol>> = {
  openai: openaiProtocol,
  anthropic: anthropicProtocol,
  gemini: geminiProtocol,
  ollama: ollamaProtocol,
}

/** The routes of a protocol, compiled. */
type Compiled = {
  readonly kind: string
  readonly protocol: Protocol
  /** The beginnings of its paths, with `/` at the end. */
  readonly prefixes: readonly string[]
  readonly routes: readonly CompiledRoute[]
}
type CompiledRoute = { readonly route: GatewayRoute; readonly pattern: RegExp }

const compiled: readonly Compiled[] = Object.entries(protocols).map(([kind, protocol]) => ({
  kind,
  protocol,
  prefixes: gatewayBases(protocol).map((base) => `${base}/`),
  routes: protocol.routes.map((route) => ({ route, pattern: patternOf(route) })),
}))

function patternOf({ path }: GatewayRoute): RegExp {
  const [before = '', after] = path.split('{model}')
  const escaped = (part: string) => part.replaceAll('.', '\\.')
  return new RegExp(`^${escaped(before)}${after === undefined ? '' : `([^:]{1,256})${escaped(after)}`}$`)
}

/** A segment `.` or `..`, also between encoded slashes, or the start of a fragment: the provider would get another path. */
const leavesPath = (path: string): boolean =>
  path.includes('#') || path.split(/[\\/]|%2f|%5c/i).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))

const prefixOf = ({ prefixes }: Compiled, path: string): string | undefined =>
  prefixes.find((prefix) => path.startsWith(prefix))

/** Returns the protocol of a path, also if the base in it is incomplete; null outside the gateway. */
export const protocolOf = (path: string): Protocol | null =>
  compiled.find(({ kind }) => path.startsWith(`/gateway/${kind}/`))?.protocol ?? null

/** A request to a route of the gateway. */
export type Match = {
  /** The name of the protocol. */
  readonly kind: string
  readonly protocol: Protocol
  readonly operation: GatewayOperation
  /** The path of the route, for metrics. */
  readonly pattern: string
  /** The path below the base. */
  readonly path: string
  /** The model in the path, or null. */
  readonly model: string | null
}

/** Returns the route of a request. With a known path but another method: the methods that it has. */
export function matchGateway(
  method: string,
  fullPath: string,
): Match | { readonly allow: readonly string[] } | null {
  const found = compiled.find((each) => prefixOf(each, fullPath) !== undefined)
  if (found === undefined) return null
  const { kind, protocol, routes } = found
  const path = fullPath.slice((prefixOf(found, fullPath)?.length ?? 0) - 1)
  if (leavesPath(path)) return null
  const matching = routes.filter(({ pattern }) => pattern.test(path))
  if (matching.length === 0) return null
  const exact = matching.find(({ route }) => route.method === method)
  if (exact === undefined) return { allow: matching.map(({ route }) => route.method) }
  const model = exact.pattern.exec(path)?.[1]
  return {
    kind,
    protocol,
    operation: exact.route.operation,
    pattern: `${protocol.base}${exact.route.path}`,
    path,
    model: model === undefined ? null : decoded(model),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
