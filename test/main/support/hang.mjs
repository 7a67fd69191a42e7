// A service that is never ready.
process.on('disconnect', () => process.exit(1))
setInterval(() => {}, 60_000)
