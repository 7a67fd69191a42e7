import { z } from 'zod'
import { createPersistedStore } from '../../lib/state/store.ts'

/** The items chosen last, newest first. Labels are stored because search results may not be loaded. */
const Recent = z.array(z.object({ id: z.string(), label: z.string() }))
type RecentList = z.infer<typeof Recent>

const maxRecent = 6

export const recent = createPersistedStore<RecentList>(
  'palette.recent',
  [],
  (value): value is RecentList => Recent.safeParse(value).success,
)

export function addRecent(id: string, label: string): void {
  recent.set([{ id, label }, ...recent.get().filter((item) => item.id !== id)].slice(0, maxRecent))
}
