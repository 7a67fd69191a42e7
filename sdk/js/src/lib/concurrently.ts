/** Maximum number of concurrent background requests of one client. */
const maxConcurrent = 6

/** Runs the work for every item, a few at a time. */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values()
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(maxConcurrent, items.length) }, worker))
}
