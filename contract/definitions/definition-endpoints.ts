import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { item, Ok } from '../common/fields.ts'
import type { ProblemCode } from '../common/problem.ts'
import { byId, changingOf, importingOf, readingOf, saving } from '../resources/versioned.ts'
import {
  byIdAndVersion,
  DefinitionImportReport,
  DuplicateBody,
  ImportDefinitionsBody,
  importReportExample,
  ListDefinitionVersionsQuery,
  RollbackDefinitionBody,
} from './definition.ts'

/** Schemas of the replies and inputs of a kind of definition. */
type Schemas = {
  readonly single: z.ZodType
  readonly rows: z.ZodType
  readonly version: z.ZodType
  readonly versions: z.ZodType
  readonly create: z.ZodType
  readonly update: z.ZodType
  readonly list: z.ZodType
  readonly export: z.ZodType
}

/** The texts and examples of the documentation of a kind of definition. */
type Documentation<S extends Schemas> = {
  readonly tag: string
  /** The noun with its article, such as `an agent`, and in the plural. */
  readonly nounWithArticle: string
  readonly plural: string
  readonly path: `/api/${string}`
  readonly keyTaken: Extract<ProblemCode, `${string}.key_taken`>
  readonly texts: Readonly<Record<'get' | 'create' | 'update' | 'remove' | 'rollback', string>>
  readonly examples: {
    readonly single: z.input<S['single']>
    readonly copy: z.input<S['single']>
    readonly rows: z.input<S['rows']>
    readonly version: z.input<S['version']>
    readonly versions: z.input<S['versions']>
    readonly create: z.input<S['create']>
    readonly update: z.input<S['update']>
    readonly rollback: z.input<typeof RollbackDefinitionBody>
    readonly copyKey: string
    readonly listQuery: string
    readonly exported: string
    readonly file: string
  }
}

// `Pick` keeps the exact type of each schema; a property of `S` itself has the type of its constraint.
type Kind<S extends Schemas> = Documentation<S> & { readonly schemas: Pick<S, keyof Schemas> }

/** Returns the endpoints that agents and workflows share, in the order of the documentation. */
export const definitionEndpoints = <S extends Schemas>(kind: Documentation<S> & { readonly schemas: S }) => ({
  ...listEndpoints<S>(kind),
  ...changeEndpoints<S>(kind),
  ...versionEndpoints<S>(kind),
})

const listEndpoints = <S extends Schemas>({ tag, plural, path, schemas, examples }: Kind<S>) => ({
  list: endpoint({
    ...readingOf(tag),
    path,
    workspaces: 'filter',
    summary: `List ${plural}`,
    query: schemas.list,
    reply: schemas.rows,
    example: { query: examples.listQuery, reply: examples.rows },
  }),
  export: endpoint({
    ...readingOf(tag),
    path: `${path}/export`,
    workspaces: 'filter',
    summary: `Download ${plural} as JSON or YAML`,
    query: schemas.export,
    reply: z.unknown(),
    replyAs: 'file',
    mediaTypes: ['application/json', 'application/yaml'],
    example: { query: 'format=yaml&workspace=default', reply: examples.exported },
  }),
  import: endpoint({
    ...importingOf(tag),
    path: `${path}/import`,
    summary: `Import ${plural} (all or none), or preview the import`,
    body: ImportDefinitionsBody,
    reply: item(DefinitionImportReport),
    example: {
      body: { files: [{ name: 'support.yaml', content: examples.file }], preview: true },
      reply: { data: importReportExample },
    },
  }),
})

const changeEndpoints = <S extends Schemas>({
  tag,
  nounWithArticle,
  path,
  keyTaken,
  schemas,
  texts,
  examples,
}: Kind<S>) => ({
  create: endpoint({
    ...changingOf(tag),
    method: 'POST',
    path,
    workspaces: 'input',
    summary: texts.create,
    body: schemas.create,
    reply: schemas.single,
    status: 201,
    problems: [keyTaken, 'idempotency.mismatch', 'store.full'],
    example: { body: examples.create, reply: examples.single },
  }),
  get: endpoint({
    ...readingOf(tag),
    path: `${path}/:id`,
    workspaces: 'item',
    summary: texts.get,
    etag: true,
    params: byId,
    reply: schemas.single,
    problems: ['not_found'],
    example: { reply: examples.single },
  }),
  update: endpoint({
    ...changingOf(tag),
    method: 'PATCH',
    alias: 'PUT',
    path: `${path}/:id`,
    summary: `Update ${nounWithArticle}`,
    description: texts.update,
    params: byId,
    body: schemas.update,
    reply: schemas.single,
    problems: ['not_found', keyTaken, ...saving],
    example: { body: examples.update, reply: examples.single },
  }),
  remove: endpoint({
    ...changingOf(tag),
    method: 'DELETE',
    path: `${path}/:id`,
    summary: texts.remove,
    params: byId,
    reply: Ok,
    problems: ['not_found', 'precondition.failed'],
    example: { reply: { ok: true } },
  }),
  duplicate: endpoint({
    ...changingOf(tag),
    method: 'POST',
    path: `${path}/:id/duplicate`,
    summary: `Copy ${nounWithArticle} to another key or workspace`,
    params: byId,
    body: DuplicateBody,
    reply: schemas.single,
    status: 201,
    problems: ['not_found', keyTaken, 'store.full'],
    example: { body: { key: examples.copyKey }, reply: examples.copy },
  }),
})

const versionEndpoints = <S extends Schemas>({
  tag,
  nounWithArticle,
  path,
  schemas,
  texts,
  examples,
}: Kind<S>) => ({
  versions: endpoint({
    ...readingOf(tag),
    path: `${path}/:id/versions`,
    workspaces: 'item',
    summary: `List the versions of ${nounWithArticle}, newest first`,
    params: byId,
    query: ListDefinitionVersionsQuery,
    reply: schemas.versions,
    problems: ['not_found'],
    example: { query: 'limit=20', reply: examples.versions },
  }),
  version: endpoint({
    ...readingOf(tag),
    path: `${path}/:id/versions/:version`,
    workspaces: 'item',
    summary: 'Get a version',
    params: byIdAndVersion,
    reply: schemas.version,
    problems: ['not_found'],
    example: { reply: examples.version },
  }),
  rollback: endpoint({
    ...changingOf(tag),
    method: 'POST',
    path: `${path}/:id/rollback`,
    summary: texts.rollback,
    params: byId,
    body: RollbackDefinitionBody,
    reply: schemas.single,
    problems: ['not_found', ...saving],
    example: { body: examples.rollback, reply: examples.single },
  }),
})
