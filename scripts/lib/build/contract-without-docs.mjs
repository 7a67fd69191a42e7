import { join, sep } from 'node:path'

/** @typedef {any} Node a node of ESTree */
/** @typedef {[from: number, to: number]} Range */

/** Arguments of functions of the contract, with the properties that only the documentation needs. */
const documented = new Map([
  ['endpoint', new Set(['summary', 'description', 'example'])],
  ['definitionEndpoints', new Set(['nounWithArticle', 'plural', 'texts', 'examples'])],
])

/** Properties of a problem that only replies of the service need. */
const replied = new Set(['title'])

/**
 * Removes what the console does not need from the modules of the contract: `.meta(…)` of schemas, texts and
 * examples of endpoints, and titles of problems, which replies contain. The console is 40 kB smaller without.
 * @param {string} root the repository
 * @returns {import('vite').Plugin}
 */
export function contractWithoutDocs(root) {
  const folder = join(root, 'contract') + sep
  return {
    name: 'contract-without-docs',
    enforce: 'post',
    apply: 'build',
    transform(code, id) {
      if (!id.startsWith(folder)) return null
      /** @type {Range[]} */
      const ranges = []
      visit(this.parse(code), (node) => {
        const range = metaOf(node)
        if (range !== null) ranges.push(range)
        ranges.push(...docsOf(node))
        for (const problem of problemsOf(node)) ranges.push(...propertiesOf(problem, replied))
      })
      return { code: without(code, ranges), map: null }
    },
  }
}

/**
 * Returns the ranges of what only the documentation needs in a call; none for any other node.
 * @param {Node} node
 * @returns {Range[]}
 */
function docsOf(node) {
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return []
  const names = documented.get(node.callee.name)
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
 * Returns the code without the ranges. A range inside another one is removed with it.
 * @param {string} code
 * @param {readonly Range[]} ranges
 */
function without(code, ranges) {
  let text = ''
  let end = 0
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from < end) continue
    text += code.slice(end, from)
    end = to
  }
  return text + code.slice(end)
}
