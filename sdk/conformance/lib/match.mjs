const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const shown = (value) => (value === undefined ? 'nothing' : JSON.stringify(value))

/** What stands for a value, by its name. Each answers why a value is no match, or null. */
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
 * Why `value` is not as expected, with the place, or null when it is. Objects match in part, lists whole.
 * @returns {string | null}
 */
export function mismatch(expected, value, path = '') {
  const where = path === '' ? 'it' : path
  if (isObject(expected)) {
    const [name] = Object.keys(expected)
    if (name?.startsWith('$')) {
      const why = wildcards[name](expected[name], value)
      return why === null ? null : `${where} ${why}: ${shown(value)}`
    }
    if (!isObject(value)) return `${where} is ${shown(value)}, expected ${shown(expected)}`
    for (const [member, inner] of Object.entries(expected)) {
      const own = Object.hasOwn(value, member) ? value[member] : undefined
      const why = mismatch(inner, own, path === '' ? member : `${path}.${member}`)
      if (why !== null) return why
    }
    return null
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(value)) return `${where} is ${shown(value)}, expected a list`
    if (value.length !== expected.length)
      return `${where} has ${value.length} items, expected ${expected.length}`
    for (const [index, inner] of expected.entries()) {
      const why = mismatch(inner, value[index], `${path}[${index}]`)
      if (why !== null) return why
    }
    return null
  }
  return Object.is(expected, value) ? null : `${where} is ${shown(value)}, expected ${shown(expected)}`
}

/** Names of the values an expectation may hold in place of one. */
export const wildcardNames = Object.keys(wildcards)
