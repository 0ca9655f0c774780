/** Put into a gateway's process by `--import`: at SIGUSR2 it tells on standard error what no endpoint shows. */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  let longest = 0;
  let wall = 0;
  let last = process.threadCpuUsage();
  let lastAt = performance.now();
  // CPU time of this thread between two turns of its event loop: what other processes take does not count.
  const timer = setInterval(() => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user - last.user + now.system - last.system) / 1_000);
    last = now;
    const at = performance.now();
    wall = Math.max(wall, at - lastAt);
    lastAt = at;
  }, 1);
  timer.unref();
  process.on('SIGUSR2', () => {
    const [blockedMs, delayMs] = [longest, wall];
    globalThis.gc();
    globalThis.gc();
    const { heapUsed } = process.memoryUsage();
    process.stderr.write(`${JSON.stringify({ probe: true, blockedMs, delayMs, heapUsed })}\n`);
    last = process.threadCpuUsage();
    lastAt = performance.now();
    longest = 0;
    wall = 0;
  });
}
