// An open-loop load generator: request i is due at start + i / rate, whatever became of the ones before it. It goes
// out on the connection that has been idle longest, or as soon as one is; its latency counts from when it was due, so
// that a server which stalls is charged for all that had to wait (no coordinated omission). Waits by spinning:
// timers are too coarse. Prints p50, p99 and max in milliseconds, and errors, as JSON.
import { connect } from 'node:net';

import { percentile } from '../statistics.mjs';

const [port, path, rate, seconds, connections, header] = process.argv.slice(2);
const REQUEST = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${header}\r\n\r\n`);
const TOTAL = Number(rate) * Number(seconds);
const INTERVAL = 1000 / Number(rate);
const WARM = TOTAL / 10;
const GRACE_MS = 3000;

const idle = [];
const latencies = [];
let errors = 0;
let answered = 0;
let sent = 0;
let start = 0;

class Connection {
  #text = '';
  due = 0;
  number = -1;

  constructor(ready) {
    this.ready = ready;
    this.socket = connect(Number(port), '127.0.0.1').setNoDelay(true);
    this.socket.on('connect', () => this.socket.write(REQUEST));
    this.socket.on('data', (chunk) => this.#read(chunk));
    this.socket.on('error', () => this.#lost());
    this.socket.on('close', () => this.#lost());
  }

  send(number) {
    this.number = number;
    this.due = start + number * INTERVAL;
    this.socket.write(REQUEST);
  }

  #read(chunk) {
    this.#text += chunk.latin1Slice();
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#text.slice(0, end))?.[1];
    const whole = length ? this.#text.length >= end + 4 + Number(length) : this.#text.endsWith('0\r\n\r\n');
    if (whole) this.#answer();
  }

  #answer() {
    const good = this.#text.startsWith('HTTP/1.1 200');
    this.#text = '';
    idle.push(this);
    if (this.number < 0) {
      this.ready();
      return;
    }
    answered += 1;
    if (!good) errors += 1;
    if (this.number >= WARM) latencies.push(performance.now() - this.due);
    this.number = -1;
  }

  #lost() {
    process.stderr.write('constant-rate: the server closed a connection\n');
    process.exit(1);
  }
}

function spin() {
  const now = performance.now();
  while (sent < TOTAL && idle.length > 0 && now >= start + sent * INTERVAL) idle.shift().send(sent++);
  const over = now > start + Number(seconds) * 1000 + GRACE_MS;
  if (answered < TOTAL && !over) setImmediate(spin);
  else finish();
}

function finish() {
  const sorted = latencies.toSorted((a, b) => a - b);
  const figures = { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: sorted.at(-1) };
  process.stdout.write(JSON.stringify({ ...figures, errors: errors + TOTAL - answered }));
  process.exit(0);
}

await Promise.all(
  Array.from({ length: Number(connections) }, () => new Promise((ready) => new Connection(ready))),
);
start = performance.now() + 20;
spin();
