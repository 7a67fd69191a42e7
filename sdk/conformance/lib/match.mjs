const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const nameOf = (path) => (path === '' ? 'it' : path)
const format = (value) => (value === undefined ? 'nothing' : JSON.stringify(value))

/** Wildcards by name. Each returns the reason why a value does not match, or null. */
const wildcards = {
  $re: (pattern, value) =>
    typeof value === 'string' && new RegExp(pattern, 'u').test(value) ? null : `does not match /${pattern}/`,
  $json: (exact, value) => (format(value) === format(exact) ? null : `is not exactly ${format(exact)}`),
  $absent: (_, value) => (value === undefined ? null : 'should be absent'),
  $any: (_, value) => (value === undefined ? 'is absent' : null),
  $gte: (min, value) => (typeof value === 'number' && value >= min ? null : `is not at least ${min}`),
  $lte: (max, value) => (typeof value === 'number' && value <= max ? null : `is not at most ${max}`),
  $set: (members, value) => (isSameSet(members, value) ? null : `should hold exactly ${format(members)}`),
  $not: (unwanted, value) =>
    mismatch(unwanted, value) === null ? `should not match ${format(unwanted)}` : null,
}

const isSameSet = (members, value) =>
  Array.isArray(value) && value.length === members.length && members.every((member) => value.includes(member))

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
      : `${nameOf(path)} is ${format(value)}, expected ${format(expected)}`
  }
  const [name] = Object.keys(expected)
  if (!name?.startsWith('$')) return memberMismatch(expected, value, path)
  const reason = wildcards[name](expected[name], value)
  return reason === null ? null : `${nameOf(path)} ${reason}: ${format(value)}`
}

function memberMismatch(expected, value, path) {
  if (!isObject(value)) return `${nameOf(path)} is ${format(value)}, expected ${format(expected)}`
  for (const [member, inner] of Object.entries(expected)) {
    const memberValue = Object.hasOwn(value, member) ? value[member] : undefined
    const reason = mismatch(inner, memberValue, path === '' ? member : `${path}.${member}`)
    if (reason !== null) return reason
  }
  return null
}

function itemMismatch(expected, value, path) {
  if (!Array.isArray(value)) return `${nameOf(path)} is ${format(value)}, expected a list`
  if (value.length !== expected.length)
    return `${nameOf(path)} has ${value.length} items, expected ${expected.length}`
  for (const [index, inner] of expected.entries()) {
    const reason = mismatch(inner, value[index], `${path}[${index}]`)
    if (reason !== null) return reason
  }
  return null
}

export const wildcardNames = Object.keys(wildcards)
