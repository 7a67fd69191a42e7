// @ts-check
import { requestUntilAnswered } from './load.mjs'

/** @param {string} url @param {string} what @returns {Promise<any>} */
async function must(url, what) {
  const { status, body } = await requestUntilAnswered(url, what)
  if (status !== 200) throw new Error(`${what} answered ${status} ${JSON.stringify(body).slice(0, 300)}`)
  return body
}

/** @param {string} url @param {string} path @returns {Promise<any[]>} */
async function rowsOf(url, path) {
  const text = String(await must(url, `GET ${path}`))
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/**
 * Returns the values of `expected` that are not in `found`, and those that are there more than once or were not expected.
 * @template T
 * @param {readonly T[]} expected @param {readonly T[]} found
 */
export function compare(expected, found) {
  const missing = new Set(expected)
  const doubled = found.filter((value) => !missing.delete(value))
  return { lost: [...missing], doubled }
}

/**
 * Compares the acknowledged data with the run log and the audit log: each run and each change must occur
 * once.
 * @param {string} url @param {import('./load.mjs').Acknowledged} acknowledged
 */
export async function checkRecords(url, acknowledged) {
  /** @type {string[]} */
  const wrong = []
  const expect = (
    /** @type {string} */ what,
    /** @type {{ lost: any[], doubled: any[] }} */ { lost, doubled },
  ) => {
    if (lost.length > 0) wrong.push(`${lost.length} ${what} lost: ${lost.slice(0, 5)}`)
    if (doubled.length > 0) wrong.push(`${doubled.length} ${what} doubled: ${doubled.slice(0, 5)}`)
  }
  const runs = await rowsOf(url, '/api/runs/export?format=jsonl&model=soak')
  expect(
    'runs',
    compare(
      acknowledged.runs,
      runs.map((run) => run.latency_ms),
    ),
  )
  const counted = (await must(url, 'GET /api/runs/stats?model=soak')).data.total
  if (counted !== acknowledged.runs.length)
    wrong.push(`${acknowledged.runs.length} runs were acknowledged, the statistics count ${counted}`)
  const calls = (await must(url, 'GET /api/runs/stats?source=playground')).data.total
  if (calls < acknowledged.calls || calls > acknowledged.calls + acknowledged.cutOff)
    wrong.push(
      `${acknowledged.calls} calls were answered and ${acknowledged.cutOff} cut off, ${calls} are in the run log`,
    )
  const entries = await rowsOf(url, '/api/audit/export?format=jsonl&resource=prompt')
  const published = entries.filter(({ action }) => action === 'publish')
  expect(
    'publishes',
    compare(
      acknowledged.publishes,
      published.map(({ summary }) => /publish-\d+$/.exec(summary)?.[0] ?? summary),
    ),
  )
  const edits = entries.filter(({ action }) => action === 'update').length
  if (edits !== acknowledged.edits)
    wrong.push(`${acknowledged.edits} drafts were changed, ${edits} are in the audit log`)
  const chain = (await must(url, 'GET /api/audit/verify')).data
  if (!chain.ok) wrong.push(`the audit chain: ${JSON.stringify(chain)}`)
  return { wrong, runs: runs.length, calls, publishes: published.length, edits }
}
