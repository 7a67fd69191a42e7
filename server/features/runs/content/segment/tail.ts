import type { Payload } from '../../payloads/payload-line.ts'
import { textsOf } from '../payload-texts.ts'
import { hashOf, indexedForm, pairCount, pairOf, pairTerm, wordsIn } from '../words.ts'
import { compareKeys, type Document, type Range } from './format.ts'
import type { Source } from './source.ts'
import type { TermDocuments } from './write.ts'

/**
 * The index of payloads that are not in a segment yet, in memory. After a crash it is built again from
 * the payload file.
 */
export type Tail = Source & {
  /** The range of the payload file. */
  readonly range: Range
  readonly isFull: boolean
  add(document: Document, payload: Payload): void
  /** Records that everything below `to` was added. */
  advance(to: number): void
  /** Returns the content of a segment: documents newest first, and terms in order. */
  content(): { readonly documents: readonly Document[]; readonly terms: Iterable<TermDocuments> }
}

/** Limits of memory: bytes of payload lines, and documents. */
const maxLineBytes = 4 * 1024 * 1024
const maxTailDocuments = 16_384

type State = {
  /** In the order of the file. Terms refer to this order. */
  readonly documents: Document[]
  readonly words: Map<string, number[]>
  readonly pairs: (number[] | undefined)[]
  bytes: number
  range: Range
  /** Null after a change. */
  order: Order | null
  version: number
}
/** The documents newest first, and the position of each in this order. */
type Order = { readonly documents: readonly Document[]; readonly rankOf: Uint16Array }

let created = 0

export function createTail(from: number): Tail {
  const state: State = {
    documents: [],
    words: new Map(),
    pairs: new Array(pairCount),
    bytes: 0,
    range: { from, to: from },
    order: null,
    version: 0,
  }
  created += 1
  const number = created
  const ordered = () => orderOf(state)
  return {
    get name() {
      return `tail ${number}.${state.version}`
    },
    get range() {
      return state.range
    },
    get count() {
      return state.documents.length
    },
    get newest() {
      return ordered().documents[0] ?? null
    },
    get oldest() {
      return ordered().documents.at(-1) ?? null
    },
    get isFull() {
      return state.bytes >= maxLineBytes || state.documents.length >= maxTailDocuments
    },
    documentAt(index) {
      const document = ordered().documents[index]
      if (document === undefined) throw new RangeError(`Document ${index} does not exist`)
      return document
    },
    *postings(term) {
      const found = state.words.get(term) ?? pairPostings(state, term)
      if (found !== undefined) yield ranked(found, ordered())
    },
    *withPrefix(prefix) {
      for (const [word, found] of state.words) if (word.startsWith(prefix)) yield ranked(found, ordered())
    },
    add: (document, payload) => add(state, document, payload),
    advance(to) {
      state.range = { from, to }
    },
    content: () => ({ documents: ordered().documents, terms: termsOf(state, ordered()) }),
  }
}

function add(state: State, document: Document, payload: Payload): void {
  const number = state.documents.length
  state.documents.push(document)
  state.bytes += document.length
  state.order = null
  state.version += 1
  for (const { text } of textsOf(payload)) {
    let before: number | null = null
    for (const { word } of wordsIn(text)) {
      const term = indexedForm(word)
      const hash = hashOf(term)
      const found = state.words.get(term)
      if (found === undefined) state.words.set(term, [number])
      else append(found, number)
      if (before !== null) {
        const pair = pairOf(before, hash)
        const list = state.pairs[pair]
        if (list === undefined) state.pairs[pair] = [number]
        else append(list, number)
      }
      before = hash
    }
  }
}

function append(list: number[], number: number): void {
  if (list[list.length - 1] !== number) list.push(number)
}

function orderOf(state: State): Order {
  if (state.order !== null) return state.order
  const { documents } = state
  const sorted = documents.map((_, index) => index)
  sorted.sort((a, b) => compareKeys(documents[b] as Document, documents[a] as Document))
  const rankOf = new Uint16Array(documents.length)
  for (const [rank, number] of sorted.entries()) rankOf[number] = rank
  state.order = { documents: sorted.map((number) => documents[number] as Document), rankOf }
  return state.order
}

const ranked = (numbers: readonly number[], { rankOf }: Order): Uint16Array =>
  Uint16Array.from(numbers, (number) => rankOf[number] ?? 0).sort()

function pairPostings({ pairs }: State, term: string): readonly number[] | undefined {
  const pair = term.charCodeAt(1) - 0x100
  return term === pairTerm(pair) ? pairs[pair] : undefined
}

function* termsOf({ words, pairs }: State, order: Order): Generator<TermDocuments> {
  for (const [pair, numbers] of pairs.entries()) {
    if (numbers !== undefined) yield { term: pairTerm(pair), documents: ranked(numbers, order) }
  }
  for (const term of [...words.keys()].sort()) {
    yield { term, documents: ranked(words.get(term) ?? [], order) }
  }
}
