import { isRecord } from '../../../../lib/values/is-record.ts'
import { member } from '../../../../resources/import-file.ts'
import type { ExportedPrompt, OnLoss } from '../exported.ts'

type Fields = Readonly<Record<string, unknown>>
type Tree = Map<string, unknown>
type Declaration = ExportedPrompt['variables'][number]

/** Returns variables as the `input` of a dotprompt file: a schema in Picoschema, and defaults. */
export function toInput(variables: readonly Declaration[], onLoss: OnLoss): Fields {
  const schema: Tree = new Map()
  const defaults: Tree = new Map()
  for (const variable of variables) {
    const parents = variable.name.split('.')
    const last = parents.pop() ?? ''
    const node = [...parents, last].includes('') ? null : nodeAt(schema, parents, '(object)')
    if (node === null || [last, `${last}?`, `${last}(object)`].some((name) => node.has(name))) {
      onLoss('variables', `${variable.name} conflicts with another name`)
      continue
    }
    node.set(variable.required ? last : `${last}?`, typeTextOf(variable, onLoss))
    if (variable.default !== null) nodeAt(defaults, parents, '')?.set(last, variable.default)
  }
  return {
    ...(schema.size > 0 && { schema: objectOf(schema) }),
    ...(defaults.size > 0 && { default: objectOf(defaults) }),
  }
}

/** Returns type and description of a variable in Picoschema. */
function typeTextOf({ type, description, example }: Declaration, onLoss: OnLoss): string {
  if (example !== undefined) onLoss('variables', 'Examples are left out')
  const text = description.trim()
  if (text !== description) onLoss('variables', 'Spaces around descriptions are left out')
  return text === '' ? typeNames[type] : `${typeNames[type]}, ${text}`
}

const typeNames: Readonly<Record<Declaration['type'], string>> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  json: 'any',
}
const typeOf: Readonly<Record<string, Declaration['type']>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
}

/** Returns the node of nested names, which is added if it is missing; null if a value is in its place. */
function nodeAt(root: Tree, parents: readonly string[], suffix: string): Tree | null {
  let node = root
  for (const parent of parents) {
    const name = `${parent}${suffix}`
    if (suffix !== '' && (node.has(parent) || node.has(`${parent}?`))) return null
    const next = node.get(name) ?? new Map()
    if (!(next instanceof Map)) return null
    node.set(name, next)
    node = next
  }
  return node
}

const objectOf = (tree: Tree): Fields =>
  Object.fromEntries([...tree].map(([name, value]) => [name, value instanceof Map ? objectOf(value) : value]))

/** Reads the `input` of a dotprompt file. */
export function fromInput(input: unknown, notes: Set<string>): Fields[] {
  if (!isRecord(input)) return []
  const schema = member(input, 'schema')
  const variables = new Map<string, Fields>()
  const add = (variable: Fields & { readonly name: string }) => variables.set(variable.name, variable)
  if (isRecord(schema)) {
    if (isRecord(member(schema, 'properties'))) fromJsonSchema(schema, '', add, notes)
    else fromPicoschema(schema, '', add, notes)
  } else if (schema !== undefined && schema !== null)
    notes.add('input.schema: a schema that is defined elsewhere is left out')
  const defaults = member(input, 'default')
  for (const [name, value] of isRecord(defaults) ? scalarsIn(defaults, '', notes) : [])
    variables.set(name, { ...(variables.get(name) ?? { name, required: false }), default: value })
  return [...variables.values()]
}

type Add = (variable: Fields & { readonly name: string }) => void

function fromPicoschema(schema: Fields, prefix: string, add: Add, notes: Set<string>): void {
  for (const [field, value] of Object.entries(schema)) {
    const [, base = '', optional, kind, about = ''] =
      /^([^?(]*)(\?)?(?:\((\w+)(?:,\s*(.*))?\))?$/s.exec(field) ?? []
    const name = `${prefix}${base}`
    if (base === '') notes.add(`input.schema.${field.slice(0, 60)}: left out`)
    else if (isRecord(value) && (kind ?? 'object') === 'object') fromPicoschema(value, `${name}.`, add, notes)
    else add({ name, required: optional === undefined, ...typeIn(kind, value, about) })
    if (kind === 'enum') notes.add(`input.schema.${name.slice(0, 60)}: the list of values is left out`)
  }
}

/** Returns type and description in Picoschema: of a scalar `string, about`, of a list or enum in its name. */
function typeIn(kind: string | undefined, value: unknown, about: string): Fields {
  if (kind !== undefined) return { type: kind === 'enum' ? 'string' : 'json', description: about }
  const [type = '', ...rest] = typeof value === 'string' ? value.split(',') : []
  return { type: typeOf[type.trim()] ?? 'json', description: rest.join(',').trim() }
}

function fromJsonSchema(schema: Fields, prefix: string, add: Add, notes: Set<string>): void {
  const properties = member(schema, 'properties')
  const required = member(schema, 'required')
  for (const [field, value] of Object.entries(isRecord(properties) ? properties : {})) {
    const name = `${prefix}${field}`
    if (!isRecord(value)) notes.add(`input.schema.${name.slice(0, 60)}: left out`)
    else if (isRecord(member(value, 'properties'))) fromJsonSchema(value, `${name}.`, add, notes)
    else {
      const description = member(value, 'description')
      add({
        name,
        required: Array.isArray(required) && required.includes(field),
        type: typeOf[String(member(value, 'type'))] ?? 'json',
        description: typeof description === 'string' ? description : '',
      })
    }
  }
}

/** Returns the texts, numbers and booleans in an object, by dotted name. */
export function scalarsIn(values: Fields, prefix: string, notes: Set<string>): [string, unknown][] {
  return Object.entries(values).flatMap(([field, value]): [string, unknown][] => {
    const name = `${prefix}${field}`
    if (isRecord(value)) return scalarsIn(value, `${name}.`, notes)
    if (['string', 'number', 'boolean'].includes(typeof value)) return [[name, value]]
    if (value !== null) notes.add(`variables: the value of ${name.slice(0, 60)} is a list, and is left out`)
    return []
  })
}
