// The health check of a container: exit code 0 if the instance at PORT is ready.
const port = process.env['PORT'] || '4780'
const reply = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => null)
process.exitCode = reply?.status === 200 ? 0 : 1
