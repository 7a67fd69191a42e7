import { type Cluster as Server, startPostgres, testSettings } from '../../../scripts/lib/postgres-server.mjs'

/** A PostgreSQL server of the tests, in a temporary folder. */
export type Cluster = Server

/** Creates and starts a server with the settings of tests, which are faster than its own. */
export const startCluster = (extra: Readonly<Record<string, string>> = {}): Promise<Cluster> =>
  startPostgres({ ...testSettings, ...extra })
