import { type Migration, onlyPostgres } from '../migration.ts'
import { afterTrigger } from '../triggers.ts'

/** Moves the table of runs aside, and creates the partitioned one with its indexes, triggers and view. */
const partition = `DO $$
  DECLARE
    view_text text := pg_get_viewdef('run_log'::regclass);
    found record;
    indexes text[] := '{}';
    index_text text;
    newest bigint;
    upper_bound bigint;
  BEGIN
    DROP VIEW run_log;
    DROP TRIGGER run_sessions_added ON runs;
    DROP TRIGGER run_sessions_deleted ON runs;
    DROP INDEX runs_client_run_id, runs_call_id;
    ALTER TABLE runs DROP CONSTRAINT runs_pkey;
    FOR found IN SELECT indexname, indexdef FROM pg_indexes
      WHERE schemaname = current_schema() AND tablename = 'runs' ORDER BY indexname
    LOOP
      indexes := indexes || found.indexdef;
      EXECUTE format('ALTER INDEX %I RENAME TO %I', found.indexname, replace(found.indexname, 'runs_', 'runs_before_'));
    END LOOP;
    ALTER TABLE runs RENAME TO runs_before;
    CREATE TABLE runs (LIKE runs_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (created_at);
    ALTER TABLE runs ADD PRIMARY KEY (id, created_at);
    FOREACH index_text IN ARRAY indexes LOOP EXECUTE index_text; END LOOP;
    CREATE TABLE runs_default PARTITION OF runs DEFAULT;
    SELECT max(created_at) INTO newest FROM runs_before;
    IF newest IS NULL THEN
      DROP TABLE runs_before;
    ELSE
      -- Earlier runs are one partition up to the end of a month. Its indexes are the ones it had.
      upper_bound := extract(epoch FROM (date_trunc('month', greatest(to_timestamp(newest / 1000.0), now()) AT TIME ZONE 'UTC')
        + interval '1 month') AT TIME ZONE 'UTC') * 1000;
      ALTER TABLE runs_before ADD PRIMARY KEY (id, created_at);
      EXECUTE format('ALTER TABLE runs ATTACH PARTITION runs_before FOR VALUES FROM (MINVALUE) TO (%s)', upper_bound);
    END IF;
    EXECUTE 'CREATE VIEW run_log AS ' || view_text;
  END $$`

const addedKeys = `
  INSERT INTO run_keys SELECT client_run_id, reporter, id FROM added WHERE client_run_id IS NOT NULL AND reporter IS NOT NULL;
  INSERT INTO run_calls SELECT call_id, id FROM added WHERE call_id IS NOT NULL;`

/**
 * PostgreSQL: the run log is partitioned by time, see db/dialect/partitions.ts. A key that is unique among all runs
 * cannot be an index of a partitioned table, so the keys have tables of their own, kept by triggers.
 */
export const runPartitions: Migration = {
  version: 29,
  name: 'run_partitions',
  statements: onlyPostgres([
    partition,
    `CREATE TRIGGER run_sessions_added AFTER INSERT ON runs FOR EACH ROW
      WHEN (NEW.session_id IS NOT NULL) EXECUTE FUNCTION run_sessions_added()`,
    `CREATE TRIGGER run_sessions_deleted AFTER DELETE ON runs FOR EACH ROW
      WHEN (OLD.session_id IS NOT NULL) EXECUTE FUNCTION run_sessions_deleted()`,
    `CREATE TABLE run_keys (
      client_run_id text COLLATE "C" NOT NULL,
      reporter bigint NOT NULL,
      id bigint NOT NULL,
      PRIMARY KEY (client_run_id, reporter)
    )`,
    `CREATE TABLE run_calls (call_id text COLLATE "C" PRIMARY KEY, id bigint NOT NULL)`,
    `INSERT INTO run_keys SELECT client_run_id, reporter, id FROM runs
      WHERE client_run_id IS NOT NULL AND reporter IS NOT NULL`,
    `INSERT INTO run_calls SELECT call_id, id FROM runs WHERE call_id IS NOT NULL`,
    `CREATE FUNCTION run_keys_added() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN ${addedKeys} RETURN NULL; END $$`,
    `CREATE TRIGGER run_keys_added AFTER INSERT ON runs REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION run_keys_added()`,
    `CREATE FUNCTION run_keys_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM run_keys AS k USING removed AS r WHERE k.client_run_id = r.client_run_id AND k.reporter = r.reporter;
        DELETE FROM run_calls AS c USING removed AS r WHERE c.call_id = r.call_id;
        RETURN NULL;
      END $$`,
    `CREATE TRIGGER run_keys_deleted AFTER DELETE ON runs REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION run_keys_deleted()`,
    ...afterTrigger({
      name: 'run_calls_changed',
      event: 'UPDATE OF call_id ON runs',
      when: 'NEW.call_id IS NOT NULL',
      body: 'INSERT INTO run_calls VALUES (NEW.call_id, NEW.id);',
    }),
  ]),
}
