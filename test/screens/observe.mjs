import { post } from './service.mjs'

/** A conversation, with a failed run, in which each run has content. */
const asked = [{ role: 'user', content: 'The refund of order 4711 never arrived. What now?' }]
const talk = {
  provider: 'openai',
  model: 'gpt-4o',
  ref_key: 'support/answer',
  version: 'v1',
  app: 'shop',
  env: 'prod',
  session_id: 'chat-4711',
  end_user: 'customer-17',
}
const answer = '## Tomorrow\n\nYour bank needs **one day**:\n\n- sent at 9:00\n- there at noon'

/**
 * Creates a conversation, two comparable runs, saved views, API tokens and the runs of a deleted workspace. Returns the ids
 * of the runs to compare. @param {string} url
 */
export async function makeRecords(url) {
  const { data: runs } = await post(url, '/api/runs', [
    {
      ...talk,
      status: 'ok',
      latency_ms: 1240,
      ttft_ms: 320,
      cost_usd: 0.0042,
      input: asked,
      output: 'Sorry!',
    },
    {
      ...talk,
      status: 'ok',
      latency_ms: 2310,
      ttft_ms: 410,
      input: [...asked, { role: 'assistant', content: 'Sorry!' }, { role: 'user', content: 'When?' }],
      output: answer,
      tags: ['refund', 'urgent'],
      metadata: { order: '4711' },
    },
    { ...talk, status: 'error', latency_ms: 9100, error: 'The provider replied 429: too many requests' },
  ])
  await post(url, '/api/views', { name: 'Errors of today', page: 'runs', query: 'period=today&status=error' })
  const shared = { shared: true, workspace_id: 'default' }
  await post(url, '/api/views', { name: 'Refunds', page: 'runs', query: 'content=refund', ...shared })
  await post(url, '/api/views', { name: 'Chats of today', page: 'sessions', query: 'period=today' })
  await post(url, '/api/tokens', {
    name: 'checkout',
    role: 'viewer',
    workspace: 'default',
    namespaces: ['prod'],
  })
  await post(url, '/api/tokens', { name: 'nightly-report', role: 'viewer' })
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString()
  await post(url, '/api/tokens', { name: 'release-pipeline', role: 'editor', expires_at })
  return { first: runs[0].id, second: runs[1].id }
}

/**
 * Takes pictures of one session, of runs with content, of a trace, and of comparisons of runs and environments.
 * @param {{ page: import('playwright').Page, url: string, suffix: string,
 *   records: Awaited<ReturnType<typeof makeRecords>>,
 *   shoot: (page: import('playwright').Page, name: string) => Promise<void>,
 *   waitForPage: (page: import('playwright').Page) => Promise<void> }} options
 */
export async function observeScreens({ page, url, records, suffix, shoot, waitForPage }) {
  const { first, second } = records
  const envs = 'workspace=default&from_env=test&to_env=prod'
  const addresses = {
    'session-full': '/sessions/chat-4711?workspace=default',
    'session-gone': '/sessions/no-such-session?workspace=default',
    'run-full': `/runs/${second}`,
    'compare-runs': `/runs/compare?a=${first}&b=${second}`,
    'compare-environments': `/prompts/compare?key=greet&${envs}`,
    'statistics-pairs': '/statistics?by=workspace&and=model&metric=cost_usd&period=30d',
    'runs-search': '/runs?content=refund',
    'runs-trace': `/traces/${'ab'.repeat(16)}`,
  }
  for (const [name, path] of Object.entries(addresses)) {
    await page.goto(url + path)
    await waitForPage(page)
    await shoot(page, `${name}-${suffix}`)
  }
  // The page is still that of the trace.
  await page.locator('main li a').first().click()
  await waitForPage(page)
  await shoot(page, `runs-trace-run-${suffix}`)
}
