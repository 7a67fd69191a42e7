import { type Migration, onlyPostgres } from '../migration.ts'

/** PostgreSQL: the running instances of the service and the clients that are connected to them. */
export const connectedClients: Migration = {
  version: 34,
  name: 'connected_clients',
  statements: onlyPostgres([
    // `revision`: the number of the newest change of the instance's clients.
    `CREATE TABLE instances (
      id text COLLATE "C" PRIMARY KEY,
      heartbeat_at bigint NOT NULL,
      revision bigint NOT NULL
    )`,
    // `value`: the client as JSON, without the time at which it was last seen.
    `CREATE TABLE connected_clients (
      instance_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      revision bigint NOT NULL,
      last_seen_at bigint NOT NULL,
      value text COLLATE "C" NOT NULL,
      PRIMARY KEY (instance_id, id)
    )`,
    `CREATE INDEX connected_clients_revision ON connected_clients (instance_id, revision)`,
  ]),
}
