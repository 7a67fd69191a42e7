import type { FieldError } from '../common/problem.ts'
import type { JsonSchema, ToolDeclaration } from './models.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the reasons why providers would reject a schema. It must be the JSON Schema of an object. */
export function schemaFindings(schema: JsonSchema, path: string): FieldError[] {
  const { type, properties, required } = schema
  if (type !== 'object')
    return [{ path: `${path}.type`, message: 'Expected a JSON Schema with `"type": "object"`' }]
  const findings: FieldError[] = []
  if (properties !== undefined && !isObject(properties)) {
    findings.push({ path: `${path}.properties`, message: 'Expected an object of schemas by name' })
  }
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(property) && typeof property !== 'boolean')
      findings.push({ path: `${path}.properties.${name}`, message: 'Expected a JSON Schema' })
  }
  const areNames = Array.isArray(required) && required.every((name) => typeof name === 'string')
  if (required !== undefined && !areNames)
    findings.push({ path: `${path}.required`, message: 'Expected a list of property names' })
  return findings
}

export const responseSchemaFindings = (schema: JsonSchema | null): FieldError[] =>
  schema === null ? [] : schemaFindings(schema, 'response_schema')

/** Returns the errors in tool declarations: invalid schemas and repeated names. */
export function toolFindings(tools: readonly ToolDeclaration[]): FieldError[] {
  const names = new Set<string>()
  return tools.flatMap(({ name, parameters }, index) => {
    const findings = schemaFindings(parameters, `tools.${index}.parameters`)
    if (names.has(name)) findings.push({ path: `tools.${index}.name`, message: 'Declared twice' })
    names.add(name)
    return findings
  })
}
