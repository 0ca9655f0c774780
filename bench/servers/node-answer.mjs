/** The floor of a cache hit on node: its HTTP server, with the gateway's flags, gives the same answer by itself. */
export function nodeAnswer(flags) {
  const file = new URL('programs/node-answer.mjs', import.meta.url).pathname;
  return {
    id: 'node-answer',
    label: 'node:http alone, the answer of a cache hit',
    version: process.version.slice(1),
    anonymous: true,
    missing: null,
    plan: ({ port }) => ({ command: [process.execPath, ...flags, file, String(port)] }),
  };
}
