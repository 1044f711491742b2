// SPDX-License-Identifier: MIT
// The timeline's page. docs/VIEW.md has the interface of the server.
const info = await (await fetch("api/info")).json();
document.title = `${info.file} – Rastrum`;
