const quoted = /"[^"]*"|`[^`]*`|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
/** Long words with digits, such as request ids. */
const longId = /\b(?=[a-z_]*\d)\w{6,}\b/gi
const number = /\d+(?:[.,]\d+)*/g

/** Replaces the parts in which occurrences of one error differ: quoted values, ids and numbers. */
export const normalizeMessage = (message: string): string =>
  message.replace(quoted, '"…"').replace(uuid, '#').replace(longId, '#').replace(number, '#').trim()
