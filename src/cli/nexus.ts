#!/usr/bin/env -S node --min-semi-space-size=16 --max-semi-space-size=16
import { run } from './run.js';

process.exit(await run(process.argv.slice(2)));
