/** The operations of an adapter, for Node and browsers; see ../../conformance/CASES.md. */

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
const renamed = (members, rename) =>
  Object.fromEntries(Object.entries(members ?? {}).map(([name, value]) => [rename(name), value]))

/** Converts the suite's option names (snake case, as on the wire) to those of the package. */
function optionsOf({ timings, ...options }) {
  return { ...renamed(options, camel), ...(timings && { timings: renamed(timings, camel) }) }
}

/** Converts the data of each event to the suite's field names. */
const converters = {
  connect: ({ clientId, seq }) => ({ client_id: clientId, seq }),
  disconnect: (data) => data,
  update: ({ previousVersion, ...data }) => ({ ...data, previous_version: previousVersion }),
  resync: (data) => data,
  error: ({ error }) => ({ code: error.code, message: error.message, count: error.count }),
}

/** Returns an error whose class has that name, as a library would throw it. */
const errorNamed = (type, message) => new ({ [type]: class extends Error {} })[type](message)

/** Result of `stats` in a page, which can count neither timers nor sockets. */
const nothingLeft = () => ({ timers_or_threads: 0, sockets: 0 })

/**
 * Creates the request handler of an adapter.
 * @param sdk the built package
 * @param platform `{emit, language, features, stats}`: sends an event; name and features of this adapter;
 *   counts what closed clients still hold
 * @returns {(request: object) => Promise<unknown>} handles one request; throws errors with `code` and
 *   `message`
 */
export function createOps(sdk, { emit, language, features, stats = nothingLeft }) {
  const clients = new Map()
  const clientOf = ({ client = 'a' }) => {
    const found = clients.get(client)
    if (found === undefined) throw new sdk.PromptdeckError('Invalid', `There is no client ${client}.`)
    return found
  }

  const ops = {
    hello: () => ({ language, version: sdk.version, features }),
    new({ client: name = 'a', options = {} }) {
      const client = new sdk.Client(optionsOf(options))
      clients.set(name, client)
      for (const [event, convert] of Object.entries(converters)) {
        client.on(event, (data) => emit({ event, client: name, data: convert(data) }))
      }
      return null
    },
    get_prompt: (request) => clientOf(request).getPrompt(request.key),
    render: (request) => clientOf(request).render(request.key, request.variables),
    render_template: ({ content, variables, declared }) => sdk.renderTemplate(content, variables, declared),
    render_messages: (request) =>
      clientOf(request).renderMessages(request.key, request.variables, request.placeholders),
    render_chat: ({ messages, variables, declared, placeholders }) =>
      sdk.renderMessages(messages, variables, declared, placeholders),
    prefetch: async (request) => (await clientOf(request).prefetch(request.keys ?? undefined)) ?? null,
    watch: async (request) => (await clientOf(request).watch(request.keys ?? undefined)) ?? null,
    report_run: (request) => clientOf(request).reportRun(request.run),
    wrap: (request) => wrap(clientOf(request), request),
    async flush(request) {
      await clientOf(request).flush()
      return null
    },
    set_token(request) {
      clientOf(request).setToken(request.token)
      return null
    },
    close: (request) => clientOf(request).close(),
    stats,
  }

  async function wrap(client, { options = {}, result = null, error, usage, takes_ms: takes = 0 }) {
    const wrapped = client.wrap(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, takes))
        if (error) throw errorNamed(error.type, error.message)
        return result
      },
      { ...options, ...(usage && { usage: () => usage }) },
    )
    try {
      return await wrapped()
    } catch (thrown) {
      throw { code: 'Thrown', message: thrown.message }
    }
  }

  return async (request) => {
    if (!Object.hasOwn(ops, request.op))
      throw new sdk.PromptdeckError('Invalid', `There is no operation ${request.op}.`)
    return ops[request.op](request)
  }
}
