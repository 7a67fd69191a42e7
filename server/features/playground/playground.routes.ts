import { api } from '../../../contract/index.ts'
import { type Route, streamRoute } from '../../http/route.ts'
import { runEvents } from '../../http/run-events.ts'
import type { PlaygroundService } from './playground.service.ts'

export function playgroundRoutes(playground: PlaygroundService): Route[] {
  const { run } = api.playground
  return [
    streamRoute(run, (ctx, { body }, signal) =>
      body.stream
        ? runEvents(ctx, run.path, (progress) => playground.run(ctx, body, signal, progress))
        : playground.run(ctx, body, signal),
    ),
  ]
}
