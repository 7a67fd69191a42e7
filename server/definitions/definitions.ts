import type { z } from 'zod'
import type {
  DefinitionHead,
  DuplicateBody,
  ListDefinitionVersionsQuery,
  RollbackDefinitionBody,
} from '../../contract/definitions/definition.ts'
import type { Context } from '../lib/context.ts'
import { pageOfVersions, requiredVersion } from '../resources/versions.ts'
import { type Definitions, required } from './changes.ts'
import { definitionStore } from './definitions.store.ts'
import { type Kind, toWire, versionToWire } from './kind.ts'
import {
  createDefinition,
  type DefinitionInput,
  duplicateDefinition,
  type ResolveBehaviour,
  removeDefinition,
  rollBackDefinition,
  updateDefinition,
} from './operations.ts'
import type { ReadDefinitions } from './transfer.files.ts'

export type DefinitionsDeps = Omit<Definitions<never>, 'kind' | 'store'> & {
  readonly readFiles: ReadDefinitions
}

/**
 * Returns the operations that agents and workflows share. `create` and `update` take the behaviour from the
 * caller. `definitions` is for operations that only one of them has. Each change writes one audit entry.
 */
export function createDefinitions<B>(
  { db, history, newId }: Omit<DefinitionsDeps, 'readFiles'>,
  kind: Kind<B>,
) {
  const definitions: Definitions<B> = { db, history, newId, kind, store: definitionStore(kind.noun) }
  const { store } = definitions
  return {
    definitions,
    create: (
      ctx: Context,
      input: DefinitionInput & { readonly key: string },
      resolveBehaviour: ResolveBehaviour<B>,
    ) => createDefinition(definitions, ctx, input, resolveBehaviour),
    /** Changes a definition. If nothing differs, no version and no audit entry is written. */
    update: (
      ctx: Context,
      id: string,
      input: DefinitionInput,
      ifMatch: string | null,
      resolveBehaviour: ResolveBehaviour<B>,
    ) => updateDefinition(definitions, ctx, { id, ifMatch, input, resolveBehaviour }),
    operations: {
      get: async (ctx: Context, id: string): Promise<DefinitionHead & B> =>
        toWire<B>(await required(definitions, db.read, ctx.scope, id)),
      remove: (ctx: Context, id: string, ifMatch: string | null) =>
        removeDefinition(definitions, ctx, id, ifMatch),
      duplicate: (ctx: Context, id: string, body: z.output<typeof DuplicateBody>) =>
        duplicateDefinition(definitions, ctx, id, body),

      async versions(ctx: Context, id: string, query: z.output<typeof ListDefinitionVersionsQuery>) {
        const row = await required(definitions, db.read, ctx.scope, id)
        return pageOfVersions(
          query,
          (plan) => store.listVersions(db.read, id, plan),
          (version) => versionToWire<B>(version, row.version),
        )
      },

      async version(ctx: Context, id: string, version: number) {
        const row = await required(definitions, db.read, ctx.scope, id)
        const find = (number: number) => store.findVersion(db.read, id, number)
        return versionToWire<B>(await requiredVersion(version, find), row.version)
      },

      rollback: (
        ctx: Context,
        id: string,
        body: z.output<typeof RollbackDefinitionBody>,
        ifMatch: string | null,
      ) => rollBackDefinition(definitions, ctx, id, body, ifMatch),
    },
  }
}
