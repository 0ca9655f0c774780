import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { closeAtEnd } from './cleanup.js';

const LISTENER = `
const server = require('node:net').createServer();
server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(server.address().port));
`;

/**
 * A port of 127.0.0.1 to which no connection is ever made: its owner is stopped and its backlog is full, so that the
 * kernel drops every SYN, as a host does that is switched off.
 */
export async function blackHole(): Promise<number> {
  const owner = spawn(process.execPath, ['-e', LISTENER], { stdio: ['ignore', 'pipe', 'ignore'] });
  closeAtEnd(() => owner.kill('SIGKILL'));
  const port = Number(await firstOutput(owner));
  owner.kill('SIGSTOP');
  await fill(port);
  return port;
}

async function firstOutput(owner: ChildProcess): Promise<string> {
  const [text] = (await once(owner.stdout!, 'data')) as [Buffer];
  return text.toString();
}

/** Opens connections until one is left waiting. */
async function fill(port: number): Promise<void> {
  for (let sockets = 0; sockets < 64; sockets++) {
    const socket = connect(port, '127.0.0.1');
    closeAtEnd(() => socket.destroy());
    if (!(await connects(socket))) return;
  }
  throw new Error('the backlog is never full here');
}

function connects(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), 150);
    socket.on('error', () => {});
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
