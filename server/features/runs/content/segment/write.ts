import { basename, dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { syncFolder, temporaryOf } from '../../../../disk/durable.ts'
import { closeSync, fdatasyncSync, openSync, renameSync, rmSync, writeSync } from '../../../../disk/fs.ts'
import type { Yield } from '../../../../lib/async/yield.ts'
import {
  type BlockAt,
  type Directory,
  type Document,
  documentsPerBlock,
  encodeDirectory,
  encodeDocuments,
  type Fingerprint,
  magic,
  termBlockBytes,
} from './format.ts'
import { ByteWriter, encodeNumbers } from './varints.ts'

/** A term with the ascending numbers of its documents. */
export type TermDocuments = { readonly term: string; readonly documents: Uint16Array }

export type SegmentContent = {
  readonly fingerprint: Fingerprint
  /** Newest first. */
  readonly documents: readonly Document[]
  /** In order. */
  readonly terms: Iterable<TermDocuments>
}

/**
 * Writes a segment as a whole: it gets its name when all of it is on disk, so a crash leaves at most a
 * temporary file.
 */
export async function writeSegment(file: string, content: SegmentContent, yieldIfDue: Yield): Promise<void> {
  const temporary = temporaryOf(file)
  try {
    const handle = openSync(temporary, 'w', 0o600)
    try {
      await writeContent(handle, content, yieldIfDue)
      fdatasyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(dirname(file))
}

/** Returns true for a file that `writeSegment` left unfinished. */
export const isUnfinished = (name: string): boolean => /\.idx\.[0-9a-f]+\.tmp$/.test(basename(name))

async function writeContent(handle: number, content: SegmentContent, yieldIfDue: Yield): Promise<void> {
  const { fingerprint, documents, terms } = content
  const blocks = createBlockWriter(handle)
  const documentBlocks: BlockAt[] = []
  for (let from = 0; from < documents.length; from += documentsPerBlock) {
    documentBlocks.push(blocks.add(encodeDocuments(documents.slice(from, from + documentsPerBlock))))
    await yieldIfDue()
  }
  const directory: Directory = {
    fingerprint,
    count: documents.length,
    newest: keyOf(documents[0]),
    oldest: keyOf(documents.at(-1)),
    documents: documentBlocks,
    terms: await writeTerms(blocks, terms, yieldIfDue),
  }
  blocks.end(encodeDirectory(directory))
}

const keyOf = (document: Document | undefined) =>
  document === undefined ? null : { created_at: document.created_at, id: document.id }

async function writeTerms(blocks: BlockWriter, terms: Iterable<TermDocuments>, yieldIfDue: Yield) {
  const written: Directory['terms'][number][] = []
  const block = new ByteWriter()
  let first = ''
  const end = () => {
    if (block.length === 0) return
    written.push({ ...blocks.add(block.view()), first })
    block.clear()
  }
  for (const { term, documents } of terms) {
    if (block.length === 0) first = term
    block.text(term)
    block.varint(documents.length)
    block.bytes(encodeNumbers(documents))
    if (block.length < termBlockBytes) continue
    end()
    await yieldIfDue()
  }
  end()
  return written
}

type BlockWriter = ReturnType<typeof createBlockWriter>

function createBlockWriter(handle: number) {
  let at = 0
  const write = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done)
    at += bytes.length
  }
  write(magic)
  return {
    add(content: Buffer): BlockAt {
      const start = at
      const checksum = Buffer.allocUnsafe(4)
      checksum.writeUInt32LE(crc32(content))
      write(content)
      write(checksum)
      return { at: start, length: content.length }
    },
    end: write,
  }
}
