/** The style of the window for servers: light or dark, as the system is. */
export const style = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; --line: #d4d4dc; --dim: #5b5b6b;
  --bad: #b42318; --badge: #fdf1f0; --accent: #4f46e5; --page: #fff; --ink: #18181f; --field: #fff }
@media (prefers-color-scheme: dark) { :root { --line: #3c3c4a; --dim: #a3a3b5; --bad: #ff9b93; --badge: #3a2024;
  --accent: #5b54e8; --page: #17171d; --ink: #ececf1; --field: #1f1f27 } }
body { margin: 0; padding: 28px 32px; background: var(--page); color: var(--ink) }
main { max-width: 560px; margin: 0 auto }
h1 { font-size: 20px; line-height: 1.3; margin: 0 0 6px }
h2 { font-size: 15px; line-height: 1.3; margin: 28px 0 8px }
p { margin: 0 0 14px; overflow-wrap: anywhere }
small, .help { color: var(--dim); font-size: 12px }
.help { margin: 4px 0 0 }
ul.servers { list-style: none; margin: 16px 0 0; padding: 0; border: 1px solid var(--line); border-radius: 8px }
ul.servers:empty { display: none }
ul.servers > li { padding: 10px 14px; border-top: 1px solid var(--line) }
ul.servers > li:first-child { border-top: 0 }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px }
.about { flex: 1 1 200px; min-width: 0; overflow-wrap: anywhere }
.about small { display: block }
.row form, .buttons { display: flex; flex-wrap: wrap; gap: 8px }
.field { margin-bottom: 14px }
label, legend { display: block; font-weight: 600; margin-bottom: 4px; padding: 0 }
input:not([type=radio]) { box-sizing: border-box; width: 100%; font: inherit; padding: 7px 10px; border-radius: 6px;
  border: 1px solid #8a8a99; background: var(--field); color: inherit }
input[aria-invalid=true] { border-color: var(--bad) }
fieldset { border: 0; margin: 0 0 14px; padding: 0 }
.choice { display: inline-flex; align-items: center; gap: 6px; font-weight: 400; margin: 0 20px 0 0 }
.error { color: var(--bad); font-size: 12px; margin: 4px 0 0 }
.problem { border-left: 3px solid var(--bad); background: var(--badge); padding: 10px 14px; border-radius: 4px;
  margin: 0 0 16px }
li > .stack, li > .problem { margin: 12px 0 4px }
h1 + .problem, .help + .buttons, ul.servers + form { margin-top: 12px }
.problem p { margin: 0 }
.problem p + p { margin-top: 4px }
button { font: inherit; padding: 6px 14px; border-radius: 6px; border: 1px solid #8a8a99; background: var(--field);
  color: inherit; cursor: pointer }
button.first { background: var(--accent); border-color: var(--accent); color: #fff }
button:focus-visible, input:focus-visible { outline: 2px solid #6366f1; outline-offset: 2px }
.words { list-style: none; display: flex; flex-wrap: wrap; gap: 8px; padding: 0; margin: 16px 0;
  font: 600 20px/1.2 ui-monospace, monospace }
.words li { border: 1px solid var(--line); border-radius: 6px; padding: 8px 14px; user-select: all }
dl { margin: 0 0 20px; font-size: 12px }
dt { font-weight: 600; margin-top: 8px }
dd { margin: 0; font-family: ui-monospace, monospace; overflow-wrap: anywhere; user-select: all }
progress { width: 100%; margin: 12px 0; accent-color: #6366f1 }
`
