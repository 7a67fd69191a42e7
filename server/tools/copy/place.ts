import { resolve } from 'node:path'
import { UsageError } from '../command/io/failure.ts'

/** One end of a copy. */
export type Place =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'database'; readonly url: string }

/** Returns the place that an argument names: the URL of a database, or a data folder. */
export function placeOf(argument: string): Place {
  if (!/^\w+:\/\//.test(argument)) return { kind: 'folder', folder: resolve(argument) }
  if (URL.canParse(argument) && /^postgres(?:ql)?:$/.test(new URL(argument).protocol))
    return { kind: 'database', url: argument }
  // The argument is not printed, because it may contain a password.
  throw new UsageError('Expected a folder, or postgres://<user>:<password>@<host>/<database>.')
}

/** Returns the place for messages, without the password of a URL. */
export function nameOf(place: Place): string {
  if (place.kind === 'folder') return place.folder
  const { host, pathname, searchParams } = new URL(place.url)
  return `postgres://${host || (searchParams.get('host') ?? '')}${pathname}`
}
