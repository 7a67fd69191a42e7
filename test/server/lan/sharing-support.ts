import { X509Certificate } from 'node:crypto'
import { afterEach } from 'vitest'
import { handshake } from '../../support/lan/lan.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../../support/service.ts'

export const closers: (() => Promise<unknown>)[] = []

export async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options)
  closers.push(() => server.close())
  return server
}

/** Returns the certificate that the listener presents to a client that trusts the authority. */
export async function presented(port: number, ca: string): Promise<X509Certificate> {
  const socket = await handshake({ port, ca })
  const { raw } = socket.getPeerCertificate()
  socket.destroy()
  return new X509Certificate(raw)
}

/** Closes the services of each test of the calling file after it. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
}
