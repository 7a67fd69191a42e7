const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const named = (path) => (path === '' ? 'it' : path)
const shown = (value) => (value === undefined ? 'nothing' : JSON.stringify(value))

/** Wildcards by name. Each returns why a value does not match, or null. */
const wildcards = {
  $re: (pattern, value) =>
    typeof value === 'string' && new RegExp(pattern, 'u').test(value) ? null : `does not match /${pattern}/`,
  $absent: (_, value) => (value === undefined ? null : 'should be absent'),
  $any: (_, value) => (value === undefined ? 'is absent' : null),
  $gte: (least, value) => (typeof value === 'number' && value >= least ? null : `is not at least ${least}`),
  $lte: (most, value) => (typeof value === 'number' && value <= most ? null : `is not at most ${most}`),
  $set: (members, value) => (isSameSet(members, value) ? null : `should hold exactly ${shown(members)}`),
  $not: (unwanted, value) =>
    mismatch(unwanted, value) === null ? `should not match ${shown(unwanted)}` : null,
}

const isSameSet = (members, value) =>
  Array.isArray(value) && value.length === members.length && members.every((one) => value.includes(one))

/**
 * Returns where and why `value` is not as expected, or null if it matches. Objects may have more members;
 * lists must match in full.
 * @returns {string | null}
 */
export function mismatch(expected, value, path = '') {
  if (Array.isArray(expected)) return itemMismatch(expected, value, path)
  if (!isObject(expected)) {
    return Object.is(expected, value)
      ? null
      : `${named(path)} is ${shown(value)}, expected ${shown(expected)}`
  }
  const [name] = Object.keys(expected)
  if (!name?.startsWith('$')) return memberMismatch(expected, value, path)
  const why = wildcards[name](expected[name], value)
  return why === null ? null : `${named(path)} ${why}: ${shown(value)}`
}

function memberMismatch(expected, value, path) {
  if (!isObject(value)) return `${named(path)} is ${shown(value)}, expected ${shown(expected)}`
  for (const [member, inner] of Object.entries(expected)) {
    const own = Object.hasOwn(value, member) ? value[member] : undefined
    const why = mismatch(inner, own, path === '' ? member : `${path}.${member}`)
    if (why !== null) return why
  }
  return null
}

function itemMismatch(expected, value, path) {
  if (!Array.isArray(value)) return `${named(path)} is ${shown(value)}, expected a list`
  if (value.length !== expected.length)
    return `${named(path)} has ${value.length} items, expected ${expected.length}`
  for (const [index, inner] of expected.entries()) {
    const why = mismatch(inner, value[index], `${path}[${index}]`)
    if (why !== null) return why
  }
  return null
}

/** Names of all wildcards. */
export const wildcardNames = Object.keys(wildcards)
