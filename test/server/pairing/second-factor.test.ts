import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import { enrol } from '../auth/second-factor-support.ts'
import { answer, askWith, openWindow, stateOf } from './pairing-support.ts'

const open = async () => ({ code: (await openWindow(server)).code })

let server: LanServer
beforeAll(async () => {
  server = await startLanServer()
})
afterAll(() => server.close())

it('a user with two-factor authentication pairs a browser with a code, which works once', async () => {
  const person = await server.signedIn('editor', 'careful')
  const { username, password } = person
  const { recoveryCodes } = await enrol(server, person, new Date())
  const [code = ''] = recoveryCodes
  const given = { username, password, account: 'existing' }
  const window = await open()

  const missing = await askWith(server, window, given)
  expect(missing.status).toBe(401)
  expect(missing.body).toMatchObject({
    code: 'auth.second_factor_required',
    errors: [{ path: 'second_factor_code' }],
  })
  expect(missing.body.challenge).toBeUndefined()
  const wrong = await askWith(server, window, { ...given, second_factor_code: '000000' })
  expect(wrong.body).toMatchObject({ code: 'auth.invalid_code', errors: [{ path: 'second_factor_code' }] })

  const asked = await askWith(server, window, { ...given, second_factor_code: code })
  expect(asked.status, asked.text).toBe(202)
  expect((await answer(server, asked.body.request_id, 'approve')).status).toBe(200)
  const { body } = await stateOf(server, asked.body)
  expect(body.data ?? body).toMatchObject({ status: 'approved', user: { username } })

  const again = await askWith(server, await open(), { ...given, second_factor_code: code })
  expect(again.body).toMatchObject({ code: 'auth.invalid_code' })
})

it('the code is not requested before the password is correct', async () => {
  const person = await server.signedIn('viewer', 'guessed')
  await enrol(server, person, new Date())
  const reply = await askWith(server, await open(), {
    username: person.username,
    password: 'not the password',
    account: 'existing',
  })
  expect(reply.body).toMatchObject({ code: 'auth.invalid_credentials' })
})

it('a request made without a code ends when its user turns on two-factor authentication', async () => {
  const person = await server.signedIn('editor', 'became-careful')
  const { username, password } = person
  const asked = await askWith(server, await open(), { username, password, account: 'existing' })
  await enrol(server, person, new Date())
  expect((await answer(server, asked.body.request_id, 'approve')).body.code).toBe('pairing.ended')
})
