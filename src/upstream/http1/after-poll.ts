/** Something to be done once the event loop has read what has come for every socket. */
export interface Polled {
  /** Must not throw. */
  polled(): void;
}

let waiting: Polled[] = [];
let resting: Polled[] = [];

/** Calls back behind the poll that is going on, in order; one turn of the loop for all that wait. */
export function afterPoll(task: Polled): void {
  if (waiting.push(task) === 1) setImmediate(run);
}

function run(): void {
  const due = waiting;
  waiting = resting;
  for (const task of due) task.polled();
  due.length = 0;
  resting = due;
}
