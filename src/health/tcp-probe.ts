import { openSocket, type Probe } from './probe.js';

/** Whether the backend's port takes a connection, which is closed at once. Behind a proxy: whether it makes a tunnel. */
export const tcpProbe: Probe = async (backend, signal) => {
  const opened = await openSocket(backend, signal, true);
  if ('failure' in opened) return opened.failure;
  const { socket } = opened;
  await new Promise<void>((resolve) =>
    socket
      .on('error', () => {})
      .once('close', () => resolve())
      .destroy(),
  );
  return null;
};
