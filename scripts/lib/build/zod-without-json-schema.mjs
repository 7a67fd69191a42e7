/**
 * The modules of zod that convert schemas to JSON Schema. Each schema refers to them, so tree shaking does
 * not remove them.
 */
const converters = /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/

/**
 * Replaces the conversion of zod schemas to JSON Schema by functions that throw: only the service converts
 * schemas. The console is 5.6 kB smaller (compressed) without.
 * @returns {import('vite').Plugin}
 */
export function zodWithoutJsonSchema() {
  return {
    name: 'zod-without-json-schema',
    apply: 'build',
    transform(code, id) {
      if (!converters.test(id)) return null
      const names = this.parse(code).body.flatMap(exportedNames)
      const lines = [
        "const unavailable = () => { throw new Error('The console does not convert schemas to JSON Schema.') }",
        // Zod calls these for each schema that it builds, and their result only for a conversion.
        'const makeUnavailable = () => unavailable',
        ...names.map(
          ({ local, exported }) =>
            `export { ${local.startsWith('create') ? 'makeUnavailable' : 'unavailable'} as ${exported} }`,
        ),
      ]
      return { code: lines.join('\n'), map: null }
    },
  }
}

/**
 * Returns the names that a statement exports: as in the module, and as imported elsewhere.
 * @param {any} statement a node of ESTree @returns {{ local: string, exported: string }[]}
 */
function exportedNames({ type, declaration, specifiers }) {
  if (type !== 'ExportNamedDeclaration') return []
  if (declaration?.type === 'FunctionDeclaration')
    return [{ local: declaration.id.name, exported: declaration.id.name }]
  if (declaration?.type === 'VariableDeclaration')
    return declaration.declarations.map((/** @type {any} */ { id }) => ({
      local: id.name,
      exported: id.name,
    }))
  return specifiers.map((/** @type {any} */ { local, exported }) => ({
    local: local.name,
    exported: exported.name,
  }))
}
