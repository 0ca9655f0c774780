/** Progress goes to stderr, so that stdout holds the report alone. */
export function note(line) {
  process.stderr.write(`bench: ${line}\n`);
}
