#!/usr/bin/env -S node --min-semi-space-size=16 --max-semi-space-size=16 --no-flush-bytecode --no-allocation-site-pretenuring
import { start } from './start.js';

const code = await start(process.argv.slice(2));
// A pipe takes what was written in its own time: exiting before would cut it off.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
