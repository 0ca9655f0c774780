import { parentPort } from 'node:worker_threads';

import { ConfigError } from '../errors.js';
import { parseConfig, readDocumentFile } from '../loader.js';
import { askingJudge } from './judge-elsewhere.js';
import type { LoadAnswer, LoadRequest } from './messages.js';
import { pack } from './parcel.js';

const port = parentPort!;
port.on('message', (request: LoadRequest) => port.postMessage(answerTo(request)));

function answerTo(request: LoadRequest): LoadAnswer {
  try {
    return { parcel: load(request) };
  } catch (error) {
    if (error instanceof ConfigError) return { issues: error.issues };
    return { fault: error instanceof Error ? error : new Error(String(error)) };
  }
}

function load({ file, env, registered, judge }: LoadRequest): ReturnType<typeof pack> {
  const { text, format } = readDocumentFile(file);
  const known = registered && { ...registered, ...(judge && { judge: askingJudge(judge) }) };
  return pack(parseConfig(text, { file, format, env, ...(known && { registered: known }) }), text);
}
