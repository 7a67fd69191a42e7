type Items = AsyncIterable<Readonly<Record<string, unknown>>>

/** Writes definitions as one JSON file, an item at a time. */
export async function* writeJson(noun: string, items: Items): AsyncGenerator<string> {
  yield `{"format":"promptdeck","${noun}s":[`
  let separator = '\n'
  for await (const one of items) {
    yield separator + JSON.stringify(one, null, 2)
    separator = ',\n'
  }
  yield '\n]}\n'
}
