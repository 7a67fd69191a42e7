/** A bare Express application: one handler per route, which sends prepared bytes and stores nothing. */
import express from 'express'
import { announce, onReplies } from './replies.ts'

const app = express()
onReplies(({ reads, writes }) => {
  for (const { path, body } of reads)
    app.get(path, (_req, res) => void res.type('application/json').send(body))
  for (const { path, body } of writes)
    app.post(path, express.json({ limit: '1mb' }), (_req, res) => {
      res.status(201).type('application/json').send(body)
    })
})
const server = app.listen(0, '127.0.0.1', () => announce(server))
