import type { ElectronParts } from '../../../main/windows/electron-parts.ts'

type Session = ReturnType<ElectronParts['session']>
type ServerSession = ReturnType<ElectronParts['serverSession']>

/** A session of Chromium for one server. */
export type SessionDouble = ServerSession & {
  readonly handlers: Handlers
  verify: Parameters<ServerSession['setCertificateVerifyProc']>[0] | null
  cleared: number
}

export type Handlers = {
  request?: Parameters<Session['setPermissionRequestHandler']>[0]
  check?: Parameters<Session['setPermissionCheckHandler']>[0]
  device?: Parameters<Session['setDevicePermissionHandler']>[0]
}

/** A session that remembers its handlers. */
export const sessionDouble = (handlers: Handlers): Session => ({
  setPermissionRequestHandler: (handler) => {
    handlers.request = handler
  },
  setPermissionCheckHandler: (handler) => {
    handlers.check = handler
  },
  setDevicePermissionHandler: (handler) => {
    handlers.device = handler
  },
})

export function serverSessionDouble(): SessionDouble {
  const handlers: Handlers = {}
  const session: SessionDouble = {
    ...sessionDouble(handlers),
    handlers,
    verify: null,
    cleared: 0,
    setCertificateVerifyProc: (proc) => {
      session.verify = proc
    },
    clearStorageData: async () => {
      session.cleared += 1
    },
  }
  return session
}
