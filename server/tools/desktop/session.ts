import { z } from 'zod'
import { deviceHeader } from '../../../contract/accounts/pairing.ts'
import { exchange } from './exchange.ts'

/** A session that a paired desktop app opened. */
export type ServerSession = { readonly token: string; readonly username: string }

const Login = z.object({ token: z.string(), username: z.string() })

export const openSession = (
  server: { readonly origin: string; readonly ca: string },
  deviceToken: string,
): Promise<ServerSession> =>
  exchange(
    server,
    {
      method: 'POST',
      path: '/api/login',
      // By default, the service accepts sign-ins from the network only with the token of a paired device.
      headers: { [deviceHeader]: deviceToken },
      body: { token: deviceToken },
    },
    Login,
  )
