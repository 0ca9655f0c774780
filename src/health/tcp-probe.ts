import { connect } from 'node:net';

import { failureText, type Probe, socketHost, socketPort } from './probe.js';

/** Whether the backend's port takes a connection, which is closed at once. */
export const tcpProbe: Probe = (origin, signal) =>
  new Promise((resolve) => {
    let failure: string | null = null;
    const socket = connect({ host: socketHost(origin), port: socketPort(origin), signal });
    socket.on('connect', () => socket.destroy());
    socket.on('error', (error) => {
      failure = failureText(error, signal);
    });
    socket.on('close', () => resolve(failure));
  });
