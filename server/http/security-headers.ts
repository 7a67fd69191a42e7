import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'
import type { TrustedProxies } from '../lib/remote-address.ts'

type Directives = Record<string, readonly string[]>
type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** Denies every browser feature except passkeys and writing to the clipboard. helmet does not set this header. */
const permissionsPolicy = [
  ...[
    'accelerometer',
    'autoplay',
    'camera',
    'display-capture',
    'encrypted-media',
    'fullscreen',
    'geolocation',
  ],
  ...['gyroscope', 'hid', 'idle-detection', 'local-fonts', 'magnetometer', 'microphone', 'midi', 'payment'],
  ...['picture-in-picture', 'screen-wake-lock', 'serial', 'usb', 'web-share', 'xr-spatial-tracking'],
  'clipboard-read',
]
  .map((feature) => `${feature}=()`)
  .concat(
    ...['publickey-credentials-create', 'publickey-credentials-get', 'clipboard-write'].map(
      (feature) => `${feature}=(self)`,
    ),
  )
  .join(', ')

type Headers = Readonly<Record<string, string>>

/** Returns the headers of helmet with this policy. They are the same for every request. */
function helmetHeaders(directives: Directives): Headers {
  const secure = helmet({
    // `createTransportHeader` decides; plain HTTP is used on this machine or a LAN.
    strictTransportSecurity: false,
    contentSecurityPolicy: { useDefaults: false, directives },
  })
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  secure(request, response, (error) => {
    if (error !== undefined) throw error
  })
  return Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
  )
}

/** Returns a middleware that sets headers. helmet itself makes twelve calls in a request. */
function setHeaders(headers: Headers): Middleware {
  const pairs = Object.entries(headers)
  return (_req, res, next) => {
    for (const [name, value] of pairs) res.setHeader(name, value)
    next()
  }
}

/** The headers of every reply that is not a page. */
export const apiHeaderValues: Headers = {
  'permissions-policy': permissionsPolicy,
  'cache-control': 'no-store',
  ...helmetHeaders({ defaultSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] }),
}

/** Sets the headers of every reply that is not a page. */
export const apiHeaders: Middleware = setHeaders(apiHeaderValues)

/**
 * Sets the headers of the console and the documentation. Mantine sets style attributes; there are no inline
 * scripts.
 */
export const pageHeaders: Middleware = setHeaders({
  'permissions-policy': permissionsPolicy,
  ...helmetHeaders({
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    manifestSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  }),
})

/**
 * Returns the middleware that makes browsers use TLS only (HSTS, RFC 6797) in replies that a trusted proxy
 * sends over TLS. Elsewhere browsers could no longer open other services of the same host name.
 */
export function createTransportHeader(isTrusted: TrustedProxies): Middleware {
  return (req, res, next) => {
    const protocols = String(req.headers['x-forwarded-proto'] ?? '').split(',')
    if (protocols[0]?.trim() === 'https' && isTrusted(req.socket.remoteAddress))
      res.setHeader('strict-transport-security', 'max-age=31536000')
    next()
  }
}
