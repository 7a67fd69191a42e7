import { createServer, type Server, type Socket } from 'node:net'

/** One address on which the service is shared. */
export type Binding = {
  readonly port: number
  /** Stops accepting connections. Resolves when the open ones have ended; `destroy` ends them. */
  stop(): Promise<void>
  /** Closes all connections immediately. */
  destroy(): void
}

/** Listens on one address. Rejects with a message that states what to do. */
export function bind(host: string, port: number, onSocket: (socket: Socket) => void): Promise<Binding> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(reasonOf(error, host, port), { cause: error })),
    )
    server.listen(port, host, () => {
      // An error while accepting, such as too many open files, must not end the process.
      server.on('error', () => undefined)
      resolve({
        port: portOf(server, port),
        stop: () => new Promise((ended) => server.close(() => ended())),
        destroy() {
          for (const socket of sockets) socket.destroy()
        },
      })
    })
  })
}

function portOf(server: Server, port: number): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

function reasonOf(error: NodeJS.ErrnoException, host: string, port: number): string {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another port.`,
    EACCES: `Port ${port} requires permissions that this user does not have. Choose a port above 1023.`,
    EADDRNOTAVAIL: `This computer no longer has the address ${host}.`,
  }
  return reasons[error.code ?? ''] ?? `Cannot listen on ${host}:${port}: ${error.message}`
}
