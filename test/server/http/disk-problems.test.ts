import { expect, it } from 'vitest'
import { toProblem } from '../../../server/http/problem.ts'

const ofDisk = (code: string) =>
  Object.assign(new Error(`${code}: write '/data/payloads/today.log'`), { code, syscall: 'write' })

it.each([
  [ofDisk('ENOSPC'), 507, 'store.full', /full \(ENOSPC\)/],
  [ofDisk('EDQUOT'), 507, 'store.full', /full \(EDQUOT\)/],
  ...['EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'EBUSY'].map(
    (code) =>
      [
        ofDisk(code),
        503,
        'store.unavailable',
        new RegExp(`could not be read or written \\(${code}\\)`),
      ] as const,
  ),
  [
    Object.assign(new Error('out of memory · INSERT'), { sqlite: 'out of memory' }),
    503,
    'store.unavailable',
    /is out of memory/,
  ],
  [new WebAssembly.RuntimeError('memory access out of bounds'), 503, 'store.unavailable', /is out of memory/],
  [new Error('anything else'), 500, 'internal', /The log contains the cause/],
] as const)('%s is answered with %i %s, and names no path', (error, status, code, detail) => {
  const problem = toProblem(error)
  expect(problem).toMatchObject({ status, code })
  expect(problem.message).toMatch(detail)
  expect(problem.message).not.toContain('/data')
})
