// Migrations that rewrite a large table, shared by the killed process and the test that checks the result.
const rows = 4000

export const first = [
  {
    version: 1,
    name: 'items',
    statements: [
      'CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, n INTEGER NOT NULL) STRICT',
      `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${rows})
        INSERT INTO items SELECT id, 'item ' || id, 0 FROM ids`,
    ],
  },
]

/** Each step changes every row, so that a partial or repeated step changes the sums. */
export const all = [
  ...first,
  ...[2, 3, 4, 5].map((version) => ({
    version,
    name: `step-${version}`,
    statements: [
      `CREATE TABLE next (id INTEGER PRIMARY KEY, name TEXT NOT NULL, n INTEGER NOT NULL) STRICT`,
      `INSERT INTO next SELECT id, name || '.', n + ${version} FROM items`,
      'DROP TABLE items',
      'ALTER TABLE next RENAME TO items',
      `CREATE INDEX items_n_${version} ON items (n, id)`,
    ],
  })),
]

/** Content of the table after every migration was applied exactly once. */
export const expected = {
  rows,
  sum: rows * (2 + 3 + 4 + 5),
  length: Array.from({ length: rows }, (_, index) => `item ${index + 1}....`.length).reduce(
    (sum, length) => sum + length,
    0,
  ),
}
