type Items = AsyncIterable<Readonly<Record<string, unknown>>>

/** A file of definitions, one after the other. */
export async function* writeJson(noun: string, items: Items): AsyncGenerator<string> {
  yield `{"format":"promptdeck","${noun}s":[`
  let separator = '\n'
  for await (const one of items) {
    yield separator + JSON.stringify(one, null, 2)
    separator = ',\n'
  }
  yield '\n]}\n'
}
