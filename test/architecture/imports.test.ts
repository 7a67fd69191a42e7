import { describe, expect, it } from 'vitest'
import { readTree } from '../support/source-tree.ts'
import { importsOf } from './imports.ts'
import { rules, violations } from './rules.ts'

const folders = ['contract', 'server', 'main', 'renderer', 'test', 'bench', 'scripts', 'sdk']
const sources = folders.flatMap(readTree).filter(({ path }) => /\.(c?ts|tsx|mjs|js)$/.test(path))
// The tests of these rules contain forbidden imports.
const imports = sources.filter(({ path }) => path !== 'test/architecture/imports.test.ts').flatMap(importsOf)

/** Imports that each rule must refuse, as `path | code`, to prove that the rule can fail. */
const refused: Readonly<Record<string, readonly string[]>> = {
  'a top folder imports only the folders it may': [
    `contract/accounts/users.ts | import { x } from '../../server/lib/ids.ts'`,
    `server/lib/a.ts | import { x } from '../../renderer/lib/service/api.ts'`,
    `server/a.ts | export { x } from '../main/windows/window.ts'`,
    `renderer/lib/a.ts | import type { Config } from '../../server/config.ts'`,
    `bench/a.ts | const x = await import('../renderer/lib/service/api.ts')`,
    `sdk/js/a.ts | import { roles } from '../../contract/common/roles.ts'`,
  ],
  'contract imports zod only': [
    `contract/a.ts | import { readFile } from 'node:fs'`,
    `contract/a.ts | import ky from 'kysely'`,
  ],
  'renderer imports no module of Node': [`renderer/lib/a.ts | import { join } from 'node:path'`],
  'scripts import only Node, because they run before packages are installed': [
    `scripts/a.mjs | import { z } from 'zod'`,
  ],
  'main imports only types of contract and server/index; only its service host loads the service': [
    `main/index.ts | import { startServer } from '../server/index.ts'`,
    `main/a.ts | import type { Db } from '../server/db/types.ts'`,
    `main/service-host.ts | import { createDb } from '../server/db/db.ts'`,
    `main/a.ts | import { roles } from '../contract/common/roles.ts'`,
  ],
  'only main/index.ts and the preloads load electron: importing it from plain Node downloads it': [
    `main/windows/window.ts | import { app } from 'electron'`,
    `server/a.ts | import type { App } from 'electron'`,
    `test/main/a.test.ts | const e = require('electron')`,
    `scripts/a.mjs | await import('electron/main')`,
  ],
  'no file that runs in plain Node imports main/index.ts': [
    `test/main/a.test.ts | import '../../main/index.ts'`,
  ],
  'only server/http imports the HTTP libraries, only server/live ws, only the engine sql.js': [
    `server/features/users/users.routes.ts | import express from 'express'`,
    `server/http/a.ts | import type { WebSocket } from 'ws'`,
    `server/history/a.ts | import initSqlJs from 'sql.js'`,
    `server/live/a.ts | import express from 'express'`,
    `server/db/prepared.ts | import initSqlJs from 'sql.js'`,
  ],
  'only server/disk makes file calls, so that tests can inject faults and record every call': [
    `server/db/a.ts | import { openSync } from 'node:fs'`,
    `server/features/backups/a.store.ts | import { open } from 'node:fs/promises'`,
    `server/lib/a.ts | const fs = await import('fs')`,
  ],
  'server features never import each other': [
    `server/features/users/users.service.ts | import type { A } from '../workspaces/workspaces.service.ts'`,
  ],
  'renderer features never import each other': [
    `renderer/features/runs/Page.tsx | import { B } from '../users/UsersPage.tsx'`,
  ],
  'sub-folders import each other in one direction only': [
    `contract/common/a.ts | import { a } from '../runs/run.ts'`,
    `contract/resources/a.ts | import { Prompt } from '../prompts/prompt.ts'`,
    `contract/system/a.ts | import { api } from '../index.ts'`,
    `contract/new/a.ts | import { Id } from '../common/fields.ts'`,
    `main/service/a.ts | import type { Tray } from '../windows/tray.ts'`,
    `server/auth/identity/a.ts | import { a } from '../tokens/tokens.ts'`,
    `server/calls/request/a.ts | import { a } from '../result/usage.ts'`,
    `server/history/chain/a.ts | import type { A } from '../verify/verify.ts'`,
    `server/live/connections/a.ts | import { createHub } from '../hub.ts'`,
    `server/live/frames/a.ts | import { a } from '../connections/registry.ts'`,
    `server/features/workflows/engine/a.ts | import { a } from '../executions/start.ts'`,
    `sdk/js/src/core/a.ts | import { a } from '../http/http.ts'`,
    `sdk/js/src/prompts/a.ts | import { createClient } from '../client.ts'`,
    `server/features/runs/ingest/a.ts | import { a } from '../runs.service.ts'`,
    `server/features/runs/ingest/a.ts | import type { A } from '../query/runs.read.ts'`,
    `server/features/runs/query/a.ts | import { a } from '../ingest/ingest.ts'`,
    `server/features/runs/statistics/a.ts | import { a } from '../payloads/redact.ts'`,
    `server/features/runs/payloads/a.ts | import type { A } from '../statistics/sums.ts'`,
    `server/features/runs/store/a.ts | import { a } from '../statistics/sums.ts'`,
    `server/features/runs/other/a.ts | import { a } from '../store/names.store.ts'`,
    `server/features/prompts/state/a.ts | import { b } from '../versions/b.ts'`,
    `server/features/prompts/served/a.ts | import type { B } from '../drafts/b.ts'`,
    `server/features/prompts/trash/a.ts | import { b } from '../prompts.service.ts'`,
    `server/features/prompts/unknown/a.ts | import { b } from '../state/b.ts'`,
  ],
  'renderer/ui is independent of the domain; parts about a noun are in renderer/shared/<noun>': [
    `renderer/ui/table/Rows.tsx | import type { Run } from '../../../contract/runs/run.ts'`,
  ],
  'features import the Db interface, not its engine; an engine imports only what all engines share': [
    `server/features/runs/a.store.ts | import { a } from '../../db/engines/sqljs/format/folder.ts'`,
    `server/db/prepared.ts | import type { Engine } from './engines/sqljs/sqlite/engine.ts'`,
  ],
  'engines/sqljs: format → sqlite, lock, record, space → journal → transactions → snapshot → recovery': [
    `server/db/engines/sqljs/format/a.ts | import { a } from '../journal/journal.ts'`,
    `server/db/engines/sqljs/journal/a.ts | import { a } from '../snapshot/snapshot.ts'`,
    `server/db/engines/sqljs/recovery/a.ts | import { openDb } from '../open.ts'`,
    `server/db/engines/sqljs/new/a.ts | import { a } from '../format/folder.ts'`,
    `server/db/engines/sqljs/lock/a.ts | new Worker(new URL('../journal/journal.worker.js', import.meta.url))`,
  ],
  'server/lib is independent of the domain; helpers about a noun are in server/resources, auth or their feature':
    [`server/lib/text/a.ts | import type { Run } from '../../../contract/runs/run.ts'`],
  'calls go down: routes → service → store → db; app → features → shared → ui → lib': [
    `server/features/users/users.routes.ts | import { a } from './users.store.ts'`,
    `server/features/users/users.routes.ts | import type { Db } from '../../db/types.ts'`,
    `server/features/users/users.service.ts | import { open } from '../../db/engines/sqljs/sqlite/engine.ts'`,
    `server/features/users/users.service.ts | import type { Request } from '../../http/app.ts'`,
    `server/features/users/users.store.ts | import { record } from '../../history/history.ts'`,
    `server/features/users/users.store.ts | import { a } from './users.service.ts'`,
    `server/http/a.ts | import { a } from '../features/users/users.service.ts'`,
    `server/lib/a.ts | import { a } from '../db/types.ts'`,
    `server/features/users/users.service.ts | import { a } from '../../db/types.ts'`,
    `server/disk/a.ts | import { a } from '../lib/ids.ts'`,
    `server/resources/a.ts | import { a } from '../definitions/definitions.ts'`,
    `server/resources/a.ts | import type { A } from '../features/prompts/state/body.ts'`,
    `server/definitions/a.ts | import { a } from '../features/agents/behaviour.ts'`,
    `server/db/a.ts | new Worker(new URL('../history/a.worker.js', import.meta.url))`,
    `server/features/users/users.service.ts | import { compose } from '../../compose/compose.ts'`,
    `renderer/features/runs/Page.tsx | import { router } from '../../app/router.tsx'`,
    `renderer/shared/runs/Table.tsx | import { RunsPage } from '../../features/runs/RunsPage.tsx'`,
    `renderer/ui/Table.tsx | import { RunsPage } from '../features/runs/RunsPage.tsx'`,
    `renderer/ui/Table.tsx | import { RunsTable } from '../shared/runs/RunsTable.tsx'`,
    `renderer/lib/a.ts | import { toast } from '../ui/toast.ts'`,
  ],
}

const fixture = (line: string) => {
  const [path = '', text = ''] = line.split(' | ')
  return importsOf({ path, text })
}

describe('import rules', () => {
  it('check a repository that is not empty', () => {
    expect(sources.length).toBeGreaterThan(60)
    expect(imports.length).toBeGreaterThan(200)
  })

  for (const rule of rules) {
    it(rule.name, () => {
      expect(violations(rule, imports)).toEqual([])
    })

    it(`is able to fail: ${rule.name}`, () => {
      const lines = refused[rule.name] ?? []
      expect(lines).not.toEqual([])
      expect(lines.filter((line) => violations(rule, fixture(line)).length === 0)).toEqual([])
    })
  }

  it('allow what the architecture allows', () => {
    const allowed = [
      `server/features/users/users.routes.ts | import type { UsersService } from './users.service.ts'`,
      `server/features/users/users.service.ts | import type { Db } from '../../db/types.ts'`,
      `server/features/users/users.service.ts | import { record } from '../../history/history.ts'`,
      `server/features/users/users.store.ts | import type { Query } from '../../db/types.ts'`,
      `server/lib/a.ts | import { open } from '../disk/promises.ts'`,
      `server/compose/foundation/foundation.ts | import { openDb } from '../../db/engines/sqljs/open.ts'`,
      `server/db/engines/sqljs/journal/a.ts | import { a } from '../../../types.ts'`,
      `server/lib/paging.ts | import type { Paging } from '../../contract/common/fields.ts'`,
      `server/compose/compose.ts | import { a } from '../features/users/users.service.ts'`,
      `server/features/runs/runs.service.ts | import { createIngest } from './ingest/ingest.ts'`,
      `server/features/runs/ingest/a.ts | import { b } from './b.ts'`,
      `server/features/runs/ingest/a.ts | import { countRun } from '../statistics/rollups.store.ts'`,
      `main/service-host.ts | import { startServer } from '../server/index.ts'`,
      `main/windows/window.ts | import type { BrowserWindowConstructorOptions } from 'electron'`,
      `main/index.ts | import { app } from 'electron'`,
      `renderer/app/router.tsx | import { RunsPage } from '../features/runs/RunsPage.tsx'`,
      `renderer/shared/runs/RunsTable.tsx | import { Table } from '../../ui/table/Table.tsx'`,
      `renderer/ui/export/exports.ts | import type { Endpoint } from '../../../contract/common/endpoint.ts'`,
      `contract/accounts/users.ts | import { z } from 'zod'`,
    ].flatMap(fixture)
    expect(allowed).toHaveLength(19)
    expect(rules.flatMap((rule) => violations(rule, allowed))).toEqual([])
  })
})

describe('reading imports', () => {
  it('finds every form, over several lines, and distinguishes types', () => {
    const text = [
      `import one, { type Two } from './one.ts'`,
      `import {\n  type A,\n  type B,\n} from './types.ts'`,
      `import type { C } from "./double.ts"`,
      `import './effect.css'`,
      `export * from './all.ts'`,
      `export type { D } from './d.ts'`,
      `const { contextBridge }: typeof import('electron') = require('electron')`,
      `const lazy = () => import('./lazy.tsx')`,
      `new Worker(new URL('./x.worker.js', import.meta.url))`,
      `// import no from './comment.ts'`,
      ` * import('./doc.ts')`,
      `const url = 'https://example.org/a from b'`,
    ].join('\n')
    const seen = importsOf({ path: 'a/b.ts', text }).map(
      ({ to, isTypeOnly }) => `${isTypeOnly ? 'type ' : ''}${to}`,
    )
    expect(seen.sort()).toEqual(
      [
        'a/all.ts',
        'a/effect.css',
        'a/lazy.tsx',
        'a/one.ts',
        'a/x.worker.js',
        'electron',
        'type a/d.ts',
        'type a/double.ts',
        'type a/types.ts',
        'type electron',
      ].sort(),
    )
  })
})
