// @ts-check
import { once } from 'node:events'
import { createServer } from 'node:https'

/** Encryption without a certificate: an https server for the harness only; no browser would accept it. */
export const ciphers = 'ADH-AES256-GCM-SHA384:@SECLEVEL=0'
/** Address of all names that end in `.redirect`; connections to it go to the redirector. */
export const redirectAddress = '93.184.216.40'

/** Redirects `/<status>/<location as base64url>/…` to that location. */
export async function startRedirector() {
  const server = createServer({ ciphers, maxVersion: 'TLSv1.2', dhparam: 'auto' }, (req, res) => {
    const [, status = '', location = ''] = (req.url ?? '').split('/')
    req.resume()
    res.writeHead(Number(status), { location: Buffer.from(location, 'base64url').toString('latin1') })
    res.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the redirector does not listen')
  return {
    port: address.port,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
