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

/** Returns a middleware that sets the headers of helmet with this policy, and `more`. */
function withPolicy(directives: Directives, more: Readonly<Record<string, string>>): Middleware {
  const secure = helmet({
    // `createTransportHeader` decides; plain HTTP is used on this machine or a LAN.
    strictTransportSecurity: false,
    contentSecurityPolicy: { useDefaults: false, directives },
  })
  const names = Object.entries(more)
  return (req, res, next) => {
    for (const [name, value] of names) res.setHeader(name, value)
    secure(req, res, next)
  }
}

/** Sets the headers of every reply that is not a page. */
export const apiHeaders: Middleware = withPolicy(
  { defaultSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
  { 'permissions-policy': permissionsPolicy, 'cache-control': 'no-store' },
)

/**
 * Sets the headers of the console and the documentation. Mantine sets style attributes; there are no inline
 * scripts.
 */
export const pageHeaders: Middleware = withPolicy(
  {
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
  },
  { 'permissions-policy': permissionsPolicy },
)

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

/** Returns the values that `apiHeaders` sets, for replies that are written to a socket directly. */
export function apiHeaderValues(): Record<string, string> {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  apiHeaders(request, response, (error) => {
    if (error !== undefined) throw error
  })
  return Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
  )
}
