#!/usr/bin/env -S node --min-semi-space-size=16 --max-semi-space-size=16
import { run } from './run.js';

const code = await run(process.argv.slice(2));
// A pipe takes what was written in its own time: exiting before would cut it off.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
