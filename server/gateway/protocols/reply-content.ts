import type { Usage } from '../../models/model.ts'

export type CalledTool = { id: string | null; name: string; arguments: string }

/** Characters of text, and of the arguments of all tools: the limits of the run log. */
const maxText = 524_288
/** A reply that calls more tools is stored without the others. */
const maxTools = 128

const noUsage: Usage = { promptTokens: null, outputTokens: null, cachedTokens: null, reasoningTokens: null }

/** The parts of a reply that the run log has, collected from its events within limits. */
export class ReplyContent {
  responseId: string | null = null
  model: string | null = null
  finishReason: string | null = null
  usage: Usage = noUsage
  /** The counts in the form of the provider, if a stream has them in several events. */
  counts: Readonly<Record<string, unknown>> = {}
  /** The error in a stream, in the form of the provider. */
  failure: unknown = null
  /** True if something in it belongs to the protocol. */
  isKnown = false
  text = ''
  /** Output that is not stored, to estimate its tokens. */
  hidden = ''
  readonly tools = new Map<string | number, CalledTool>()
  #toolText = 0
  readonly #onFirst: () => void

  /** `onFirst` is called with the first text or tool call. */
  constructor(onFirst: () => void) {
    this.#onFirst = onFirst
  }

  addText(text: unknown): void {
    if (typeof text !== 'string' || text === '') return
    this.#begin()
    if (this.text.length < maxText) this.text = (this.text + text).slice(0, maxText)
  }

  /** Adds output that is not stored, such as the text of reasoning. */
  addHidden(text: unknown): void {
    if (typeof text !== 'string' || text === '') return
    this.#begin()
    if (this.hidden.length < maxText) this.hidden = (this.hidden + text).slice(0, maxText)
  }

  /** Adds a tool call, or a part of its arguments. `key`: its position. */
  addTool(key: string | number, part: { id?: unknown; name?: unknown; arguments?: unknown }): void {
    this.#begin()
    const known = this.tools.get(key)
    if (known === undefined && this.tools.size >= maxTools) return
    const tool = known ?? { id: null, name: '', arguments: '' }
    this.tools.set(key, tool)
    if (typeof part.id === 'string') tool.id ??= part.id
    if (typeof part.name === 'string') tool.name = tool.name === '' ? part.name.slice(0, 256) : tool.name
    const { arguments: given } = part
    const added = typeof given === 'string' ? given : given === undefined ? '' : JSON.stringify(given)
    const fitting = added.slice(0, maxText - this.#toolText)
    this.#toolText += fitting.length
    tool.arguments += fitting
  }

  /** Merges counts: a later one replaces an earlier one. */
  addUsage(usage: Partial<Usage>): void {
    const given = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null))
    this.usage = { ...this.usage, ...given }
  }

  #begin(): void {
    this.isKnown = true
    this.#onFirst()
  }
}
