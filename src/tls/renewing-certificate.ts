import { hiddenAs } from '../config/secrets.js';
import type { TlsConfig } from '../config/server.config.js';
import type { Log } from '../exchange/event-log.js';
import { FileWatch, type FileWatchTimes } from './file-watch.js';
import { readMaterial, type TlsMaterial } from './tls-material.js';

export interface RenewalTimes extends FileWatchTimes {
  /** How long files may contradict each other before that is a failure: certificate and key are written one by one. */
  readonly patienceMs: number;
}

const TIMES: RenewalTimes = { settleMs: 50, pollMs: 5_000, patienceMs: 2_000 };

/**
 * The certificate of one listener, read again whenever its files change. Files that do not hold leave the one in force
 * where it is.
 */
export class RenewingCertificate {
  #config: Readonly<TlsConfig>;
  #material: TlsMaterial;
  #watch: FileWatch | null = null;
  #log: Log | null = null;
  /** What the last line about a failure said. */
  #told: string | null = null;
  #doubt: NodeJS.Timeout | null = null;
  /** Called with what is in force from now on. */
  renewed: (material: TlsMaterial) => void = () => {};

  /** Throws when the files do not hold. `listener` is its name in logs. */
  constructor(
    readonly listener: string,
    config: Readonly<TlsConfig>,
    private readonly times: RenewalTimes = TIMES,
  ) {
    const material = readMaterial(config);
    if (typeof material === 'string') throw new Error(`TLS on the ${listener} port: ${material}`);
    this.#config = config;
    this.#material = material;
  }

  get material(): TlsMaterial {
    return this.#material;
  }

  watch(log: Log): void {
    this.#log = log;
    this.#watchFiles();
  }

  /** Goes over to what another document says; its files were found right a moment ago. */
  use(config: Readonly<TlsConfig>): void {
    const before = filesOf(this.#config).join('\0');
    this.#config = config;
    if (this.#watch !== null && filesOf(config).join('\0') !== before) this.#watchFiles();
    this.#check(false);
  }

  close(): void {
    this.#watch?.close();
    this.#watch = null;
    this.#stopDoubting();
  }

  #watchFiles(): void {
    this.#watch?.close();
    this.#watch = new FileWatch(filesOf(this.#config), this.times, () => this.#check(true));
  }

  #check(patient: boolean): void {
    const found = readMaterial(this.#config);
    if (typeof found !== 'string') return this.#take(found);
    if (found === this.#told) return;
    if (!patient) this.#fail(found);
    else this.#doubt ??= setTimeout(() => this.#lose(), this.times.patienceMs).unref();
  }

  #lose(): void {
    this.#doubt = null;
    this.#check(false);
  }

  #take(found: TlsMaterial): void {
    this.#stopDoubting();
    this.#told = null;
    if (found.digest === this.#material.digest) return;
    this.#material = found;
    this.renewed(found);
    this.#log?.info({ ...this.#named(), expires: found.expires }, 'certificate renewed');
  }

  #fail(fault: string): void {
    this.#stopDoubting();
    this.#told = fault;
    this.#log?.error({ ...this.#named(), err: fault }, 'certificate renewal failed');
  }

  /** A name that came from a reference is not shown. */
  #named(): object {
    const cert_file = hiddenAs(this.#config, 'cert_file') ?? this.#config.cert_file;
    return { listener: this.listener, cert_file };
  }

  #stopDoubting(): void {
    if (this.#doubt !== null) clearTimeout(this.#doubt);
    this.#doubt = null;
  }
}

function filesOf({ cert_file, key_file, client_ca_file }: Readonly<TlsConfig>): string[] {
  return client_ca_file === null ? [cert_file, key_file] : [cert_file, key_file, client_ca_file];
}
