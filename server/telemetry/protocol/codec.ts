import { fail, Problem } from '../../lib/fail.ts'
import { maxElements } from '../../lib/values/json-elements.ts'
import { anyValueMembers, type MessageName, messages } from './messages.ts'

/** Encodes and decodes the binary form of messages. Field names are those of the JSON form. */
export type Codec = {
  /** Throws `request.malformed`, or `request.too_large` for a message with too many elements. */
  decode(name: MessageName, bytes: Buffer): unknown
  encode(name: MessageName, value: object): Buffer
}

let codec: Promise<Codec> | undefined

/** Returns the codec. The library loads with the first message, because most services receive none. */
export function loadCodec(): Promise<Codec> {
  codec ??= createCodec()
  return codec
}

async function createCodec(): Promise<Codec> {
  const { default: protobuf } = await import('protobufjs/light.js')
  const root = protobuf.Root.fromJSON({ nested: descriptors() })
  return {
    decode(name, bytes) {
      const reader = protobuf.Reader.create(bytes)
      limitElements(reader)
      try {
        return root.lookupType(name).decode(reader)
      } catch (cause) {
        if (cause instanceof Problem) throw cause
        throw fail('request.malformed', {
          detail: `The body is not a valid ${name} in the binary Protobuf encoding.`,
          cause,
        })
      }
    },
    encode: (name, value) => Buffer.from(root.lookupType(name).encode(value).finish()),
  }
}

/** Counts the fields that a reader reads. */
function limitElements(reader: { tag(): number }): void {
  const read = reader.tag
  let count = 0
  reader.tag = function tag() {
    count += 1
    if (count > maxElements) throw tooManyElements()
    return read.call(this)
  }
}

export const tooManyElements = (): Problem =>
  fail('request.too_large', {
    detail: `A request can have at most ${maxElements.toLocaleString('en')} elements. Send smaller batches.`,
  })

type Field = { type: string; id: number; rule?: 'repeated' }
type Descriptor = { fields: Record<string, Field>; oneofs?: Record<string, { oneof: string[] }> }

function descriptors(): Record<string, Descriptor> {
  return Object.fromEntries(
    Object.entries(messages).map(([name, fields]) => [
      name,
      {
        fields: Object.fromEntries(
          Object.entries(fields).map(([field, form]): [string, Field] => [field, fieldOf(form)]),
        ),
        ...(name === 'AnyValue' && { oneofs: { value: { oneof: anyValueMembers } } }),
      },
    ]),
  )
}

function fieldOf(form: string): Field {
  const [type = '', id = ''] = form.split(' ')
  const isList = type.endsWith('*')
  return { type: isList ? type.slice(0, -1) : type, id: Number(id), ...(isList && { rule: 'repeated' }) }
}
