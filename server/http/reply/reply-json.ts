import type { Endpoint } from '../../../contract/common/endpoint.ts'

/** Returns a reply as JSON, after checking it against the schema of its endpoint. */
export const replyJson = ({ reply: schema }: Pick<Endpoint, 'reply'>, reply: unknown): string =>
  JSON.stringify(schema.parse(reply))

/** The part of a reply that readers share: all of it, or the data of an item, around which each reply is a new object. */
function sharedPart(reply: object): object {
  if (!('data' in reply) || Object.keys(reply).length > 1) return reply
  return typeof reply.data === 'object' && reply.data !== null ? reply.data : reply
}

/**
 * Returns a function like `replyJson` for replies that readers share (`SharedResults`): it makes the JSON of each object
 * once, because checking and writing 50 runs takes longer than all the rest of a request. Such an object never changes.
 */
export function createSharedJson(endpoint: Pick<Endpoint, 'reply'>): (reply: unknown) => string {
  const texts = new WeakMap<object, string>()
  return (reply) => {
    if (typeof reply !== 'object' || reply === null) return replyJson(endpoint, reply)
    const part = sharedPart(reply)
    const known = texts.get(part)
    if (known !== undefined) return known
    const text = replyJson(endpoint, reply)
    texts.set(part, text)
    return text
  }
}
