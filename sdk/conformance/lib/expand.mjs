/**
 * Returns a value in which two kinds of objects are replaced:
 *
 * - `{"$use": "name"}` by the value of this name in `shared`, with the other members of the object added
 * - `{"$repeat": n, "list": …}`, or `text` with `join`, or `members`, by that many copies as a list, text or object.
 *   `$n` in a copy is its number, from 0.
 */
export function expand(value, shared) {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => expand(item, shared))
  const { $use: name, $repeat: count, ...members } = value
  if (count !== undefined) return repeated(count, members)
  const own = Object.entries(members).map(([member, inner]) => [member, expand(inner, shared)])
  if (name === undefined) return Object.fromEntries(own)
  if (!Object.hasOwn(shared, name)) throw new Error(`There is no shared value ${name}`)
  const used = expand(shared[name], shared)
  return Array.isArray(used) ? used : Object.fromEntries([...own, ...Object.entries(used)])
}

function repeated(count, { list, text, members, join = '' }) {
  const copies = (value) => Array.from({ length: count }, (_, number) => numbered(value, number))
  if (text !== undefined) return copies(text).join(join)
  return members === undefined ? copies(list) : Object.assign({}, ...copies(members))
}

/** Replaces `$n` in all texts. A member whose value is only `$n` becomes a number. */
const numbered = (value, number) =>
  JSON.parse(JSON.stringify(value).replaceAll(':"$n"', `:${number}`).replaceAll('$n', number))
