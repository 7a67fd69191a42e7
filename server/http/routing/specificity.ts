import type { Route } from '../route.ts'

/**
 * Compares two routes so that a fixed segment precedes a parameter, as in `/prompts/export` and
 * `/prompts/:id`. Express uses the first route that matches.
 */
export function bySpecificity(a: Route, b: Route): number {
  const [left, right] = [kindsOf(a), kindsOf(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

const kindsOf = ({ endpoint }: Route): string =>
  endpoint.path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '1' : '0'))
    .join('')
