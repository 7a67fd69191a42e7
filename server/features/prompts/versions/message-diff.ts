import { diffArrays } from 'diff'
import { isPlaceholder } from '../../../../contract/models/chat.ts'
import type { PromptMessage, PromptMessages } from '../../../../contract/prompts/prompt-chat.ts'
import type { DiffMessage } from '../../../../contract/prompts/prompt-diff.ts'
import type { Context } from '../../../lib/context.ts'
import type { CompareLines } from './diff.ts'

/** Returns true if two messages at the same place are shown as one changed message. */
const isChangeOf = (from: PromptMessage, to: PromptMessage): boolean => {
  if (isPlaceholder(from) || isPlaceholder(to)) return isPlaceholder(from) && isPlaceholder(to)
  return from.role === to.role || from.content === to.content
}

const textOf = (message: PromptMessage): string => (isPlaceholder(message) ? '' : message.content)

/** Pairs removed messages with the added ones in their place. */
function pairsOf(removed: PromptMessages, added: PromptMessages): DiffMessage[] {
  const pairs: DiffMessage[] = []
  const rest = [...added]
  for (const from of removed) {
    const index = rest.findIndex((to) => isChangeOf(from, to))
    const [to] = index === -1 ? [] : rest.slice(index, index + 1)
    if (to === undefined) {
      pairs.push({ kind: 'removed', from, to: null })
      continue
    }
    // Messages before the partner come first, so that the order of the new messages is kept.
    for (const before of rest.splice(0, index)) pairs.push({ kind: 'added', from: null, to: before })
    rest.shift()
    pairs.push({ kind: 'changed', from, to })
  }
  return [...pairs, ...rest.map((to): DiffMessage => ({ kind: 'added', from: null, to }))]
}

/** Aligns the messages of two chats. Both lists are bounded by the contract. */
function alignMessages(from: PromptMessages, to: PromptMessages): DiffMessage[] {
  const keys = (messages: PromptMessages) => messages.map((message) => JSON.stringify(message))
  const parse = (values: readonly string[]): PromptMessages => values.map((value) => JSON.parse(value))
  const aligned: DiffMessage[] = []
  let removed: PromptMessages = []
  for (const change of diffArrays(keys(from), keys(to))) {
    const messages = parse(change.value)
    if (change.removed) {
      removed = messages
      continue
    }
    if (change.added) aligned.push(...pairsOf(removed, messages))
    else {
      aligned.push(...pairsOf(removed, []))
      aligned.push(...messages.map((message): DiffMessage => ({ kind: 'same', from: message, to: message })))
    }
    removed = []
  }
  return [...aligned, ...pairsOf(removed, [])]
}

/** Compares the messages of two chats, and the text of each changed message by line. */
export async function diffMessages(
  compareLines: CompareLines,
  ctx: Context,
  from: PromptMessages,
  to: PromptMessages,
): Promise<DiffMessage[]> {
  const compared: DiffMessage[] = []
  for (const message of alignMessages(from, to)) {
    const { from: before, to: after } = message
    if (message.kind !== 'changed' || before === null || after === null || textOf(before) === textOf(after)) {
      compared.push(message)
      continue
    }
    const { lines } = await compareLines(ctx, textOf(before), textOf(after))
    compared.push({ ...message, lines: [...lines] })
  }
  return compared
}
