import { AdapterError } from './adapter.mjs'
import { damage, filesFinding } from './files.mjs'
import { mismatch } from './match.mjs'
import { defaultWaitMs, sleep, stableMs, until, within } from './waiting.mjs'

/**
 * Functions that run a step, by the member that a step of the kind has. The first parameter is the context:
 * `{server, clients, folder, background}`.
 */
const kinds = {
  do: playDo,
  new: ({ clients }, { client, new: options, throws }) =>
    checkResult(clients.make(client, options), { throws }, 'new'),
  await: playAwait,
  server: ({ server }, { server: action }) => server.apply(action),
  event: playEvent,
  no_event: playNoEvent,
  requests: ({ server }, step) =>
    checkCount(server, step, 'requests', () =>
      server.requests.filter((entry) => !entry.isUpgrade || step.requests.path === '/ws'),
    ),
  frames: ({ server }, step) => checkCount(server, step, 'frames', () => server.frames),
  connections: ({ server }, { connections, within_ms }) =>
    until(
      server,
      () =>
        server.live.opened === connections
          ? null
          : `${server.live.opened} connections were opened, expected ${connections}`,
      within_ms,
    ),
  reported: playReported,
  exit: async ({ clients }) => {
    const code = await within(clients.exit(), defaultWaitMs, 'The end of the process')
    if (code !== 0) throw new Error(`The process ended with ${code}`)
  },
  wait_ms: (_, { wait_ms }) => sleep(wait_ms),
  forget: ({ server }) => {
    server.requests.length = 0
    server.frames.length = 0
  },
  files: playFiles,
  repeat: playRepeatedly,
}

/**
 * Creates the function that runs a step in `{server, clients, folder, background}`; it throws why a step
 * failed.
 */
export function createSteps(context) {
  return (step) => runStep(context, step)
}

async function runStep(context, step) {
  const kind = Object.keys(kinds).find((name) => step[name] !== undefined)
  await kinds[kind](context, step)
}

/** Repeats steps, for faults that only some interleavings show. */
async function playRepeatedly(context, { repeat: { times, steps } }) {
  for (let round = 0; round < times; round += 1) {
    for (const step of steps) await runStep(context, step)
  }
}

/** Repeats an operation until the result is as expected; for changes that emit no event. */
async function playEventually(context, { eventually: _, within_ms = defaultWaitMs, ...step }) {
  const giveUpAt = performance.now() + within_ms
  for (;;) {
    const failure = await playDo(context, step).then(
      () => null,
      (error) => error,
    )
    if (failure === null) return
    if (performance.now() > giveUpAt) throw failure
    await sleep(20)
  }
}

async function playDo(context, step) {
  if (step.eventually) return playEventually(context, step)
  const {
    do: op,
    client = 'a',
    times = 1,
    background: isBackground,
    as,
    returns,
    throws,
    within_ms,
    not_before_ms,
    ...members
  } = step
  const startedAt = performance.now()
  const result = Promise.all(
    Array.from({ length: times }, () => context.clients.request(client, op, members)),
  ).then((values) => values.at(-1))
  if (!isBackground) {
    await checkResult(result, step, op, startedAt)
    return
  }
  result.catch(() => undefined)
  context.background.set(as, { result, op, startedAt })
  if (returns !== undefined || throws !== undefined)
    throw new Error('The result of a background step is checked where it is awaited')
}

async function playAwait({ background }, step) {
  const waiting = background.get(step.await)
  if (waiting === undefined) throw new Error(`No background step is called ${step.await}`)
  background.delete(step.await)
  await checkResult(waiting.result, step, waiting.op, waiting.startedAt)
}

/** Checks the result of an operation. An error is a failure unless the step expects it. */
async function checkResult(result, step, op, startedAt = 0) {
  const { returns, throws, within_ms = defaultWaitMs, not_before_ms = 0 } = step
  const outcome = await resultOf(result, within_ms, op)
  const tookMs = performance.now() - startedAt
  // Timers may fire a millisecond early.
  if (tookMs < not_before_ms - 2)
    throw new Error(`${op} returned after ${Math.round(tookMs)} ms, not before ${not_before_ms}`)
  if (throws === undefined) checkValue(op, returns, outcome)
  else checkError(op, throws, outcome)
}

/** Resolves with the value of an operation, or with the client's error. */
async function resultOf(result, ms, op) {
  try {
    return { value: await within(result, ms, op), error: null }
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error
    return { error }
  }
}

function checkValue(op, returns, { value, error }) {
  if (error !== null) throw new Error(`${op} threw ${error.code}: ${error.message}`)
  const reason = returns === undefined ? null : mismatch(returns, value)
  if (reason !== null) throw new Error(`${op} returned: ${reason}`)
}

function checkError(op, throws, { value, error }) {
  if (error === null)
    throw new Error(`${op} should throw ${JSON.stringify(throws)}, but returned ${JSON.stringify(value)}`)
  const expected = typeof throws === 'string' ? { code: throws } : throws
  const reason = mismatch(expected, { code: error.code, message: error.message })
  if (reason !== null) throw new Error(`${op} threw: ${reason} (${error.code}: ${error.message})`)
}

async function playEvent({ clients }, { event: name, client = 'a', data = {}, among, within_ms }) {
  let found
  await until(
    clients,
    () => {
      const waiting = clients.waiting(client, name)
      found = among ? waiting.find((event) => mismatch(data, event.data) === null) : waiting[0]
      if (found !== undefined) return null
      return among && waiting.length > 0
        ? `${mismatch(data, waiting[0].data)} and no other "${name}" is as expected`
        : `no "${name}" was emitted`
    },
    within_ms,
  )
  clients.take(found)
  const reason = mismatch(data, found.data)
  if (reason !== null) throw new Error(`"${name}": ${reason}`)
}

async function playNoEvent({ clients }, { no_event: name, client = 'a', for_ms }) {
  await sleep(for_ms)
  const [event] = clients.waiting(client, name)
  if (event) throw new Error(`"${name}" was emitted: ${JSON.stringify(event.data)}`)
}

async function checkCount(server, step, what, list) {
  const { min, max } = boundsOf(step, null)
  const finding = () => {
    const all = list()
    const matching = all.filter((entry) => mismatch(step[what], entry) === null)
    if (matching.length >= min && matching.length <= max) return null
    const seen = all.slice(-8).map((entry) => JSON.stringify(brief(entry)))
    return `${matching.length} ${what} match, expected ${min} to ${max}; of ${all.length} the last are ${seen.join(' ')}`
  }
  if (max === Number.POSITIVE_INFINITY) await until(server, finding, step.within_ms)
  else await untilStable(server, finding, step.within_ms)
}

/** Checks again after `stableMs`, so that an upper bound is not exceeded later. */
async function untilStable(server, finding, ms) {
  await until(server, finding, ms)
  await sleep(stableMs)
  const reason = finding()
  if (reason !== null) throw new Error(`${reason} (${stableMs} ms later)`)
}

async function playReported({ server }, step) {
  const { reported, within_ms } = step
  const { min, max } = boundsOf(step, reported.length)
  const finding = () => {
    const remaining = [...server.stored]
    if (remaining.length < min || remaining.length > max)
      return `${remaining.length} runs are stored, expected ${min} to ${max}`
    for (const run of reported) {
      const index = remaining.findIndex((entry) => mismatch(run, entry) === null)
      if (index === -1) return `no stored run is as expected: ${mismatch(run, remaining[0])}`
      remaining.splice(index, 1)
    }
    return null
  }
  await untilStable(server, finding, within_ms)
}

async function playFiles({ folder }, { files }) {
  if (files.corrupt || files.older || files.read_only) damage(folder, files)
  else await until(null, () => filesFinding(folder, files))
}

/** Returns the allowed numbers: `count` is exact; without bounds `defaultCount`, or at least one. */
function boundsOf({ count, at_least, at_most }, defaultCount) {
  if (count !== undefined) return { min: count, max: count }
  const isBare = at_least === undefined && at_most === undefined
  if (isBare && defaultCount !== null) return { min: defaultCount, max: defaultCount }
  return { min: isBare ? 1 : (at_least ?? 0), max: at_most ?? Number.POSITIVE_INFINITY }
}

/** Returns the fields of a request or frame that help to see why it does not match. */
function brief({ method, url, body, headers, query, path, isTooLarge, isUpgrade, ...frame }) {
  if (url === undefined) return frame
  return { method, url, 'if-none-match': headers['if-none-match'], body: JSON.stringify(body)?.slice(0, 200) }
}
