import { afterAll, beforeAll } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { model, render } from './workflow-support.ts'

export let server: TestServer

export const hello = [render('r', 'Hi {{who}}'), model('m'), { name: 'u', type: 'transform', op: 'upper' }]

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server.close())
}
