import { start } from './cli/start.js';

process.exit(await start(['serve', ...process.argv.slice(2)]));
