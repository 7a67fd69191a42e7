import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http'
import type { Express, Request, Response } from 'express'

export type MessageClasses = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>

/**
 * Returns the classes of an application's requests and replies, for Node's HTTP server. Express sets the
 * prototypes of each request and reply to `app.request` and `app.response`, and V8 discards optimized code
 * for objects whose prototype changes. Instances of these classes have the prototypes from the start, which
 * saves about two thirds of the time that Express takes (ADR 29).
 */
export function createMessageClasses(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Req extends IncomingMessage = IncomingMessage> extends ServerResponse<Req> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request)
  Object.setPrototypeOf(AppResponse.prototype, app.response)
  app.request = AppRequest.prototype as Request
  app.response = AppResponse.prototype as Response
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}
