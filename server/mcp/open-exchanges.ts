import { fail } from '../lib/fail.ts'

/** The id of a JSON-RPC request. */
export type RequestId = string | number

type Exchange = {
  readonly principal: string
  readonly sessionId: string
  /** The request that the exchange replies to; null for a stream of notifications. */
  readonly requestId: RequestId | null
}

export type ExchangeLimits = { readonly perPrincipal: number; readonly total: number }

export type OpenExchanges = ReturnType<typeof createOpenExchanges>

/** Keeps the requests and streams in progress: limits their number, and ends them. */
export function createOpenExchanges({ perPrincipal, total }: ExchangeLimits) {
  const open = new Map<Exchange, () => void>()
  const counts = new Map<string, number>()

  const close = (exchange: Exchange) => {
    if (!open.delete(exchange)) return
    const remaining = (counts.get(exchange.principal) ?? 1) - 1
    if (remaining === 0) counts.delete(exchange.principal)
    else counts.set(exchange.principal, remaining)
  }

  return {
    /** Adds an exchange. `end` ends it early. Returns a function that removes it. Throws 429 at a limit. */
    enter(exchange: Exchange, end: () => void): () => void {
      const count = counts.get(exchange.principal) ?? 0
      if (count >= perPrincipal || open.size >= total)
        throw fail('rate_limited', {
          detail: `Too many MCP requests and streams are open: yours are ${count}. Close one, or try again later.`,
          retryAfter: 5,
        })
      open.set(exchange, end)
      counts.set(exchange.principal, count + 1)
      return () => close(exchange)
    },
    /** Ends the request with this id in a session. Does nothing if it has ended or never existed. */
    cancel(sessionId: string, requestId: RequestId): void {
      for (const [exchange, end] of open)
        if (exchange.sessionId === sessionId && exchange.requestId === requestId) end()
    },
    count: () => open.size,
    endAll(): void {
      for (const end of open.values()) end()
    },
  }
}
