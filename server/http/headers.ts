import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'

type Headers = Readonly<Record<string, string>>

/** Runs helmet once and stores its headers, because they are the same for every reply. */
function collect(options: Parameters<typeof helmet>[0]): Headers {
  const headers: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value
    },
    removeHeader: () => undefined,
  }
  helmet(options)({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error) throw error
  })
  return headers
}

/** Denies every browser feature except writing to the clipboard. helmet has no such header. */
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
  ...['picture-in-picture', 'publickey-credentials-get', 'screen-wake-lock', 'serial', 'usb', 'web-share'],
  ...['xr-spatial-tracking', 'clipboard-read'],
]
  .map((feature) => `${feature}=()`)
  .concat('clipboard-write=(self)')
  .join(', ')

/** No HSTS and no upgrade of requests, because plain HTTP is used on this machine or a LAN. */
const common = { strictTransportSecurity: false } as const

/** Headers of every reply that is not a page. */
export const apiHeaders: Headers = {
  ...collect({
    ...common,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
    },
  }),
  'permissions-policy': permissionsPolicy,
  'cache-control': 'no-store',
}

/**
 * Headers of the console and the documentation. Mantine sets style attributes; there are no inline scripts.
 */
export const pageHeaders: Headers = {
  ...collect({
    ...common,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
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
    },
  }),
  'permissions-policy': permissionsPolicy,
}
