/** Where a command writes; whole lines, without their line feed. */
export interface Output {
  out(line: string): void;
  error(line: string): void;
}

export const processOutput: Output = {
  out: (line) => {
    process.stdout.write(`${line}\n`);
  },
  error: (line) => {
    process.stderr.write(`${line}\n`);
  },
};
