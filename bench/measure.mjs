import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MICROSECONDS_A_TICK = 1e6 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU time, user and system, that a process and its children took so far, in microseconds. */
export function cpu(pid) {
  return sum(pid, (process_) => ticks(process_) * MICROSECONDS_A_TICK);
}

/** Resident memory of a process and its children in bytes (pages that they share count in each). */
export function memory(pid) {
  return sum(pid, (process_) => {
    const status = readFileSync(`/proc/${process_}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  });
}

function ticks(pid) {
  // The name, field 2, stands in parentheses and may have spaces: count from behind it. utime and stime are 14 and 15.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function sum(pid, figure) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((total, child) => total + sum(Number(child), figure), figure(pid));
}
