import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'

/** `GET /health` stands outside /api and its tables. `defaults` is told to loopback peers only. */
const Health = z.object({
  ok: z.boolean(),
  version: z.string().optional(),
  defaults: z.object({ password: z.boolean(), token: z.boolean() }).optional(),
})

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }) => Health.parse(await (await fetch('/health', { signal })).json()),
  retry: false,
})
