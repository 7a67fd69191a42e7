import { type Change, diffArrays, diffWordsWithSpace } from 'diff'
import type { DiffPart, LinePair } from './diffSections.ts'

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

/**
 * Returns the lines of a text, or of any other value as JSON. Keys are sorted, so that their order makes no
 * difference.
 */
function toLines(value: unknown): string[] {
  if (value === null || value === undefined) return []
  return typeof value === 'string' ? value.split('\n') : jsonLines(sorted(value), '', '')
}

const indent = '  '

/**
 * Returns the lines of a JSON value with its indentation. A text of several lines is shown as it is, below
 * its name, so that it is compared by line.
 */
function jsonLines(value: unknown, before: string, space: string): string[] {
  if (typeof value === 'string' && value.includes('\n'))
    return [`${space}${before}`.trimEnd(), ...value.split('\n').map((line) => `${space}${indent}${line}`)]
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return [`${space}${before}${JSON.stringify(value)}`]
  const isList = Array.isArray(value)
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  const inner = entries.flatMap(([key, part], index) => {
    const lines = jsonLines(part, isList ? '' : `${JSON.stringify(key)}: `, space + indent)
    const isText = typeof part === 'string' && part.includes('\n')
    const last = lines.at(-1) ?? ''
    return index === entries.length - 1 || isText ? lines : [...lines.slice(0, -1), `${last},`]
  })
  return [`${space}${before}${isList ? '[' : '{'}`, ...inner, `${space}${isList ? ']' : '}'}`]
}

const wholeLine = (text: string): DiffPart[] => [{ at: 0, text, isChanged: false }]

const partsOf = (parts: readonly Change[], isOtherSide: (part: Change) => boolean): DiffPart[] =>
  parts
    .filter((part) => !isOtherSide(part))
    .map((part, at) => ({ at, text: part.value, isChanged: part.added || part.removed }))

/** Limits of a comparison, in edits and milliseconds. The page is blocked during a comparison. */
const lineLimits = { maxEditLength: 1000, timeout: 200 }
const wordLimits = { maxEditLength: 200, timeout: 50 }
/** Longest line that is compared by words, in UTF-16 code units. */
const longestLine = 4000
/** Limit for all comparisons by words of one call, in milliseconds. */
const maxWordMs = 200

function changedPair(
  at: number,
  before: string | undefined,
  after: string | undefined,
  deadline: number,
): LinePair {
  if (before === undefined) return { at, isChanged: true, before: null, after: wholeLine(after ?? '') }
  if (after === undefined) return { at, isChanged: true, before: wholeLine(before), after: null }
  const isLong = before.length > longestLine || after.length > longestLine || performance.now() > deadline
  const parts = isLong ? undefined : diffWordsWithSpace(before, after, wordLimits)
  return {
    at,
    isChanged: true,
    before: parts === undefined ? wholeLine(before) : partsOf(parts, (part) => part.added),
    after: parts === undefined ? wholeLine(after) : partsOf(parts, (part) => part.removed),
  }
}

type LineChange = { readonly value: readonly string[]; readonly added: boolean; readonly removed: boolean }

function changesOf(from: string[], to: string[]): readonly LineChange[] {
  return (
    diffArrays(from, to, lineLimits) ?? [
      { value: from, added: false, removed: true },
      { value: to, added: true, removed: false },
    ]
  )
}

/**
 * Returns both texts side by side, line by line. Lines that replace each other are compared by words. Texts
 * that differ too much are shown as replaced.
 */
export function compare(before: unknown, after: unknown): LinePair[] {
  const changes = changesOf(toLines(before), toLines(after))
  const deadline = performance.now() + maxWordMs
  const pairs: LinePair[] = []
  for (let index = 0; index < changes.length; index += 1) {
    const change = changes[index]
    if (change === undefined) continue
    const next = changes[index + 1]
    const isReplaced = change.removed && next?.added === true
    pairs.push(...pairsOf(change, isReplaced ? next : undefined, pairs.length, deadline))
    if (isReplaced) index += 1
  }
  return pairs
}

/** Returns the pairs of a change, or of one that `replacement` follows. `at` is the index of the first. */
function pairsOf(
  { value, added, removed }: LineChange,
  replacement: LineChange | undefined,
  at: number,
  deadline: number,
): readonly LinePair[] {
  if (!added && !removed)
    return value.map((line, index) => ({
      at: at + index,
      isChanged: false,
      before: wholeLine(line),
      after: wholeLine(line),
    }))
  const left = removed ? value : []
  const right = added ? value : (replacement?.value ?? [])
  return aligned(left, right).map(([before, after], index) =>
    changedPair(at + index, before, after, deadline),
  )
}

type Lines = readonly (string | undefined)[]

const byPosition = (left: Lines, right: Lines): Lines[] =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [left[index], right[index]])

/** Returns the name at the start of a line of JSON. */
const nameIn = (line: string): string | undefined => /^\s*"(?:[^"\\]|\\.)*":/.exec(line)?.[0]

/** Pairs lines of JSON that have the same name, and the lines between them by their position. */
function aligned(left: readonly string[], right: readonly string[]): Lines[] {
  // Descending positions of each name on the right.
  const positions = new Map<string | undefined, number[]>()
  for (const [at, line] of [...right.entries()].reverse()) {
    const name = nameIn(line)
    const found = positions.get(name)
    if (found === undefined) positions.set(name, [at])
    else found.push(at)
  }
  const pairs: Lines[] = []
  let [leftAt, rightAt] = [0, 0]
  for (const [index, line] of left.entries()) {
    const name = nameIn(line)
    const found = name === undefined ? [] : (positions.get(name) ?? [])
    while ((found.at(-1) ?? rightAt) < rightAt) found.pop()
    const match = found.pop()
    if (match === undefined) continue
    pairs.push(...byPosition(left.slice(leftAt, index), right.slice(rightAt, match)), [line, right[match]])
    leftAt = index + 1
    rightAt = match + 1
  }
  return [...pairs, ...byPosition(left.slice(leftAt), right.slice(rightAt))]
}
