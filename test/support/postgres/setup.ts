import type { TestProject } from 'vitest/node'
import { openPostgres } from '../../../server/db/engines/postgres/open.ts'
import { startCluster } from './cluster.ts'
import { runOnServer, templateName } from './server.ts'

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: Vitest declares this type as an interface to extend.
  export interface ProvidedContext {
    /** Undefined unless the test runs on PostgreSQL. */
    postgresUrl?: string
  }
}

const quiet = () => {}

/** Starts a server for all tests of the project `postgres`, with a template of their databases. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCluster()
  const url = cluster.urlOf('postgres')
  await runOnServer(url, `CREATE DATABASE ${templateName}`)
  const { db } = await openPostgres({
    url: cluster.urlOf(templateName),
    logger: { info: quiet, warn: quiet, error: quiet },
  })
  await db.close()
  project.provide('postgresUrl', url)
  return () => cluster.close()
}
