// @ts-check
// Looks for servers like the desktop app, and writes each list as a line of JSON. Ends with its input.
const [, , file = ''] = process.argv
/** @type {{ serverClient: import('../../../server/index.ts').ServerClient }} */
const { serverClient } = await import(file)
const stop = serverClient.browse((servers) => process.stdout.write(`${JSON.stringify(servers)}\n`))
process.stdin.resume().on('end', () => {
  stop()
  process.exit()
})
