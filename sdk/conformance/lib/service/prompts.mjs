import { hash } from 'node:crypto'

const scopedKey = (prompt) =>
  JSON.stringify([prompt.workspace ?? 'default', prompt.env ?? 'prod', prompt.key])

/** The served prompts and their announced changes. */
export class Prompts {
  #served = new Map()
  #events = []

  /**
   * @param {Record<string, object> | object[]} prompts by key, or a list of prompts with `key`
   * @param {number} seq
   * @param {number} replayDepth number of sequence numbers before `seq` that can still be replayed
   */
  constructor(prompts, seq, replayDepth) {
    this.seq = seq
    this.replayDepth = replayDepth
    const list = Array.isArray(prompts)
      ? prompts
      : Object.entries(prompts).map(([key, prompt]) => ({ key, ...prompt }))
    for (const prompt of list) this.put(prompt)
  }

  /** Serves a prompt. Missing members keep their previous value. */
  put(changes) {
    const before = this.#served.get(scopedKey(changes))
    const prompt = {
      workspace: 'default',
      env: 'prod',
      version: 'v1',
      model: null,
      content: '',
      variables: [],
      messages: null,
      params: {},
      is_old: false,
      ...before,
      ...changes,
    }
    const id = hash('sha256', scopedKey(prompt), 'hex').slice(0, 12)
    this.#served.set(scopedKey(prompt), { ...prompt, id })
    return this.#served.get(scopedKey(prompt))
  }

  /** Serves a prompt with the next sequence number; returns the frame with its audience. */
  publish({ type = 'prompt.published', ...changes }) {
    return this.#announce(type, this.put(changes))
  }

  delete({ key, env = 'prod', workspace = 'default' }) {
    const scoped = scopedKey({ key, env, workspace })
    const prompt = this.#served.get(scoped) ?? { id: 'deleted', key, env, workspace, version: null }
    this.#served.delete(scoped)
    return this.#announce('prompt.deleted', prompt)
  }

  #announce(type, { id, key, env, workspace, version }) {
    this.seq += 1
    const frame = { type, seq: this.seq, id, key, env, version, workspace_id: workspace }
    this.#events.push(frame)
    return frame
  }

  get({ key, env, workspace }) {
    const prompt = this.#served.get(scopedKey({ key, env, workspace }))
    return prompt === undefined ? null : toReply(prompt)
  }

  /** Returns the prompts of one environment and workspace, sorted by key. */
  list({ env, workspace }) {
    return [...this.#served.values()]
      .filter((prompt) => prompt.env === env && prompt.workspace === workspace)
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(toReply)
  }

  /** Returns the frames after `since`, or null if they are no longer stored or `since` is in the future. */
  missed(since) {
    if (since > this.seq || this.seq - since > this.replayDepth) return null
    return this.#events.filter((frame) => frame.seq > since)
  }
}

function toReply({ id, key, version, env, model, content, variables, messages, params, is_old: isOld }) {
  const declared = variables.map((variable) => ({
    required: false,
    description: null,
    default: null,
    ...variable,
  }))
  const tag = hash('sha256', JSON.stringify([model, content, declared, messages, params]), 'hex').slice(0, 8)
  const etag = `"${id}-${version}-${tag}"`
  const reply = { key, version, env, model, content, variables: declared, etag }
  // A service from before chat prompts sends none of these members.
  return isOld ? reply : { ...reply, type: messages === null ? 'text' : 'chat', messages, params }
}
