import { join, sep } from 'node:path'

/** @typedef {any} Node a node of ESTree */
/** @typedef {[from: number, to: number]} Range */
/** @typedef {{ from: number, to: number, text: string }} Edit replaces a range with a text */

const schemasOfEndpoint = new Set(['params', 'query', 'body', 'reply'])

/**
 * Functions of the contract, with the properties of their argument that only the service and the
 * documentation need. The service validates what it receives and sends; the console relies on the types.
 */
const forService = new Map([
  ['endpoint', new Set(['summary', 'description', 'example', ...schemasOfEndpoint])],
  ['definitionEndpoints', new Set(['nounWithArticle', 'plural', 'texts', 'examples', 'schemas'])],
])

/** Properties of a problem that only replies of the service need. */
const replied = new Set(['title'])

/**
 * Removes what the console does not need from the modules of the contract: `.meta(…)` of schemas, texts,
 * examples and schemas of endpoints, and titles of problems, which replies contain. Marks the constants of
 * the contract as free of side effects, so that the build leaves out schemas that the console does not use.
 * @param {string} root the repository
 * @returns {import('vite').Plugin}
 */
export function contractForConsole(root) {
  const folder = join(root, 'contract') + sep
  return {
    name: 'contract-for-console',
    enforce: 'post',
    apply: 'build',
    transform(code, id) {
      if (!id.startsWith(folder)) return null
      const program = this.parse(code)
      /** @type {Range[]} */
      const ranges = []
      visit(program, (node) => {
        const range = metaOf(node)
        if (range !== null) ranges.push(range)
        ranges.push(...unneededOf(node))
        for (const problem of problemsOf(node)) ranges.push(...propertiesOf(problem, replied))
      })
      const removals = ranges.map(([from, to]) => ({ from, to, text: '' }))
      return { code: edited(code, [...removals, ...pureConstants(program, code)]), map: null }
    },
  }
}

/**
 * Returns the ranges of what the console does not need in a call; none for any other node.
 * @param {Node} node
 * @returns {Range[]}
 */
function unneededOf(node) {
  if (isPartOfEndpoint(node)) return propertiesOf(node, schemasOfEndpoint)
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return []
  const names = forService.get(node.callee.name)
  return names === undefined ? [] : propertiesOf(node.arguments[0], names)
}

/**
 * Returns the range of `.meta(…)` at the end of a call; null for any other node.
 * @param {Node} node
 * @returns {Range | null}
 */
function metaOf(node) {
  const { callee } = node
  if (node.type !== 'CallExpression' || callee.type !== 'MemberExpression' || callee.computed) return null
  return callee.property.name === 'meta' ? [callee.object.end, node.end] : null
}

/**
 * Returns the objects of the table of problems; none for any other node.
 * @type {(node: Node) => Node[]}
 */
const problemsOf = (node) =>
  node.type === 'VariableDeclarator' && node.id.name === 'problems' && node.init?.type === 'ObjectExpression'
    ? node.init.properties.map((/** @type {Node} */ { value }) => value)
    : []

/**
 * Returns the ranges of the properties with these names, each with its comma.
 * @type {(object: Node, names: ReadonlySet<string>) => Range[]}
 */
const propertiesOf = (object, names) =>
  object?.type !== 'ObjectExpression'
    ? []
    : object.properties.flatMap((/** @type {Node} */ property, /** @type {number} */ index) => {
        if (property.type !== 'Property' || !names.has(property.key.name)) return []
        const next = object.properties[index + 1]
        return [[property.start, next === undefined ? property.end : next.start]]
      })

/**
 * @param {Node} node
 * @param {(node: Node) => void} onNode
 */
function visit(node, onNode) {
  onNode(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (child !== null && typeof child === 'object' && typeof child.type === 'string') visit(child, onNode)
  }
}

/**
 * Returns true for an object that several endpoints of a tag contain.
 * @param {Node} node
 */
function isPartOfEndpoint(node) {
  if (node.type !== 'ObjectExpression') return false
  const names = node.properties.map((/** @type {Node} */ { key }) => key?.name)
  return names.includes('tag') && names.includes('permission')
}

/**
 * Returns the edits that mark the constants of a module as free of side effects.
 * @type {(program: Node, code: string) => Edit[]}
 */
const pureConstants = (program, code) =>
  program.body
    .map((/** @type {Node} */ statement) => statement.declaration ?? statement)
    .filter((/** @type {Node} */ { type }) => type === 'VariableDeclaration')
    .flatMap((/** @type {Node} */ { declarations }) => declarations)
    .flatMap((/** @type {Node} */ declarator) => markPure(declarator, code))

/**
 * Wraps an expression in a function whose call is marked as pure: a mark of one call does not apply to the
 * calls in its arguments. The build inlines the function.
 */
const pure = { begin: '/* @__PURE__ */ (() => ', end: ')()' }

/**
 * Returns the edits that make an initial value the result of a marked function. Parts of an object become
 * separate constants.
 * @param {Node} declarator @param {string} code
 * @returns {Edit[]}
 */
function markPure({ id, init, start, end }, code) {
  if (init === null) return []
  if (id.type === 'ObjectPattern' && init.type === 'Identifier') {
    const names = id.properties.map((/** @type {Node} */ { argument, value }) => (argument ?? value).name)
    const parts = names.map(
      (/** @type {string} */ name) =>
        `${name} = ${pure.begin}{ const ${code.slice(start, end)}; return ${name} }${pure.end}`,
    )
    return [{ from: start, to: end, text: parts.join(', ') }]
  }
  if (!callsSomething(init)) return []
  return [
    { from: init.start, to: init.start, text: `${pure.begin}(` },
    { from: init.end, to: init.end, text: `)${pure.end}` },
  ]
}

/** @param {Node} value */
function callsSomething(value) {
  if (value.type === 'ArrowFunctionExpression' || value.type === 'FunctionExpression') return false
  let isCalling = false
  visit(value, ({ type }) => {
    isCalling ||= type === 'CallExpression' || type === 'NewExpression'
  })
  return isCalling
}

/**
 * Returns the code with the edits. An edit inside a removed range is removed with it.
 * @param {string} code
 * @param {readonly Edit[]} edits
 */
function edited(code, edits) {
  let result = ''
  let end = 0
  for (const { from, to, text } of edits.toSorted((a, b) => a.from - b.from)) {
    if (from < end) continue
    result += code.slice(end, from) + text
    end = to
  }
  return result + code.slice(end)
}
