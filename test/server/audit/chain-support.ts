export const columns =
  'created_at, actor, actor_id, actor_kind, action, resource, resource_id, key, workspace_id, summary, ip, request_id, before, after, prev_hash, hash'

type Tampering = readonly [what: string, statements: readonly string[], firstBroken: number, reason: RegExp]

const swap = (a: number, b: number) => [
  `UPDATE audit SET id = -1 WHERE id = ${a}`,
  `UPDATE audit SET id = ${a} WHERE id = ${b}`,
  `UPDATE audit SET id = ${b} WHERE id = -1`,
]

const shiftUp = (from: number) => [
  `UPDATE audit SET id = -id - 1 WHERE id >= ${from}`,
  `UPDATE audit SET id = -id WHERE id < 0`,
]

const shiftDown = (from: number) => [
  `UPDATE audit SET id = -id + 1 WHERE id >= ${from}`,
  `UPDATE audit SET id = -id WHERE id < 0`,
]

export const tamperings: readonly Tampering[] = [
  [
    'the summary of an entry was edited',
    [`UPDATE audit SET summary = 'x' WHERE id = 5`],
    5,
    /Entry 5 was changed/,
  ],
  ['the actor was edited', [`UPDATE audit SET actor = 'mallory' WHERE id = 1`], 1, /Entry 1 was changed/],
  ['the actor id became null', ['UPDATE audit SET actor_id = NULL WHERE id = 3'], 3, /Entry 3 was changed/],
  [
    'text moved between two columns',
    ['UPDATE audit SET key = summary, summary = key WHERE id = 6'],
    6,
    /Entry 6/,
  ],
  ['the hash was edited', [`UPDATE audit SET hash = prev_hash WHERE id = 8`], 8, /Entry 8/],
  [
    'the newest entry was edited',
    [`UPDATE audit SET action = 'login' WHERE id = 12`],
    12,
    /Entry 12 was changed/,
  ],
  ['one entry was deleted', ['DELETE FROM audit WHERE id = 6'], 6, /Entry 6 was deleted/],
  ['the first entry was deleted', ['DELETE FROM audit WHERE id = 1'], 1, /Entry 1 was deleted/],
  [
    'several entries were deleted',
    ['DELETE FROM audit WHERE id IN (4, 5, 6)'],
    4,
    /Entries 4 to 6 were deleted/,
  ],
  [
    'an entry was deleted and the rest renumbered',
    ['DELETE FROM audit WHERE id = 6', ...shiftDown(7)],
    6,
    /Entry 6 was deleted and later ones renumbered: .* entry 7/,
  ],
  [
    'an entry was inserted and the rest renumbered',
    [
      ...shiftUp(6),
      `INSERT INTO audit (id, ${columns}) SELECT 6, ${columns.replace('summary', `'forged'`)} FROM audit WHERE id = 7`,
    ],
    6,
    /Entry 6 was inserted: .* is now at 7/,
  ],
  [
    'an entry was added at the end',
    [
      `INSERT INTO audit (id, ${columns}) SELECT 13, ${columns.replace('prev_hash, hash', `hash, '${'ab'.repeat(32)}'`)} FROM audit WHERE id = 12`,
    ],
    13,
    /Entry 13 .* was not written by this service/,
  ],
  [
    'a copy was added at the end',
    [`INSERT INTO audit (id, ${columns}) SELECT 13, ${columns} FROM audit WHERE id = 12`],
    13,
    /Entry 13/,
  ],
  ['two adjacent entries were swapped', swap(5, 6), 5, /The order was changed: entry 5 .* entry 6.* at 6/],
  ['two distant entries were swapped', swap(3, 11), 3, /The order was changed: entry 3 .* entry 11.* at 11/],
  [
    'the newest entry was removed',
    ['DELETE FROM audit WHERE id = 12'],
    12,
    /Entry 12 was removed from the end/,
  ],
  [
    'the newest entries were removed',
    ['DELETE FROM audit WHERE id > 7'],
    8,
    /Entries 8 to 12 were removed from the end/,
  ],
  ['all entries were removed', ['DELETE FROM audit'], 1, /Entries 1 to 12 were removed from the end/],
]
