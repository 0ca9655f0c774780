import { run } from './cli/run.js';

process.exit(await run(['serve', ...process.argv.slice(2)]));
