import { maxToolNames } from '../../../contract/runs/run.ts'
import { maxOutputLength } from '../../../contract/runs/run-content.ts'
import type { Usage } from '../../models/model.ts'

export type CalledTool = { id: string | null; name: string; arguments: string }

const noUsage: Usage = { promptTokens: null, outputTokens: null, cachedTokens: null, reasoningTokens: null }

/**
 * The parts of a reply that the run log has, collected from its events. Texts, the arguments of all tools, and the
 * number of tools have the limits of the run log; what exceeds them is left out.
 */
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
    if (this.text.length < maxOutputLength) this.text = (this.text + text).slice(0, maxOutputLength)
  }

  /** Adds output that is not stored, such as the text of reasoning. */
  addHidden(text: unknown): void {
    if (typeof text !== 'string' || text === '') return
    this.#begin()
    if (this.hidden.length < maxOutputLength) this.hidden = (this.hidden + text).slice(0, maxOutputLength)
  }

  /** Adds a tool call, or a part of its arguments. `key`: its position. */
  addTool(key: string | number, part: { id?: unknown; name?: unknown; arguments?: unknown }): void {
    this.#begin()
    const known = this.tools.get(key)
    if (known === undefined && this.tools.size >= maxToolNames) return
    const tool = known ?? { id: null, name: '', arguments: '' }
    this.tools.set(key, tool)
    if (typeof part.id === 'string') tool.id ??= part.id
    if (typeof part.name === 'string') tool.name = tool.name === '' ? part.name.slice(0, 256) : tool.name
    const { arguments: given } = part
    const added = typeof given === 'string' ? given : given === undefined ? '' : JSON.stringify(given)
    const fitting = added.slice(0, maxOutputLength - this.#toolText)
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
