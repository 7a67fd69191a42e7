import type { GatewayOperation, GatewayProtocol } from '../../../contract/gateway/gateway.ts'
import type { Json } from './json.ts'
import type { ReplyContent } from './reply-content.ts'

/** The fields of a request that its run stores. */
export type RequestFields = {
  /** Null: the request names none. */
  readonly model: string | null
  /** The user of the app. */
  readonly endUser: string | null
  /** An object with the parameters; only known ones are stored. */
  readonly params: Json
  /** The fields that the model reads. */
  readonly input: Json
}

/** An error of this service, for a client of the protocol. */
export type ProtocolError = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly requestId: string
}

/** A protocol of the gateway. The run log and errors use it; bytes pass unchanged. */
export type Protocol = GatewayProtocol & {
  /** The path of the routes below the address of a provider. */
  readonly providerPath: string
  /** Reads the body of a request. `pathModel`: the model in its path. */
  readonly readRequest: (body: Json, pathModel: string | null) => RequestFields
  /** Reads the body of a reply, or one event of a stream. */
  readonly readReply: (value: Json, into: ReplyContent, operation: GatewayOperation) => void
  readonly errorBody: (error: ProtocolError) => Json
}
