import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface FileWatchTimes {
  /** How long after a first sign of change the files are looked at: several come together. */
  readonly settleMs: number;
  /** How often they are looked at without any sign. */
  readonly pollMs: number;
}

/**
 * Tells when one of some files may have changed. Their directories are watched, as a file that is replaced (a rename, a
 * link set anew) is another file than the one before. Where no sign comes (network file systems, a link to a file
 * elsewhere, a directory that was replaced itself), a look every now and then finds out.
 */
export class FileWatch {
  #seen = '';
  #watchers: FSWatcher[] = [];
  #settling: NodeJS.Timeout | null = null;
  readonly #poll: NodeJS.Timeout;
  #closed = false;

  /** `changed` is called once at first, too: whoever read the files before may have read older ones. */
  constructor(
    private readonly files: readonly string[],
    private readonly times: FileWatchTimes,
    private readonly changed: () => void,
  ) {
    this.#poll = setInterval(() => void this.#look(), times.pollMs).unref();
    void this.#look();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#poll);
    if (this.#settling !== null) clearTimeout(this.#settling);
    this.#unwatch();
  }

  async #look(): Promise<void> {
    const seen = (await Promise.all(this.files.map(traits))).join(' ');
    if (this.#closed || seen === this.#seen) return;
    this.#seen = seen;
    // A directory may be another one by now.
    this.#unwatch();
    for (const directory of new Set(this.files.map((file) => dirname(file)))) this.#watch(directory);
    this.changed();
  }

  #watch(directory: string): void {
    try {
      const watcher = watch(directory, { persistent: false }, () => this.#settle());
      watcher.on('error', () => watcher.close());
      this.#watchers.push(watcher);
    } catch {
      // It is gone, or there are no watches left: looking at the files has to do.
    }
  }

  #unwatch(): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }

  #settle(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = null;
      void this.#look();
    }, this.times.settleMs).unref();
  }
}

/** What changes when a file does; links are followed. */
async function traits(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = await stat(file);
    return [dev, ino, size, mtimeMs, ctimeMs].join(':');
  } catch {
    return 'none';
  }
}
